# SPDX-License-Identifier: Apache-2.0
# beside others
# Virtual threads (JDK 21 and later): each appears in a snapshot with its own name and stack, and
# the number of those not in the snapshot is right.
#   VIRTUAL_PACKETS (default 40): how many packets are compared for each way of stopping, at most
#   100 a second.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
PACKETS=${VIRTUAL_PACKETS:-40}
WAIT=$((PACKETS / 5 + 60)) # seconds; it is a fraction where nobody else wants the cores
PARKED=100
TOTAL=$((PARKED + 2 * (PARKED / 10) + 7))
# Two are pinned and one computes for ever: the four that yield need carriers, too.
FIVE=-Djdk.virtualThreadScheduler.parallelism=5

# reached NAME: enough packets were taken since all stood
reached() {
    awk -v want="$PACKETS" 'FNR == NR { if ($1 == "ready") ready = $2; next }
        $1 == "taken" { sub("mono=", "", $7); n += $7 + 0 > ready + 0 }
        END { exit !(n >= want) }' "$T/$1.out" "$T/$1.beat"
}

# sample NAME OPTIONS [JVM-OPTION]... CLASS ARG...: the log of a JVM with threads that stand
sample() {
    local name=$1 options=$2
    shift 2
    beat_start "$name" --every 10 --once
    jvm_start "$name" "$options" -Xcheck:jni $FIVE "$@"
    check "$name: all threads stand" wait_for 60 grep -q '^ready' "$T/$name.out"
    check "$name: $PACKETS packets are taken then" wait_for "$WAIT" reached "$name"
    jvm_finish
    same "$name: the program's exit status" 0 $?
    wait "$BEAT_PID"
    same_packets "$name: the log has the packets that were reported" "$name" "$name"
    same "$name: the log is valid" "" "$(cat "$T/$name.txt.err")"
}

