# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of ixor, after lib.sh: a server, and queries of the catalogue of its campaign
# $camp.
# shellcheck shell=bash

# sql QUERY: works while a server writes, too
sql() { sqlite3 -batch -cmd '.timeout 5000' "$camp/campaign.db" "$1" 2>/dev/null; }
# is VALUE QUERY; at_least N QUERY
is() { [ "$(sql "$2")" = "$1" ]; }
at_least() { [ "$(sql "$2")" -ge "$1" ]; }

# serve_on ADDRESS [OPTION...]: starts a server for $camp; sets $server, its process id, and
# $address, where it listens. Its output is in $T/out and $T/err.
serve_on() {
    local listen=$1
    shift
    : >"$T/out"
    "$IXOR" serve --out "$camp" --listen "$listen" "$@" >"$T/out" 2>>"$T/err" &
    server=$!
    # The last line printed at the start tells how to connect a JVM.
    wait_for 60 grep -q -e '^  ' -e '^with key=FILE' "$T/out"
    address=$(sed -n 's/^listening on //p' "$T/out")
}

# resident: memory of the server in KiB
resident() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status"; }

# none_left: no process of the test has "never" in its command line. The bracket keeps this pattern
# from matching itself.
none_left() { ! pgrep -f "$T/[n]ever"; }
