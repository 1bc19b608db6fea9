# SPDX-License-Identifier: Apache-2.0
# Ixor and Roxi. One Makefile for the complete tree; `make help` lists the targets.
#
# You can set CC, CFLAGS, CPPFLAGS, LDFLAGS, DESTDIR, PREFIX and what is below it (BINDIR, LIBDIR,
# DATADIR, MANDIR, JAVADIR); flags that the sources need are added. JAVA_HOME selects the JDK (its
# headers and javac); default: the javac on the PATH.
# V=1 shows complete commands. WERROR=1 turns warnings into errors, as `make check` does.
# VARIANT=asan|tsan|clang|coverage builds everything into build/asan and so on, for the tests.
# MPI=1 also builds build/mpi/roxi, which distributes its work over several machines (Open MPI).
#
# Building only checks for missing packages. deps, demo, check and other long targets install them.

VARIANT ?=
MPI ?=
B := build$(if $(VARIANT),/$(VARIANT))
VERSION := 0.1.0
# ixor looks for the agent beside itself and in ../lib, ../lib64, and ixor/ of both.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
JAVADIR ?= $(DATADIR)/java
BASH_COMPLETIONS ?= $(DATADIR)/bash-completion/completions
ZSH_COMPLETIONS ?= $(DATADIR)/zsh/site-functions
Q := $(if $(V),,@)
# Prints nothing with V=1, which shows the complete command, or with make -s.
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-6s %s\n' $1 $@)
comma := ,

# make's own default is cc.
ifeq ($(origin CC),default)
  CC := gcc
endif
CFLAGS ?= -O2 -g
# A variant sets its own optimisation level; in the plain build it is yours. Reports of sanitizers need
# line numbers (-g1) and no more. Only what computes much is optimised with them (see `computing` below),
# and clang's objects are not run: that saves half of the time.
SAN :=
ifeq ($(VARIANT),asan)
  CFLAGS := -O0 -g1 -fno-omit-frame-pointer
  SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),tsan)
  CFLAGS := -O0 -g1
  SAN := -fsanitize=thread
else ifeq ($(VARIANT),clang)
  override CC := clang
  CFLAGS := -O0
else ifeq ($(VARIANT),fuzz)
  override CC := clang
  CFLAGS := -O1 -g -fno-omit-frame-pointer
  SAN := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),coverage)
  CFLAGS := -O1 -g
  SAN := --coverage -fprofile-update=atomic -DINSTRUMENTED=1
else ifneq ($(VARIANT),)
  $(error VARIANT is asan, tsan, clang, fuzz, coverage or nothing)
endif

# OpenMP for Roxi's loops. ThreadSanitizer does not understand its library, so that variant stays on
# one thread and uses only the vectorisation hints. A sanitizer's checks prevent vectorisation, and
# clang need not warn about that.
OPENMP := $(if $(filter tsan,$(VARIANT)),-fopenmp-simd,-fopenmp) $(if $(SAN),-Wno-pass-failed)