# judged NAME: every virtual thread's line of the packets in which all stood against what the program
# says of it: "wrong ..." lines, then for each packet "packet NUMBER SHOWN HIDDEN KIND=COUNT..."
# (HIDDEN "?": the log has no number). SHOWN and KIND are of the threads that stand, not of the
# short ones.
judged() {
    awk -F'\t' '
        function wrong(why) { print "wrong " $2 " " why ": " $3 " " $11 }
        FNR == NR {
            if (split($0, w, " ") == 4 && w[1] == "thread") {
                kind[w[2]] = w[3]
                number[w[2]] = w[4]
            }
            if (w[1] == "ready" || w[1] == "over") time[w[1]] = w[2]
            next
        }
        $1 == "packet" {
            # Not the first packet after that: its list of threads may be from before.
            stood = last > time["ready"] + 0 && $3 + $5 < time["over"] + 0
            last = $3
            if (stood) packets[++n] = $2
            hidden[$2] = "?"
        }
        $1 == "virtual" { hidden[$2] = $3 }
        $1 != "thread" || !stood { next }
        $12 == "platform" {
            if ($11 ~ /VirtualThread\.run\(/) wrong("a carrier with its thread'"'"'s frames")
            if ($10 in kind) wrong("a virtual thread that is not marked")
            next
        }
        {
            if ($5 != "VirtualThreads") wrong("another group")
            if (($2, $10) in seen) wrong("twice")
            seen[$2, $10] = 1
            frames = " " $11
            downs = gsub(/ Virtual\.down\(/, "&", frames)
            if (!($10 in kind)) {
                short[$2]++
                if (downs || frames ~ / Virtual\.(parked|waiting|pinned|busy|yielding)\(/)
                    wrong("a stack of another")
                if ($3 != "" && $3 !~ /^short-/) wrong("a name of another")
                next
            }
            k = kind[$10]
            shown[$2]++
            count[$2, k]++
            if ($3 != (k == "unnamed" ? "" : k "-" number[$10])) wrong("a name of another")
            if (downs != number[$10] % 7 + 1) wrong(downs " times down, not " number[$10] % 7 + 1)
            if (gsub(" Virtual\\." k "\\(I\\)V:", "&", frames) != 1) wrong("not in its own method")
            if (frames !~ / java\.lang\.VirtualThread\.run\(Ljava\/lang\/Runnable;\)V:/)
                wrong("does not begin at VirtualThread.run")
            if (k == "pinned" && frames !~ "Virtual.Pinned" number[$10] "\\.<clinit>")
                wrong("another initializer")
        }
        END {
            for (i = 1; i <= n; i++) {
                p = packets[i]
                line = "packet " p " " shown[p] + 0 " " hidden[p]
                for (id in kind) kinds[kind[id]] = 1
                for (k in kinds) line = line " " k "=" count[p, k] + 0
                print line " short=" short[p] + 0
            }
        }' "$T/$1.out" "$T/$1.txt" >"$T/$1.judged"
    check "$1: there are packets to judge" [ "$(grep -c '^packet' "$T/$1.judged")" -ge $((PACKETS * 8 / 10)) ]
    same "$1: every stack and name is its own" "" "$(grep '^wrong' "$T/$1.judged" | head -n 3)"
}

# packets NAME CONDITION: how many packets it holds for; s and h: shown, hidden
packets() {
    sed -n 's/^packet //p' "$T/$1.judged" |
        awk "{
                s = \$2
                h = \$3
                for (i = 4; i <= NF; i++) { split(\$i, a, \"=\"); c[a[1]] = a[2] }
            }
            $2 { n++ }
            END { print n + 0 }"
}
# nearly_all NAME CONDITION: shows the packets if it is not so
nearly_all() {
    [ "$(packets "$1" "$2")" -ge $(($(packets "$1" 1) * 8 / 10)) ] ||
        { grep '^packet' "$T/$1.judged"; return 1; }
}

# whole NAME OPTIONS [JVM-OPTION]...: tracked, nobody comes or goes: exactly all in each packet
whole() {
    local name=$1 options=$2
    shift 2
    sample "$name" "virtual=tracked,$options" "$@" Virtual $PARKED
    judged "$name"
    same "$name: shown and hidden ones are all that live, in every packet" 0 \
        "$(packets "$name" "s + h != $TOTAL")"
    [ "$(packets "$name" "s + h != $TOTAL")" = 0 ] || grep '^packet' "$T/$name.judged" >&2
    check "$name: $(packets "$name" "s == $TOTAL") packets of $(packets "$name" 1) show them all" \
        nearly_all "$name" "s == $TOTAL"
    quiet "$name: -Xcheck:jni is silent" "$T/$name.out" "$T/$name.err"
}

# JDK 17: the options are known, and there is nothing to show.
beat_start none --every 10 --once
jvm none virtual=tracked -Xcheck:jni $FIVE Virtual 1 </dev/null
same "virtual=tracked: exit status" 0 $?
wait "$BEAT_PID"
quiet "virtual=tracked: -Xcheck:jni is silent" "$T/none.out" "$T/none.err"
if grep -q "^none" "$T/none.out"; then
    skip "this JVM has no virtual threads"
    exit 0
fi

sample mounted role=x Virtual $PARKED # the default
judged mounted
quiet "mounted: -Xcheck:jni is silent" "$T/mounted.out" "$T/mounted.err"
check "mounted: the pinned ones are shown" nearly_all mounted 'c["pinned"] == 2'
check "mounted: the one that computes is shown" nearly_all mounted 'c["busy"] == 1'
same "mounted: no more than carriers" 0 "$(packets mounted 's > 5')"
same "mounted: the number of the others is not known, and not in the log" 0 \
    "$(packets mounted 'h != "?"')"
has "mounted: the state of a pinned one is parked" $'^thread\t[0-9]*\tpinned-0\t.*\t291\t' \
    "$T/mounted.txt"

sample off virtual=off Virtual 10
same "off: no virtual thread" 0 "$(grep -c $'\tvirtual$' "$T/off.txt")"

whole tracked walk=all
WHOLE=$(awk -v all=$TOTAL '$1 == "packet" && $3 == all { print $2; exit }' "$T/tracked.judged")
whole tracked-z walk=all -XX:+UseZGC -Xmx128m
whole changed walk=changed
whole suspend stop=suspend
same "tracked: states of parked and sleeping ones" "291 2a1" \
    "$(awk -F'\t' -v p="$WHOLE" '$1 == "thread" && $2 == p && $3 ~ /^(parked|waiting)-3$/ {
        print $3, $9 }' "$T/tracked.txt" | sort | cut -d' ' -f2 | tr '\n' ' ' | sed 's/ $//')"

# More than there are places for: the rest is counted.
sample few virtual=tracked:20 Virtual $PARKED
judged few
same "few: shown and hidden ones are all that live" 0 "$(packets few "s + h != $TOTAL")"
same "few: twenty, and those on carriers" 0 "$(packets few '(s && s < 20) || s > 25')"

# Short ones all the time: those that stand are shown, nobody gets another's stack.
for way in "virtual=tracked" "virtual=tracked,walk=changed" "virtual=mounted,stop=suspend"; do
    sample churn "$way" Virtual $PARKED churn
    judged churn
    quiet "$way: -Xcheck:jni is silent" "$T/churn.out" "$T/churn.err"
    case $way in
    *tracked*)
        check "$way, churn: those that stand are shown" nearly_all churn "s == $TOTAL"
        ;;
    esac
    rm -f "$T"/churn.*
done

# walk=changed beside virtual threads: what would be reused is what a full walk finds.
beat_start verify --every 5 --once
jvm_start verify virtual=tracked,verify=on $FIVE Virtual $PARKED churn
check "verify: all threads stand" wait_for 60 grep -q '^ready' "$T/verify.out"
check "verify: packets are taken" wait_for "$WAIT" at_least "$PACKETS" '^taken' "$T/verify.beat"
jvm_finish
wait "$BEAT_PID"
same "verify: differences" 0 "$(sed -n 's/^ixor: verify: .* \([0-9]*\) mismatches.*/\1/p' \
    "$T/verify.err")"
check "verify: stacks are reused" [ "$(sed -n 's/^ixor: verify: .* \([0-9]*\) reused.*/\1/p' \
    "$T/verify.err")" -gt "$PACKETS" ]

# What reads the log gets along with threads without a name, and says who is virtual.
"$ROXI" dump "$T/tracked.ixl" --packet "$WHOLE" >"$T/dump" 2>"$T/dump.err"
check "roxi dump: named virtual threads" at_least 1 \
    '^"parked-3" #[0-9]+ start [0-9]+ group VirtualThreads prio 5 daemon virtual$' "$T/dump"
same "roxi dump: those without a name" $((PARKED / 10)) \
    "$(count_of '^"virtual-[0-9]+" #[0-9]+ .* virtual$' "$T/dump")"
same "roxi dump: all of them" $TOTAL "$(count_of ' virtual$' "$T/dump")"
