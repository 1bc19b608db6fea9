# SPDX-License-Identifier: Apache-2.0
# beside others
# Logs are right whether stops are for all threads or only for those that may have run.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# known NAME: from the first packet with all 48 parkers and interrupted threads to the last such one,
# each of them is in each packet; prints the share of those that are not, which is that of the unknown.
# After the last one the JVM ends, and threads go.
known() {
    awk -F'\t' '
        $1 == "packet" { judge(); there = 0 }
        $1 == "thread" && $3 ~ /^(parker|interrupted)-/ { there++ }
        function judge() {
            whole = whole || there == 48
            if (!whole) return
            packets++
            missing += 48 - there
            if (there == 48) { all = packets * 48; unknown = missing }
        }
        END {
            judge()
            printf "%d of %d unknown (%.4f %%)\n", unknown, all, (all > 0 ? unknown * 100 / all : 100)
            exit !(all >= 20 * 48 && unknown * 1000 < all)
        }' "$T/$1.txt"
}

walks mixed-changed walk=changed 3 200 Mixed 0
check "mixed-changed: nobody is unknown at any instant: $(known mixed-changed)" known mixed-changed
walks churn walk=changed 5 100 Churn 0
# Virtual threads would be walked by a list, with all others.
walks all walk=all,virtual=off 20 30 Mixed 0
same "all: no stop is for some threads" 0 "$(operations all GetThreadListStackTraces)"
check "all: one stop a packet" [ "$(operations all GetAllStackTraces)" -ge \
    "$(count_of '^taken' "$T/all.beat")" ]

# Some 20 threads with few frames: nobody is worth asking about.
walks small walk=changed,virtual=off 20 30 Crowd 11 0 100
same "small: no stop is for some threads" 0 "$(operations small GetThreadListStackTraces)"

# Few descriptors: the JVM keeps a quarter's limit, the rest of the threads is walked, nothing else.
ulimit -S -n 64
walks few walk=changed,log="$T/few.ixl" 20 60 -XX:-MaxFDLimit Mixed 0
# From the first packet with all threads to the last such one; while the JVM ends, threads go.
same "few descriptors: no stack is lost" "" "$(awk -F'\t' '
    $1 == "packet" && $7 >= 60 { printf "%s", lost; lost = ""; whole++ }
    $1 == "packet" && $7 < 60 && whole { lost = lost $0 "\n" }
    END { if (whole < 30) print "only " whole + 0 " packets with 60 threads" }' "$T/few.txt")"
