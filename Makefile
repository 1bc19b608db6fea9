# Ixor and Roxi. One Makefile for the whole tree; every target first makes sure of its packages.
#
#   make            build/libixor.so (agent), build/ixor (server), build/roxi (analyzer)
#   make demo       a real campaign on a sample system, and the unusual runs in it
#   make casestudy SYSTEM=bully RUNS=277 FAILED=15      a campaign of the case study (hours; goes on
#                   where it was interrupted; also SEED=, EVERY=, OUT=); casestudy-quick: minutes;
#                   casestudy-tables: all tables and plots, from the stored campaigns
#   make check      all tests                 make fuzz    fuzz every parser for a while
#   make stress     the agent's long tests (an hour; make stress STRESS_SECONDS=600: shorter)
#   make bench      the project's figures     make install PREFIX=/usr/local DESTDIR=
#
# VARIANT=asan|tsan|clang builds the same into build/asan and so on; the tests use it. VARIANT=count
# is for build/count/libixor.so alone, which counts its allocations (tests/count/count.c).
# MPI=1 builds into build/mpi a roxi that several machines can share the work of (Open MPI).
# JAVA_HOME picks the JDK (its headers and javac); default: the javac on the PATH.

VARIANT ?=
MPI ?=
B := build$(if $(MPI),/mpi)$(if $(VARIANT),/$(VARIANT))
PREFIX ?= /usr/local
CC := gcc
VERSION := 0.1.0
# make V=1 shows the whole commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $1 $@)

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings
OPT := -O2 -g
SAN :=
ifeq ($(VARIANT),asan)
  OPT := -O1 -g -fno-omit-frame-pointer
  SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),tsan)
  OPT := -O1 -g
  SAN := -fsanitize=thread
else ifeq ($(VARIANT),clang)
  CC := clang
else ifeq ($(VARIANT),fuzz)
  CC := clang
  OPT := -O1 -g -fno-omit-frame-pointer
  SAN := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),count)
  counted := malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf
  COUNT := $(B)/obj/tests/count/count.o
  COUNT_FLAGS := $(foreach f,$(counted) ix_log_snapshot,-Wl,--wrap=$f)
else ifneq ($(VARIANT),)
  $(error VARIANT is asan, tsan, clang, fuzz, count or nothing)
endif

# Roxi's loops over processors; ThreadSanitizer does not understand the library behind them, so
# that variant keeps to one thread and only the hints for vectorising.
# A sanitizer's checks keep loops from being vectorised; clang need not say so.
OPENMP := $(if $(filter tsan,$(VARIANT)),-fopenmp-simd,-fopenmp) $(if $(SAN),-Wno-pass-failed)

CPPFLAGS := -D_GNU_SOURCE -I. -I$(B)/gen -DIXOR_VERSION='"$(VERSION)"'
CFLAGS := -std=c17 $(OPT) $(WARN) -fPIC -fvisibility=hidden $(SAN)
LDFLAGS := $(SAN)
# Evaluated in the recipes, after the packages have been installed.
LIBS = -Wl,--as-needed $$(pkg-config --cflags --libs libevent_openssl libevent sqlite3 jansson \
    zlib libssl libcrypto) -lm -pthread
LIB_CFLAGS = $$(pkg-config --cflags libevent sqlite3 libxxhash jansson libssl libcrypto)
MPI_CFLAGS = $(if $(MPI),$$(pkg-config --cflags ompi-c | sed 's/-I/-isystem /g'))
MPI_LIBS = $(if $(MPI),$$(pkg-config --libs ompi-c))
JDK = $$(make/jdk.sh)
JVMTI_CFLAGS = -isystem "$(JDK)/include" -isystem "$(JDK)/include/linux"