# Other compilers may have more warnings, so warnings are errors only in builds for tests.
WERROR ?= $(if $(VARIANT),1)
WARN := -Wall -Wextra $(if $(WERROR),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings
# Flags that you may override come before yours, the others after them. FILE_FLAGS and FILE_LINK
# apply to a single target.
PREPROCESS = -D_GNU_SOURCE -I. -I$(B)/gen -DIXOR_VERSION='"$(VERSION)"' $(CPPFLAGS)
COMPILE = $(CC) $(PREPROCESS) $(WARN) $(CFLAGS) -std=c17 -fPIC -fvisibility=hidden $(SAN) $(FILE_FLAGS)
LINK = $(CC) $(CFLAGS) $(SAN) $(LDFLAGS) $(FILE_LINK)
# Evaluated in recipes, after packages have been checked.
LIBS = -Wl,--as-needed $$(pkg-config --cflags --libs libevent_openssl libevent sqlite3 jansson \
    zlib libpcre2-8 expat libzstd libssl libcrypto) -lm -pthread
LIB_CFLAGS = $$(pkg-config --cflags libevent sqlite3 libxxhash jansson libpcre2-8 expat libzstd libssl \
    libcrypto)
MPI_CFLAGS = $$(pkg-config --cflags ompi-c | sed 's/-I/-isystem /g')
MPI_LIBS = $$(pkg-config --libs ompi-c)
JDK = $$(make/jdk.sh)
JVMTI_CFLAGS = -isystem "$(JDK)/include" -isystem "$(JDK)/include/linux"

# A part's archive has all its sources except main(), so that tests can link it.
parts := schema agent server roxi
# LEFT_OUT: folders whose sources are not in the archives.
# MPI's processes replace the single one of the archive where it is linked.
with_mpi := roxi/mpi/open_mpi.c
sources = $(filter-out $(with_mpi) $(LEFT_OUT:%=%/%),$(sort $(shell find $1 -name '*.c')))
objects = $(patsubst %.c,$(B)/obj/%.o,$(filter-out $1/commands/main.c,$(call sources,$1)))
archives := $(foreach p,$(parts),$(B)/lib/$p.a)
support := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/support/*.c))
unit_sources := $(sort $(shell find tests/unit -name 'test_*.c'))
unit_tests := $(patsubst %.c,$(B)/tests/%,$(notdir $(unit_sources)))
fuzzers := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
helpers := $(patsubst tests/helpers/%.c,$(B)/helpers/%,$(wildcard tests/helpers/*.c)) \
           $(patsubst tests/preload/%.c,$(B)/helpers/lib%.so,$(wildcard tests/preload/*.c))
benches := $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c)) $(B)/bench/libbare.so

# What makes JUnit's tests runs: where JUnit is installed. Sanitizers have nothing to look for in it.
optional_jar := $(if $(filter asan tsan clang fuzz,$(VARIANT)),,$(if $(wildcard \
    /usr/share/java/junit-platform-launcher.jar),$(B)/ixor-junit.jar))

.PHONY: FORCE all unit helpers fuzzers benches examples junit test-java mpi deps
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/libixor.so $(B)/ixor $(B)/roxi $(if $(MPI),$(B)/mpi/roxi) $(optional_jar) ## build/libixor.so (agent), build/ixor (server), build/roxi (analyzer)
unit: $(unit_tests)
helpers: $(helpers)
fuzzers: $(fuzzers)
benches: $(benches)

# needs-PURPOSE checks for packages, deps-PURPOSE installs them: as root, or with sudo.
purposes := build junit demo examples casestudy check bench stress mpi tools peers lint coverage fresh deb
.PHONY: $(purposes:%=needs-%) $(purposes:%=deps-%)
$(purposes:%=needs-%): needs-%:
	@make/deps.sh check $*
$(purposes:%=deps-%): deps-%:
	@make/deps.sh install $*
deps: deps-check ## installs the Debian packages that make, make demo and make check need

# ---- C ------------------------------------------------------------------------------------------

# Turns text into C strings that are compiled in.
quoted = sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$$/\\n"/'
$(B)/gen/catalogue_sql.h: schema/catalogue/catalogue.sql
	@mkdir -p $(@D)
	@$(quoted) $< >$@

rules := common learn thesis
$(B)/gen/rules_text.h: $(rules:%=roxi/campaign/%.rules) Makefile
	@mkdir -p $(@D)
	@for r in $(rules); do printf "#define $${r}_rules \\\\\n"; \
	    $(quoted) -e '$$!s/$$/ \\/' roxi/campaign/$$r.rules; done >$@

# Pages, each file as a string: HEADER:SOURCE.
viewer_page := viewer_html.h:server/viewer/page.html viewer_css.h:server/viewer/page.css \
    viewer_js.h:server/viewer/page.js viewer_talks_js.h:server/viewer/talks.js
report_page := report_html.h:roxi/page/assets/report.html report_css.h:roxi/page/assets/report.css \
    $(foreach f,data time_line moment merged flame heat search report,report_$f_js.h:roxi/page/assets/$f.js)
both_pages := base_css.h:schema/page/base.css base_js.h:schema/page/base.js
headers_of = $(foreach p,$1,$(B)/gen/$(firstword $(subst :, ,$p)))
define page_rule
$(B)/gen/$1: $2 Makefile
	@mkdir -p $$(@D)
	@$$(quoted) $$< >$$@
endef
$(foreach p,$(viewer_page) $(report_page) $(both_pages),$(eval $(call page_rule,$(firstword \
    $(subst :, ,$p)),$(lastword $(subst :, ,$p)))))
pages := $(call headers_of,$(viewer_page) $(report_page) $(both_pages))

$(B)/obj/server/viewer/http_page.o: $(call headers_of,$(viewer_page) $(both_pages))
$(B)/obj/roxi/page/page.o: $(call headers_of,$(report_page) $(both_pages))

$(B)/obj/agent/%.o: agent/%.c $(B)/gen/flags | needs-build
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) $(JVMTI_CFLAGS) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

$(B)/obj/%.o: %.c $(B)/gen/flags | needs-build $(B)/gen/catalogue_sql.h $(B)/gen/rules_text.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

# This build's flags, and which optional libraries are installed. These files are rewritten only
# when their content changes, so everything that depends on them is rebuilt only then.
if_changed = if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
flags = $(CC) $(CPPFLAGS) $(CFLAGS) $(SAN) $(LDFLAGS) $(VERSION)
$(B)/gen/flags: FORCE Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(flags))' >$@.new; $(if_changed)

PEERS ?= parasail-1:PARASAIL edlib-1:EDLIB
$(B)/gen/peers.h: FORCE | needs-build
	@mkdir -p $(@D)
	@for p in $(PEERS); do pkg-config --exists $${p%:*} && echo "#define HAVE_$${p#*:}"; done >$@.new; \
	    $(if_changed)
FORCE:
uses_peers := tests/unit/roxi/distance/test_roxi_peers bench/peers
$(uses_peers:%=$(B)/obj/%.o): $(B)/gen/peers.h
$(B)/tests/test_roxi_peers $(B)/bench/peers: LIBS += $$(for p in $(PEERS); do \
    pkg-config --silence-errors --libs $${p%:*}; done)
$(B)/obj/roxi/mpi/open_mpi.o: LIB_CFLAGS += $(MPI_CFLAGS)
$(B)/obj/roxi/mpi/open_mpi.o: | needs-mpi

# The agent's units are tested with a fake JVM.
$(B)/obj/tests/unit/agent/%.o $(B)/obj/tests/support/jni_double.o $(B)/obj/tests/support/jvm_double.o \
    $(B)/obj/tests/support/coverage_world.o: LIB_CFLAGS += $(JVMTI_CFLAGS)

# Of the objects with sanitizers.
computing := roxi/cluster roxi/distance roxi/legacy schema/base schema/tracelog tests/support
ifneq ($(filter asan tsan,$(VARIANT)),)
  $(computing:%=$(B)/obj/%/%.o): FILE_FLAGS += -O1
endif

# Tests compute little themselves: their sources are compiled in two thirds of the time.
ifeq ($(VARIANT),)
  $(B)/obj/tests/unit/%.o: FILE_FLAGS += -O1
endif

# The inner loops are written for vectorisation, which -O2 applies only if it adds no code.
$(B)/obj/roxi/%.o: FILE_FLAGS += $(OPENMP)
$(B)/obj/roxi/distance/kernel_%.o: FILE_FLAGS += $(if $(SAN),,-O3)
# Results must not depend on the processor: the compiler must not fuse multiplication and addition.
$(B)/obj/roxi/cluster/product_%.o: FILE_FLAGS += $(if $(SAN),,-O3) -ffp-contract=off
$(B)/obj/roxi/cluster/similarity.o: FILE_FLAGS += -ffp-contract=off
# The vector limit that kernels are compared with is compiled with their flags.
$(B)/obj/bench/kernel.o: FILE_FLAGS += $(OPENMP) -O3
$(B)/roxi $(B)/mpi/roxi $(B)/tests/% $(B)/helpers/% $(B)/bench/% $(B)/fuzz/%: LIBS += $(OPENMP)

define archive_rule
$(B)/lib/$1.a: $(call objects,$1)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(call say,AR)
	$(Q)ar rcs $$@ $$^
endef
$(foreach p,$(parts),$(eval $(call archive_rule,$p)))

# Shared by the tests: doubles, fixtures, logs. Linked before the parts' archives, whose functions
# it calls.
$(B)/lib/support.a: $(support)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^


# Tests of code that calls the JVM bring a double of it; this one also makes allocations fail.
$(B)/tests/test_agent_connections $(B)/tests/test_agent_turns: FILE_LINK += -Wl,--wrap=ixa_threads_find
$(B)/tests/test_agent_locks $(B)/tests/test_agent_parks: FILE_LINK += -Wl,--wrap=ixa_threads_find,--wrap=ixa_names_class
$(B)/tests/test_agent_invocations: FILE_LINK += -Wl,--wrap=ixa_counters_find,--wrap=ixa_counters_check \
    -Wl,--wrap=ixa_counters_read,--wrap=ixa_names_method
$(B)/tests/test_agent_names: FILE_LINK += -Wl,--wrap=calloc,--wrap=realloc
$(B)/tests/test_agent_coverage $(B)/tests/test_agent_looks: FILE_LINK += -Wl,--wrap=ixa_names_class \
    $(foreach f,calloc realloc reallocarray strndup,-Wl,--wrap=$f)
# The same for the server (tests/support/allocation.h).
$(B)/tests/test_server_allocation: FILE_LINK += $(foreach f,malloc calloc realloc reallocarray strdup,\
    -Wl,--wrap=$f)

# The agent contains what it needs and depends only on the C library. It stays mapped even if the JVM
# unloads it, because a callback may not have returned yet.
agents := $(B)/libixor.so $(B)/count/libixor.so
$(agents): $(call objects,agent) $(B)/lib/schema.a agent/exports.map
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) -shared $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
	    -Wl,--version-script=agent/exports.map -Wl,--as-needed -Wl$(comma)-z$(comma)nodelete \
	    $(filter %.o %.a,$^) -o $@ -l:libssl.a -l:libcrypto.a -ldl -pthread

# For tests: it counts its allocations (tests/count/count.c).
counted := malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf
$(B)/count/libixor.so: $(B)/obj/tests/count/count.o
$(B)/count/libixor.so: FILE_LINK += $(foreach f,$(counted) ix_log_snapshot,-Wl,--wrap=$f)

$(B)/ixor: $(B)/obj/server/commands/main.o $(B)/lib/server.a $(B)/lib/schema.a
	$(call say,LINK)
	$(Q)$(LINK) $^ -o $@ $(LIBS)

# End-to-end tests start them thousands of times, which takes two thirds of the time if the loader has less to
# relocate.
ifeq ($(VARIANT),asan)
  $(B)/ixor $(B)/roxi: FILE_LINK += -no-pie -static-libasan -static-libubsan
endif

$(B)/mpi/roxi: LIBS += $(MPI_LIBS)
$(B)/mpi/roxi: $(B)/obj/roxi/commands/main.o $(with_mpi:%.c=$(B)/obj/%.o) $(B)/lib/roxi.a \
               $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $^ -o $@ $(LIBS)

$(B)/roxi: $(B)/obj/roxi/commands/main.o $(B)/lib/roxi.a $(B)/lib/schema.a
	$(call say,LINK)
	$(Q)$(LINK) $^ -o $@ $(LIBS)

# Test programs are linked by gold where it is installed, which takes a third of the time.
quick_link := $(if $(findstring -fuse-ld,$(LDFLAGS)),,$(if $(shell command -v ld.gold),-fuse-ld=gold))
$(B)/tests/% $(B)/helpers/% $(B)/fuzz/%: FILE_LINK += $(quick_link)

# All test programs are in one folder, whatever folder their sources are in.
$(foreach u,$(unit_sources),$(eval $(B)/tests/$(basename $(notdir $u)): $(u:%.c=$(B)/obj/%.o)))
$(unit_tests): $(B)/tests/%: $(B)/lib/support.a $(B)/lib/roxi.a $(B)/lib/server.a $(B)/lib/agent.a \
              $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $(filter %.o,$^) $(filter %.a,$^) -o $@ $$(pkg-config --libs cmocka) $(LIBS)

$(B)/helpers/%: $(B)/obj/tests/helpers/%.o $(B)/lib/support.a $(B)/lib/roxi.a $(B)/lib/server.a \
                $(B)/lib/agent.a $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $^ -o $@ $(LIBS)

$(B)/helpers/lib%.so: $(B)/obj/tests/preload/%.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) -shared $^ -o $@ -ldl

$(B)/bench/%: $(B)/obj/bench/%.o $(B)/lib/roxi.a $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $^ -o $@ $(LIBS)

$(B)/bench/udp_batch: $(B)/lib/server.a

$(B)/bench/scaling: FILE_LINK += -Wl,--wrap=roxi_kernels_best

$(B)/bench/libbare.so: bench/agent/bare.c $(B)/gen/flags | needs-build
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(COMPILE) $(JVMTI_CFLAGS) $(LDFLAGS) -shared $< -o $@

# The agent's thread in a simulated world (tests/fuzz/link_world.h).
$(B)/obj/tests/fuzz/fuzz_link.o: LIB_CFLAGS += $(JVMTI_CFLAGS)
wrapped := clock_gettime ppoll poll socket bind getsockname recvfrom recv sendto close
$(B)/fuzz/fuzz_link: FILE_LINK += $(foreach f,$(wrapped),-Wl,--wrap=$f)

# Without libFuzzer they only replay inputs.
ifneq ($(VARIANT),fuzz)
$(fuzzers): $(B)/obj/tests/fuzz/replay.o
endif
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/lib/support.a $(B)/lib/roxi.a $(B)/lib/server.a \
             $(B)/lib/agent.a $(B)/lib/schema.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(LINK) $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer) $^ -o $@ $(LIBS)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- Java ---------------------------------------------------------------------------------------

# A compiler that runs for a second or two takes half of the processor time without the JVM's optimising compiler.
quick_jvm := -J-XX:+IgnoreUnrecognizedVMOptions -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC

# The sample systems, each compiled with examples/common and the Debian jars that it needs (without
# warnings about the class path in those jars); and the tests' programs, once for each JDK.
systems := bully byzantine lease order wakeup zookeeper curator
jars_zookeeper := /usr/share/java/zookeeper.jar
jars_curator := $(subst $() ,:,$(patsubst %,/usr/share/java/%.jar,curator-test curator-recipes \
    curator-framework curator-client zookeeper zookeeper-jute junit-jupiter-api apiguardian-api))
slow_disk := $(B)/examples/zookeeper/libslowdisk.so $(B)/examples/curator/libslowdisk.so
examples: $(systems:%=$(B)/examples/%.stamp) $(slow_disk)
$(B)/examples/%.stamp: Makefile $(shell find examples -name '*.java' 2>/dev/null) | needs-build
	@rm -rf $(@:.stamp=) && mkdir -p $(@:.stamp=)
	$(call say,JAVAC)
	$(Q)"$(JDK)/bin/javac" $(quick_jvm) --release 17 -Xlint:all$(jars_$*:%=$(comma)-path) -Werror -g \
	    $(jars_$*:%=-cp %) -d $(@:.stamp=) \
	    $(shell find examples/common/src examples/$*/src -name '*.java' 2>/dev/null)
	@touch $@

