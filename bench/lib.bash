# SPDX-License-Identifier: Apache-2.0
# Sourced by bench/run.sh: functions that all tables share.
# shellcheck shell=bash disable=SC2154 # $work is a directory of run.sh
machine() {
    echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
        "$(nproc) cores, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)," \
        "Linux $(uname -r | cut -d- -f1)"
    echo "Built with $(gcc --version | head -n 1); $(date -u +%Y-%m-%d)"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
sql() { sqlite3 -batch "file:$1/campaign.db?mode=ro" "$2"; }
version() { "$1/bin/java" -version 2>&1 | sed -n '1s/[^"]*"\([^"]*\)".*/\1/p'; }

# run_logged COMMAND...: shows the output only if the command fails, which ends the bench.
run_logged() {
    "$@" >"$work/log" 2>&1 || { echo "bench: failed: $*" >&2; cat "$work/log" >&2; exit 1; }
}

# jcmd attaches with SIGQUIT, which ends a process that does not catch it yet (bit 2 of SigCgt).
takes_signals() { grep -q '^SigCgt:.*[4-7c-f]$' "/proc/$1/status" 2>/dev/null; }

# dump_often JDK PID EVERY: runs `jcmd PID Thread.print` every EVERY seconds, or as often as
# possible, until the JVM has ended. Prints how often.
dump_often() {
    local dumps=0
    until takes_signals "$2"; do kill -0 "$2" 2>/dev/null || return 0; done
    while kill -0 "$2" 2>/dev/null; do
        sleep "$3" &
        "$1/bin/jcmd" "$2" Thread.print >/dev/null 2>&1 && dumps=$((dumps + 1))
        wait $!
    done
    echo $dumps
}
