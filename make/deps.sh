#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian packages for a purpose: deps.sh check|install|list PURPOSE.
#   check    fails if packages are missing, with their names and the one command that installs them
#   install  installs what is missing if run as root or if sudo needs no password; otherwise like
#            check
#   list     prints one package per line
# Tests that need the packages for mpi, tools and peers are skipped without them; those for peers are large.
here=$(dirname "$0")

curator='libcurator-test-java libcurator-recipes-java libcurator-framework-java libcurator-client-java junit5'
tools='maven libsurefire-java libmaven-compiler-plugin-java libmaven-resources-plugin-java gradle'
build='gcc make libc6-dev pkg-config libevent-dev libsqlite3-dev libxxhash-dev libjansson-dev zlib1g-dev
    libpcre2-dev libexpat1-dev libzstd-dev libssl-dev'
case $2 in
build) want=$build ;;
junit) want="$build junit5" ;;
demo) want="$build procps" ;;
examples) want="$build libzookeeper-java $curator" ;;
casestudy) want="$build procps sqlite3 jq util-linux xz-utils libzookeeper-java $curator" ;;
check | stress) want="$build procps clang libclang-rt-dev libomp-dev libcmocka-dev sqlite3 jq curl man-db git iproute2
        openssl libjacoco-java libxml2-utils libzookeeper-java $curator util-linux xz-utils" ;;
mpi) want="$build libopenmpi-dev openmpi-bin" ;;
bench) want="$build procps sqlite3 jq time libhsqldb-java libzookeeper-java $curator python3-scipy
        libparasail-dev libedlib-dev" ;;
peers) want="python3-scipy r-base-core graphviz protobuf-compiler python3-jsonschema
        libparasail-dev libedlib-dev chromium chromium-driver zsh $tools" ;;
tools) want=$tools ;;
lint) want="$build clang clang-tidy clang-format cppcheck shellcheck libcmocka-dev git" ;;
coverage) want="$build gcovr jq git" ;;
fresh) want='debootstrap util-linux git' ;;
deb) want="build-essential $build junit5 libcmocka-dev procps debhelper lintian" ;;
*) want= ;;
esac
case $2 in # examples/shop
examples | casestudy | check | stress | bench)
    want="$want libderby-java libderbyclient-java libjetty9-java libservlet-api-java" ;;
esac
case $1:$want in
check:?* | install:?*) ;;
list:?*) echo "$want" | xargs -n 1; exit 0 ;;
*) echo "usage: deps.sh check|install|list" \
    "build|junit|demo|examples|casestudy|check|bench|stress|mpi|tools|peers|lint|coverage|fresh|deb" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null || {
    echo "deps.sh: this is not a Debian system; please install the equivalents of: $want" >&2
    echo "deps.sh: continuing; a missing one causes a compiler error" >&2
    exit 0
}

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for package in $want; do
    installed "$package" || missing="$missing $package"
done
if ! "$here/jdk.sh" >/dev/null; then
    # Installing a package would not help: it would only change the system's JDK.
    [ -z "$JAVA_HOME" ] || {
        echo "make: JAVA_HOME is '$JAVA_HOME', which is no JDK (no bin/javac or no" \
            "include/jvmti.h); set it to a JDK 17 or later, or unset it" >&2
        exit 1
    }
    missing="$missing openjdk-17-jdk-headless"
fi
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    sudo=
    may=yes
else
    sudo='sudo '
    may=$(command -v sudo >/dev/null && sudo -n true 2>/dev/null && echo yes)
fi
if [ "$1" = check ] || [ -z "$may" ]; then
    # Before the first apt-get update, apt knows no packages.
    lists=$(find /var/lib/apt/lists -name '*Packages*' 2>/dev/null | head -n 1)
    echo "make: packages are missing; install them with this command and run make again:" >&2
    echo "    $([ -n "$lists" ] || echo "${sudo}apt-get update && ")${sudo}apt-get install -y" \
        "--no-install-recommends$missing" >&2
    exit 1
fi

echo "make: installing$missing" >&2
apt() {
    # shellcheck disable=SC2086 # $sudo is none or one word
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2
}
# shellcheck disable=SC2086 # $missing is a list of words
apt install -y --no-install-recommends $missing ||
    { apt update && apt install -y --no-install-recommends $missing; } || {
    echo "make: could not install$missing; see apt-get's message above" >&2
    exit 1
}