$(B)/examples/zookeeper.stamp $(B)/examples/curator.stamp: | needs-examples

# In the directory that the stamp's rule recreates. Never instrumented, because a plain java loads
# it.
$(slow_disk): $(B)/examples/%/libslowdisk.so: examples/zookeeper/slowdisk.c $(B)/examples/%.stamp
	$(call say,LINK)
	$(Q)$(CC) $(PREPROCESS) $(WARN) -O2 -g -std=c17 -fPIC $(LDFLAGS) -shared $< -o $@ -ldl

jars_shop := $(subst $() ,:,$(addprefix /usr/share/java/,derbynet.jar jetty9-server.jar \
    jetty9-util.jar servlet-api.jar))
examples: $(B)/examples/shop.stamp
$(B)/examples/shop.stamp: | needs-examples

junit_jars := $(subst $() ,:,$(patsubst %,/usr/share/java/%.jar,junit-platform-launcher \
    junit-platform-engine junit-platform-commons opentest4j apiguardian-api))
junit_sources := $(wildcard java/src/ixor/junit/*.java)
junit: $(B)/ixor-junit.jar ## build/ixor-junit.jar, which makes each JUnit test a run; part of all where JUnit is installed
# Its coordinates are those of java/pom.xml: Maven's and Gradle's tools find them inside.
junit_pom := META-INF/maven/ixor/ixor-junit
$(B)/ixor-junit.jar: Makefile java/pom.xml $(junit_sources) $(shell find java/src/META-INF -type f) | needs-junit
	@rm -rf $(B)/junit && mkdir -p $(B)/junit && cp -R java/src/META-INF $(B)/junit
	@mkdir -p $(B)/junit/$(junit_pom) && sed 's/@VERSION@/$(VERSION)/' java/pom.xml >$(B)/junit/$(junit_pom)/pom.xml
	@printf 'groupId=ixor\nartifactId=ixor-junit\nversion=%s\n' $(VERSION) >$(B)/junit/$(junit_pom)/pom.properties
	@printf 'Implementation-Title: ixor-junit\nImplementation-Version: %s\nAutomatic-Module-Name: ixor.junit\n' \
	    $(VERSION) >$(B)/junit.manifest
	$(call say,JAVAC)
	$(Q)"$(JDK)/bin/javac" $(quick_jvm) --release 17 -Xlint:all,-path -Werror -g -cp $(junit_jars) \
	    -d $(B)/junit $(junit_sources)
	$(Q)"$(JDK)/bin/jar" $(quick_jvm) --create --file $@ --manifest $(B)/junit.manifest -C $(B)/junit .

test-java: $(wildcard tests/java/*.java) | needs-build
	@make/jdk.sh all | while read -r jdk; do \
	    out=build/tests/java/$${jdk##*/}; \
	    mkdir -p $$out && "$$jdk/bin/javac" $(quick_jvm) -g -nowarn -d $$out $^ || exit 1; \
	done

