#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own build
# no JVM
# make as distributions use it: the user's compiler and flags are honoured, uninstall removes what
# install writes, help lists all targets, and building installs no package. The package manager is a
# stand-in that only records its calls.
. tests/support/lib.sh
export MAKEFLAGS=

# ---- flags ----

printf '#!/bin/sh\necho "$@" >>"%s/cc"\nexec gcc "$@"\n' "$T" >"$T/my-cc"
chmod +x "$T/my-cc"
one=obj/schema/base/grow.o
calls() { make -n V=1 B="$T/b" "$T/b/$one" "$@" | grep -- ' -c '; }
check "the compiler from the command line" make -s B="$T/b" CC="$T/my-cc" CFLAGS='-O1 -g0' \
    CPPFLAGS=-DMINE "$T/b/$one"
has "its flags: the user's and ours" '-DMINE .*-O1 -g0 .*-std=c17 -fPIC' "$T/cc"
same "no flag for optimising but the user's" 1 "$(grep -cE -- ' -O1 ' "$T/cc")"
same "and none of ours" 0 "$(grep -cE -- ' -O2 ' "$T/cc")"
same "the same again makes nothing" "" "$(make -s B="$T/b" CC="$T/my-cc" CFLAGS='-O1 -g0' \
    CPPFLAGS=-DMINE "$T/b/$one" && sed 1d "$T/cc")"
check "other flags" make -s B="$T/b" CC="$T/my-cc" CFLAGS=-O0 "$T/b/$one"
has "make it anew" '-O0' "$T/cc"
CC=mine CFLAGS=-Og CPPFLAGS=-DTHEIRS calls >"$T/env"
has "from the environment as well" '^mine .*-DTHEIRS .*-Og' "$T/env"
calls >"$T/plain"
has "without: gcc -O2 -g" '^gcc .*-O2 -g ' "$T/plain"
same "warnings are no errors" 0 "$(grep -c Werror "$T/plain")"
calls WERROR=1 >"$T/werror"
has "but where tests are run" -Werror "$T/werror"
make -n V=1 B="$T/b" LDFLAGS=-Wl,-z,now "$T/b/ixor" "$T/b/libixor.so" "$T/b/tests/test_agent_names" |
    sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' | grep -E -- ' -o [^ ]*(ixor|libixor.so|test_agent_names) ' >"$T/link"
same "LDFLAGS wherever something is linked" 3 "$(grep -c -- '-z,now' "$T/link")"
has "beside our own" '-z,now .*--wrap=calloc' "$T/link"

# ---- install, uninstall ----

# These are built: B is the build under test.
check "install" make -s install B="$B" DESTDIR="$T/a b" PREFIX=/usr
# The jar is built where JUnit is installed.
jar=$([ ! -f "$B/ixor-junit.jar" ] || echo "share/java/ixor-junit.jar ")
same "where things go" "bin/ixor bin/roxi lib/libixor.so share/bash-completion/completions/ixor \
share/bash-completion/completions/roxi ${jar}share/man/man1/ixor.1 share/man/man1/roxi.1 \
share/zsh/site-functions/_ixor share/zsh/site-functions/_roxi" \
    "$(cd "$T/a b/usr" && find . -type f | sed 's,^\./,,' | grep -vE 'man7/|man1/.*-' | sort | xargs)"
same "all man pages" "$(cd man && ls ./*.[17] | wc -l)" "$(find "$T/a b/usr/share/man" -type f | wc -l)"
check "they run there" "$T/a b/usr/bin/roxi" --version
if [ -n "$jar" ]; then
    (cd "$T" && "$JAVA_HOME/bin/jar" --extract --file "$T/a b/usr/$(xargs <<<"$jar")" META-INF/maven)
    version=$("$T/a b/usr/bin/roxi" --version)
    same "the jar's coordinates are ours" "/project/groupId=ixor /project/version=${version#roxi }" "$(
        for name in groupId version; do
            echo "/project/$name=$(xmllint --xpath "string(//*[local-name()='project']/*[local-name()='$name'])" \
                "$T/META-INF/maven/ixor/ixor-junit/pom.xml")"
        done | xargs)"