# A part's archive holds all its sources but the one with main(), so that tests can link it.
parts := schema agent server roxi
# Ranks are those of MPI, or one.
left_out := roxi/ranks_$(if $(MPI),single,mpi).c
sources = $(filter-out $(left_out),$(sort $(wildcard $1/*.c)))
objects = $(patsubst %.c,$(B)/obj/%.o,$(filter-out $1/main.c,$(call sources,$1)))
archives := $(foreach p,$(parts),$(B)/lib/$p.a)
unit_tests := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
fuzzers := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
helpers := $(patsubst tests/helpers/%.c,$(B)/helpers/%,$(wildcard tests/helpers/*.c)) \
           $(B)/helpers/libjump.so
benches := $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c)) $(B)/bench/libbare.so

.PHONY: FORCE all unit helpers fuzzers benches examples demo screenshot casestudy casestudy-quick \
        casestudy-tables check mpi fuzz stress bench install clean test-java deps-build deps-check \
        deps-demo deps-examples deps-casestudy deps-bench deps-stress deps-mpi deps-peers
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/libixor.so $(B)/ixor $(B)/roxi
unit: $(unit_tests)
helpers: $(helpers)
fuzzers: $(fuzzers)
benches: $(benches)

deps-build deps-demo deps-examples deps-casestudy deps-check deps-bench deps-stress deps-mpi \
deps-peers: deps-%:
	@make/deps.sh $*

# ---- C ------------------------------------------------------------------------------------------

# Texts that are built in, as strings of C.
quoted = sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/'
$(B)/gen/catalogue_sql.h: schema/catalogue.sql
	@mkdir -p $(@D)
	@$(quoted) $< >$@

$(B)/gen/default_rules.h: roxi/default.rules Makefile
	@mkdir -p $(@D)
	@{ printf '#define DEFAULT_RULES \\\n'; $(quoted) -e '$$!s/$$/ \\/' $<; } >$@

# The viewer's page: page.html, page.css and page.js, each a string.
viewer := $(addprefix $(B)/gen/viewer_,html.h css.h js.h)
$(B)/gen/viewer_%.h: server/viewer/page.% Makefile
	@mkdir -p $(@D)
	@$(quoted) $< >$@

$(B)/obj/server/http_page.o: $(viewer)

$(B)/obj/agent/%.o: agent/%.c Makefile | deps-build
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(JVMTI_CFLAGS) $(CFLAGS) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

$(B)/obj/%.o: %.c Makefile | deps-build $(B)/gen/catalogue_sql.h $(B)/gen/default_rules.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

# What distances are compared with, if it is installed: written anew only when that changes.
peers := parasail-1:PARASAIL edlib-1:EDLIB
$(B)/gen/peers.h: FORCE | deps-build
	@mkdir -p $(@D)
	@for p in $(peers); do pkg-config --exists $${p%:*} && echo "#define HAVE_$${p#*:}"; done >$@.new; \
	    if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:
uses_peers := tests/unit/test_roxi_peers bench/peers
$(uses_peers:%=$(B)/obj/%.o): $(B)/gen/peers.h
$(B)/tests/test_roxi_peers $(B)/bench/peers: LIBS += $$(for p in $(peers); do \
    pkg-config --silence-errors --libs $${p%:*}; done)
$(B)/obj/roxi/ranks_mpi.o: LIB_CFLAGS += $(MPI_CFLAGS)
$(B)/obj/roxi/ranks_mpi.o: | deps-mpi

# Units of the agent are tested with a JVM made of a few functions.
$(B)/obj/tests/unit/test_agent_%.o: LIB_CFLAGS += $(JVMTI_CFLAGS)

# Inner loops that are written to be vectorised, which -O2 does only where it costs no code.
$(B)/obj/roxi/%.o: CFLAGS += $(OPENMP)
$(B)/obj/roxi/kernel_%.o: CFLAGS += $(if $(SAN),,-O3)
# Every processor must round alike: multiplication and addition are fused where the source says so.
$(B)/obj/roxi/product_%.o: CFLAGS += $(if $(SAN),,-O3) -ffp-contract=off
$(B)/obj/roxi/similarity.o: CFLAGS += -ffp-contract=off
# The vector limit that kernels are measured by has the same flags as they.
$(B)/obj/bench/kernel.o: CFLAGS += $(OPENMP) -O3
$(B)/roxi $(B)/tests/% $(B)/helpers/% $(B)/bench/% $(B)/fuzz/%: LIBS += $(OPENMP) $(MPI_LIBS)

define archive_rule
$(B)/lib/$1.a: $(call objects,$1)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(call say,AR)
	$(Q)ar rcs $$@ $$^
endef
$(foreach p,$(parts),$(eval $(call archive_rule,$p)))

# Tests of what talks to the JVM bring a double of it; this one also lets allocations fail.
$(B)/obj/tests/unit/test_agent_%.o: CPPFLAGS += $(JVMTI_CFLAGS)
$(B)/tests/test_agent_names: LDFLAGS += -Wl,--wrap=calloc,--wrap=realloc

# The agent brings along what it needs and depends on nothing but the C library. It stays mapped
# even if the JVM lets go of it: a callback may still be on its way back.
$(B)/libixor.so: $(call objects,agent) $(COUNT) $(B)/lib/schema.a agent/exports.map
	$(call say,LINK)
	$(Q)$(CC) -shared $(LDFLAGS) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
	    -Wl,--version-script=agent/exports.map -Wl,--as-needed -Wl$(comma)-z$(comma)nodelete \
	    $(COUNT_FLAGS) $(filter %.o %.a,$^) -o $@ -l:libssl.a -l:libcrypto.a -ldl -pthread
comma := ,

$(B)/ixor: $(B)/obj/server/main.o $(B)/lib/server.a $(B)/lib/schema.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/roxi: $(B)/obj/roxi/main.o $(B)/lib/roxi.a $(B)/lib/schema.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/tests/%: $(B)/obj/tests/unit/%.o $(B)/lib/roxi.a $(B)/lib/server.a $(B)/lib/agent.a \
              $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $$(pkg-config --libs cmocka) $(LIBS)

$(B)/helpers/%: $(B)/obj/tests/helpers/%.o $(B)/lib/roxi.a $(B)/lib/server.a $(B)/lib/agent.a \
                $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/helpers/libjump.so: $(B)/obj/tests/preload/jump.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -shared $(LDFLAGS) $^ -o $@ -ldl

$(B)/bench/%: $(B)/obj/bench/%.o $(B)/lib/roxi.a $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/bench/volley: $(B)/lib/server.a

$(B)/bench/scaling: LDFLAGS += -Wl,--wrap=roxi_kernels_best

$(B)/bench/libbare.so: bench/agent/bare.c Makefile | deps-build
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CPPFLAGS) $(JVMTI_CFLAGS) $(CFLAGS) -shared $< -o $@

$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/lib/roxi.a $(B)/lib/server.a $(B)/lib/agent.a \
             $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer $^ -o $@ $(LIBS)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- Java ---------------------------------------------------------------------------------------

# The sample systems, each with what they have in common and with Debian's jars that it needs, whose own
# paths javac shall not complain of; and the tests' programs once for each JDK of this machine.
systems := bully byzantine zookeeper
jars_zookeeper := /usr/share/java/zookeeper.jar
slow_disk := $(B)/examples/zookeeper/libslowdisk.so
examples: $(systems:%=$(B)/examples/%.stamp) $(slow_disk)
$(B)/examples/%.stamp: Makefile $(shell find examples -name '*.java' 2>/dev/null) | deps-build
	@rm -rf $(@:.stamp=) && mkdir -p $(@:.stamp=)
	$(call say,JAVAC)
	$(Q)"$(JDK)/bin/javac" --release 17 -Xlint:all$(jars_$*:%=$(comma)-path) -Werror -g \
	    $(jars_$*:%=-cp %) -d $(@:.stamp=) \
	    $(shell find examples/common/src examples/$*/src -name '*.java' 2>/dev/null)
	@touch $@

$(B)/examples/zookeeper.stamp: | deps-examples

# Into the directory that the stamp's rule makes anew. Never instrumented: it goes into a plain java.
$(slow_disk): examples/zookeeper/slowdisk.c $(B)/examples/zookeeper.stamp
	$(call say,LINK)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 -O2 -g $(WARN) -fPIC -shared $< -o $@ -ldl

test-java: $(wildcard tests/java/*.java) | deps-check
	@make/jdk.sh all | while read -r jdk; do \
	    out=build/tests/java/$${jdk##*/}; \
	    mkdir -p $$out && "$$jdk/bin/javac" -g -nowarn -d $$out $^ || exit 1; \
	done

# ---- what people type ---------------------------------------------------------------------------

demo: deps-demo all $(B)/examples/bully.stamp
	@examples/demo.sh

# The case study (docs/case-study.md). What is not said is as examples/casestudy.sh has it.
SYSTEM ?= bully
casestudy: deps-casestudy all examples
	@examples/casestudy.sh --system $(SYSTEM) $(if $(RUNS),--runs $(RUNS)) \
	    $(if $(FAILED),--failed $(FAILED)) $(if $(SEED),--seed $(SEED)) \
	    $(if $(EVERY),--every $(EVERY)) $(if $(OUT),--out $(OUT))

# A small one of each of the thesis' systems, and what becomes of it.
casestudy-quick: deps-casestudy all examples
	@for system in $(filter bully byzantine,$(systems)); do \
	    out=build/casestudy-quick/$$system; \
	    examples/casestudy.sh --system $$system --runs 12 --failed 3 --out $$out && \
	    examples/tables.sh $$out || exit 1; \
	done

# From the campaigns in casestudy/: tables and plots of docs/case-study.md, alarms of docs/ranking.md.
casestudy-tables: deps-casestudy all
	@examples/tables.sh --write docs/case-study.md
	@examples/alarms.sh --write docs/ranking.md

# docs/viewer.png, anew.
screenshot: deps-peers all $(B)/examples/bully.stamp
	@examples/screenshot.sh

# Everything the tests run, in all variants; then the tests. On all processors, unless make was told.
parallel = --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
check: deps-check
	@$(MAKE) $(parallel) all unit helpers examples test-java benches
	@$(MAKE) $(parallel) VARIANT=clang all
	@$(MAKE) $(parallel) VARIANT=asan all unit
	@$(MAKE) $(parallel) VARIANT=count build/count/libixor.so
	@$(MAKE) $(parallel) VARIANT=tsan $(addprefix build/tsan/tests/test_,agent_link agent_thrown \
	    agent_waits roxi_workers roxi_load_parallel server_http \
	    server_service server_control server_volley)
	@$(MAKE) $(parallel) VARIANT=fuzz fuzzers
	@$(MAKE) $(parallel) mpi
	@tests/run.sh

# What tests and the bench compare with; where Open MPI cannot be had they say so.
mpi:
	@if make/deps.sh mpi; then $(MAKE) $(parallel) MPI=1 build/mpi/roxi; \
	else rm -f build/mpi/roxi; echo "make: going on without Open MPI" >&2; fi

# FUZZ_SECONDS a target; what is found interesting is added to a copy of the corpus in build/.
FUZZ_SECONDS ?= 60
fuzz: deps-check
	@$(MAKE) --no-print-directory VARIANT=fuzz fuzzers
	@tests/fuzz/run.sh $(FUZZ_SECONDS)

STRESS_SECONDS ?= 3000
stress: deps-stress
	@$(MAKE) --no-print-directory all helpers test-java
	@$(MAKE) --no-print-directory VARIANT=asan build/asan/libixor.so
	@$(MAKE) --no-print-directory VARIANT=count build/count/libixor.so
	@tests/stress/run.sh $(STRESS_SECONDS)

bench: deps-bench all benches examples test-java mpi $(B)/helpers/simulate
	@bench/run.sh

install: all
	install -D -m 755 $(B)/ixor $(B)/roxi -t $(DESTDIR)$(PREFIX)/bin
	install -D -m 644 $(B)/libixor.so -t $(DESTDIR)$(PREFIX)/lib
	install -D -m 644 man/*.1 -t $(DESTDIR)$(PREFIX)/share/man/man1
	install -D -m 644 man/*.7 -t $(DESTDIR)$(PREFIX)/share/man/man7

clean:
	rm -rf build