# ---- what people type ---------------------------------------------------------------------------

# Uses all processors, unless make got -j. Targets that install packages build in a second make,
# which starts after the installation.
parallel = --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
build = +@$(MAKE) $(parallel)

.PHONY: help demo casestudy casestudy-quick casestudy-tables screenshot check lint fuzz stress bench \
        coverage install uninstall dist deb clean

help: ## this list
	@sed -nE 's/^([a-z][a-z._-]*):[^#]*## (.*)/    make \1\t\2/p' Makefile | expand -t 30
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

demo: deps-demo ## samples a distributed system in 24 runs, and finds the unusual ones
	$(build) all $(B)/examples/bully.stamp
	@examples/demo.sh

# The case study (docs/case-study.md). Defaults are those of examples/casestudy.sh.
SYSTEM ?= bully
casestudy: deps-casestudy ## takes hours: SYSTEM=bully RUNS=277 FAILED=15 SEED= EVERY= OUT=; continues an interrupted one
	$(build) all examples
	@examples/casestudy.sh --system $(SYSTEM) $(if $(RUNS),--runs $(RUNS)) \
	    $(if $(FAILED),--failed $(FAILED)) $(if $(SEED),--seed $(SEED)) \
	    $(if $(EVERY),--every $(EVERY)) $(if $(OUT),--out $(OUT))