else
    skip "JUnit is not installed: no jar to look into"
fi
echo theirs >"$T/a b/usr/bin/other"
check "uninstall" make -s uninstall DESTDIR="$T/a b" PREFIX=/usr
same "leaves what is not ours" "$T/a b/usr/bin/other" "$(find "$T/a b" ! -type d)"

# The same as the Debian packages do it: each file is in one package, and ixor finds its agent.
sed -n 's/^\tdh_auto_install .* -- //p; s/^\t    \([A-Z_]*=\)/\1/p' packaging/debian/rules | tr -d '\\' >"$T/settings"
read -ra settings <<<"$(xargs <"$T/settings")"
check "debian/rules has settings" test ${#settings[@]} -ge 3
check "install in directories of their own" make -s install B="$B" DESTDIR="$T/deb" "${settings[@]}"
same "each file is in one package" "$(cd "$T/deb" && find . -type f | sed 's,^\./,,' | sort)" \
    "$(cat packaging/debian/*.install | { [ -n "$jar" ] && cat || grep -v '\.jar$'; } | sort)"
# shellcheck disable=SC2016 # expanded by the command's shell
"$T/deb/usr/bin/ixor" run --out "$T/camp" -- sh -c 'echo "$JAVA_TOOL_OPTIONS"' >"$T/out" 2>&1
has "ixor finds its agent there" "agentpath:$T/deb/usr/lib/ixor/libixor.so=" "$T/camp/runs/run0001/output.txt"
check "uninstall from there" make -s uninstall DESTDIR="$T/deb" "${settings[@]}"
same "leaves nothing" "" "$(find "$T/deb" ! -type d)"
same "debian/control needs what make deps does" \
    "$({ make/deps.sh list build; make/deps.sh list junit; echo libcmocka-dev; } |
        grep -vxE 'gcc|make|libc6-dev' | sort -u)" \
    "$(sed -n '/^Build-Depends:/,/^[^ B]/p' packaging/debian/control | grep -oE '[a-z][a-z0-9.+-]+' |
        grep -E '^(lib.*-dev|junit5|pkg-config|zlib1g-dev)$' | sort -u)"

# ---- help ----

make help >"$T/help"
for target in all check demo deps install uninstall dist deb lint coverage compile_commands.json clean; do
    has "help has $target" "^    make $target  " "$T/help"
done

# ---- packages ----

mkdir "$T/bin"
for name in apt-get sudo; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/called"\n' $name "$T" >"$T/bin/$name"
    chmod +x "$T/bin/$name"
done
# One package is missing.
printf '#!/bin/sh\ncase $* in *jansson*) echo not-installed ;; *) echo installed ;; esac\n' \
    >"$T/bin/dpkg-query"
chmod +x "$T/bin/dpkg-query"
# shellcheck disable=SC2031
PATH=$T/bin:$PATH
for target in all install; do
    make -s B="$T/p" DESTDIR="$T/p" $target >"$T/out" 2>"$T/err"
    same "$target stops" 2 $?
    has "$target: the command that installs it" \
        '^    .*apt-get install -y --no-install-recommends libjansson-dev$' "$T/err"
    same "$target: one command" 1 "$(grep -c '^    ' "$T/err")"
    check "$target: nothing is installed" test ! -e "$T/called"
    check "$target: nothing is compiled" test ! -e "$T/p/obj"
done
make -n mpi >"$T/out" 2>&1
check "make -n installs nothing" test ! -e "$T/called"
make -s deps-build >"$T/out" 2>"$T/err"
has "make deps-build installs it" 'apt-get .*install -y --no-install-recommends libjansson-dev' \
    "$T/called" "$T/err"
