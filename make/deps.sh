#!/bin/sh
# Makes sure that the Debian packages for a purpose are there: deps.sh PURPOSE.
# Installs what is missing when run by root or where sudo asks for no password; else prints the
# one command that does, and fails. Those for the purposes mpi and peers are large, and the tests that
# want them say so where they are not there.
here=$(dirname "$0")

build='gcc make libc6-dev pkg-config libevent-dev libsqlite3-dev libxxhash-dev libjansson-dev zlib1g-dev libssl-dev'
case $1 in
build) want=$build ;;
demo) want="$build procps" ;;
examples) want="$build libzookeeper-java" ;;
casestudy) want="$build procps sqlite3 jq util-linux xz-utils libzookeeper-java" ;;
check | stress) want="$build procps clang libclang-rt-dev libomp-dev libcmocka-dev sqlite3 jq curl man-db git iproute2
        openssl libjacoco-java libxml2-utils libzookeeper-java util-linux xz-utils" ;;
mpi) want="$build libopenmpi-dev openmpi-bin" ;;
bench) want="$build procps sqlite3 jq time libhsqldb-java libzookeeper-java python3-scipy
        libparasail-dev libedlib-dev" ;;
peers) want="python3-scipy r-base-core graphviz protobuf-compiler python3-jsonschema
        libparasail-dev libedlib-dev chromium chromium-driver" ;;
*) echo "usage: deps.sh build|demo|examples|casestudy|check|bench|stress|mpi|peers" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null || {
    echo "deps.sh: this is not a Debian system; please install the equivalents of: $want" >&2
    echo "deps.sh: going on; a missing one will show as a compiler error" >&2
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
    # No package could mend that; installing one would only change the system's JDK.
    [ -z "$JAVA_HOME" ] || {
        echo "make: JAVA_HOME is '$JAVA_HOME', which is no JDK (no bin/javac or no" \
            "include/jvmti.h); let it name one from 17 on, or unset it" >&2
        exit 1
    }
    missing="$missing openjdk-17-jdk-headless"
fi
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo='sudo -n'
else
    echo "make: packages are missing; install them with this command and run make again:" >&2
    echo "    apt-get install$missing        (as root)" >&2
    exit 1
fi

echo "make: installing$missing" >&2
apt() {
    # shellcheck disable=SC2086 # $sudo and $missing are lists of words
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2
}
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing ||
    { apt update && apt install -y --no-install-recommends $missing; } || {
    echo "make: could not install$missing; see apt-get's message above" >&2
    exit 1
}