casestudy-quick: deps-casestudy ## takes minutes: a small campaign of each of the thesis's systems, and its tables
	$(build) all examples
	@for system in $(filter bully byzantine,$(systems)); do \
	    out=build/casestudy-quick/$$system; \
	    examples/casestudy.sh --system $$system --runs 12 --failed 3 --out $$out && \
	    examples/tables.sh $$out || exit 1; \
	done

# From the campaigns in casestudy/: tables and plots of docs/case-study.md, and the table of false
# alarms in docs/ranking-measured.md.
casestudy-tables: deps-casestudy ## rewrites the tables and plots in docs/ from the stored campaigns
	$(build) all
	@examples/tables.sh --write docs/case-study.md
	@examples/alarms.sh --write docs/ranking-measured.md

screenshot: deps-peers ## the pictures of docs/viewer.md and docs/why.md
	$(build) all $(B)/examples/bully.stamp
	@examples/screenshot.sh
	@examples/report_screenshots.sh

# Tests with the thread sanitizer need only half of the sources.
tsan := VARIANT=tsan LEFT_OUT="$(filter-out roxi/base roxi/campaign,$(wildcard roxi/*)) server/attach \
    server/commands server/launch"

# Builds everything that tests run, in all variants, and then runs the tests. Fuzz targets
# are compiled with clang, as `make fuzz` does, and replay their inputs with gcc's sanitizers. Of all other
# files it compiles only those with code for one processor; it reads all of them in `make lint`, which fails
# on its warnings too, and make stress builds everything with it.
kernels := $(wildcard roxi/distance/*.c roxi/cluster/product*.c)
# TESTS="docs unit fuzz e2e" leaves out the kinds of tests/run.sh that are not named.
TESTS ?=
check: deps-check ## all tests
	$(build) WERROR=1 all unit helpers examples test-java benches $(B)/count/libixor.so
	$(build) $(variants)
	$(build) WERROR=1 mpi
	@make/deps.sh install tools || echo "make: continuing without Maven or Gradle" >&2
	@tests/run.sh $(TESTS)

# At the same time: none of them leaves a processor idle while it starts, or ends with one long step.
variants := check-clang check-asan check-tsan
.PHONY: $(variants)
check-clang:
	+@$(MAKE) VARIANT=clang $(kernels:%.c=build/clang/obj/%.o) \
	    $(fuzzers:$(B)/fuzz/%=build/clang/obj/tests/fuzz/%.o)
check-asan:
	+@$(MAKE) VARIANT=asan all unit fuzzers
check-tsan:
	+@$(MAKE) $(tsan) $(addprefix build/tsan/tests/test_,agent_coverage agent_link agent_link_ends \
	    agent_places agent_thrown agent_waits roxi_workers roxi_load_parallel server_http \
	    server_service server_control server_udp_batch server_catalogue_writer)

# Without Open MPI, tests and the bench that need it are skipped. On two lines, because make -n runs
# a line that contains a make.
mpi:
	@make/deps.sh install mpi || { rm -f build/mpi/roxi; echo "make: continuing without Open MPI" >&2; }
	@if make/deps.sh check mpi 2>/dev/null; then $(MAKE) $(parallel) build/mpi/roxi; fi

# Interesting inputs are added to a copy of the corpus in build/.
FUZZ_SECONDS ?= 60
fuzz: deps-check ## runs each fuzzer for FUZZ_SECONDS=60
	$(build) VARIANT=fuzz fuzzers
	@tests/fuzz/run.sh $(FUZZ_SECONDS)

STRESS_SECONDS ?= 3000
long_forms := roxi_load_parallel server_catalogue_writer
stress: deps-stress ## long forms of the tests, for about STRESS_SECONDS=3000
	$(build) all helpers test-java $(B)/count/libixor.so
	$(build) VARIANT=clang all
	$(build) VARIANT=asan build/asan/libixor.so $(addprefix build/asan/tests/test_,server_allocation \
	    roxi_engine_compare $(long_forms))
	$(build) $(tsan) $(addprefix build/tsan/tests/test_,$(long_forms))
	@tests/stress/run.sh $(STRESS_SECONDS)

bench: deps-bench ## measures; see bench/RESULTS.md
	$(build) all benches examples test-java mpi $(B)/helpers/simulate
	@bench/run.sh

install: all ## PREFIX=/usr/local DESTDIR= LIBDIR= and so on: programs, agent, manual pages, completion
	install -D -m 755 $(B)/ixor $(B)/roxi -t "$(DESTDIR)$(BINDIR)"
	install -D -m 644 $(B)/libixor.so -t "$(DESTDIR)$(LIBDIR)"
	if [ -f $(B)/ixor-junit.jar ]; then \
	    install -D -m 644 $(B)/ixor-junit.jar -t "$(DESTDIR)$(JAVADIR)"; \
	fi
	install -D -m 644 man/*.1 -t "$(DESTDIR)$(MANDIR)/man1"
	install -D -m 644 man/*.7 -t "$(DESTDIR)$(MANDIR)/man7"
	for program in ixor roxi; do \
	    install -D -m 644 packaging/completion/ixor.bash "$(DESTDIR)$(BASH_COMPLETIONS)/$$program" && \
	    install -D -m 644 packaging/completion/ixor.zsh "$(DESTDIR)$(ZSH_COMPLETIONS)/_$$program" || exit; \
	done

uninstall: ## removes what install wrote, with the same settings
	rm -f "$(DESTDIR)$(LIBDIR)/libixor.so" "$(DESTDIR)$(JAVADIR)/ixor-junit.jar"
	for program in ixor roxi; do \
	    rm -f "$(DESTDIR)$(BINDIR)/$$program" "$(DESTDIR)$(BASH_COMPLETIONS)/$$program" \
	        "$(DESTDIR)$(ZSH_COMPLETIONS)/_$$program"; \
	done
	for page in $(notdir $(wildcard man/*.[17])); do \
	    rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$$page"; \
	done

dist: ## build/ixor-VERSION.tar.gz: the sources of HEAD, which build without git
	@packaging/dist.sh $(VERSION)

deb: deps-deb ## build/deb: Debian packages of HEAD
	@packaging/deb.sh $(VERSION)

# In the root, where tools look for it.
compile_commands.json: FORCE | needs-build $(B)/gen/catalogue_sql.h $(B)/gen/rules_text.h $(B)/gen/peers.h $(pages) ## for editors and clang-tidy
	@$(MAKE) -nB V=1 all unit helpers benches | make/compile_commands.sh >$@.new; $(if_changed)

# LINTERS='tidy shell' runs only these.
LINTERS ?= format tidy cppcheck shell
lint: compile_commands.json ## clang-format, clang-tidy, cppcheck, shellcheck
	@make/deps.sh install lint
	@make/lint.sh $(LINTERS)

# On one JDK; includes the agent in the tests' JVMs.
coverage: deps-check ## lines and branches that the tests reach, by folder
	@make/deps.sh install coverage
	$(build) all helpers examples test-java benches $(B)/count/libixor.so
	$(build) VARIANT=coverage all unit helpers
	@make/coverage.sh

clean: ## removes build
	rm -rf build
