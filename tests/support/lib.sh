# SPDX-License-Identifier: Apache-2.0
# Sourced by every end-to-end test. tests/run.sh calls a test in the project's root with
#   B          the build directory of ixor and roxi under test (build, build/asan)
#   JAVA_HOME  the JDK under test
#   FIRST_JDK  the first of the JDKs, on which tests for one JDK run
#   JAVA_CLASSES  the classes of tests/java, built with that JDK
#   T          an empty directory of its own, removed afterwards
# and counts the lines "ok ...", "not ok ..." and "skip ..." on stdout.
set -u
IXOR=$PWD/$B/ixor
ROXI=$PWD/$B/roxi
AGENT=$PWD/${AGENT_BUILD:-build}/libixor.so # an instrumented one does not load into a plain java
JAVA=$JAVA_HOME/bin/java

# A campaign's server may be writing, or may have just ended and be folding up its log of changes.
sqlite3() { command sqlite3 -cmd '.timeout 10000' "$@"; }

ok() { printf 'ok %s\n' "$*"; }
not_ok() { printf 'not ok %s\n' "$*"; }
skip() { printf 'skip %s\n' "$*"; } # what cannot be checked on this machine, and why

# check DESCRIPTION COMMAND...: ok if the command succeeds. Its output is shown if it does not.
check() {
    local what=$1 out
    shift
    if out=$("$@" 2>&1); then
        ok "$what"
    else
        not_ok "$what"
        printf '# %s\n' "$* failed:" >&2
        printf '%s\n' "$out" | head -n 40 | sed 's/^/#   /' >&2
    fi
}

# same DESCRIPTION WANT GOT
same() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1"
        printf '# want: %s\n# got:  %s\n' "$2" "$3" | head -n 40 >&2
    fi
}

# has DESCRIPTION PATTERN FILE: the file matches an extended regular expression
has() { check "$1" grep -Eq -- "$2" "$3"; }

# pause SECONDS: yields time to others inside a polling loop, without starting a process. It reads from a pipe
# into which nobody writes.
pause() {
    [ -n "${silent_pipe:-}" ] || exec {silent_pipe}<> <(:)
    read -r -t "$1" -u "$silent_pipe" _ || true
}

# wait_for SECONDS COMMAND...: repeats the command until it succeeds. SECONDS is what a slow machine takes;
# it fails after three times as long, as processes of a loaded one can stand still for seconds. What takes
# longer is asked less often: each time takes processor time from what it waits for.
wait_for() {
    local end=$((SECONDS + 3 * $1)) tries=0
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        tries=$((tries + 1))
        if [ $tries -le 10 ]; then
            pause 0.05
        elif [ $tries -le 20 ]; then
            pause 0.1
        else
            pause 0.2
        fi
    done
}

# first_jdk: this is the first of the JDKs on which the test runs. Where the rest of a test does not depend on
# the JVM: first_jdk || exit 0
first_jdk() { [ "$JAVA_HOME" = "${FIRST_JDK:-$JAVA_HOME}" ]; }
