# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of roxi waits, after lib.sh: JVMs that hang together (tests/java/Chain.java).
# shellcheck shell=bash
LOGCAT=$PWD/$B/helpers/logcat
AGENT=$PWD/build/libixor.so

# run.sh NAME:NEXT:HOW...: the members of the system; waits until the agents have seen what there is to
# be seen before the hang, and says between which packets all hang
cat >"$T/run.sh" <<END
. tests/support/lib.sh
# seen N: in N of their logs a thread reads
seen() { [ "\$(for log in "\$IXOR_RUN_DIR"/*.ixl; do "$LOGCAT" "\$log" 2>/dev/null |
    grep -Ec -m 1 \$'^wait\t[0-9]*\t[0-9]*\tread'; done | grep -c 1)" -ge "\$1" ]; }
# taken_now: how many packets all of them have taken; taken N: as many
taken_now() { for log in "\$IXOR_RUN_DIR"/*.ixl; do "$LOGCAT" "\$log" 2>/dev/null |
    sed -n 's/^packet\t\([0-9]*\).*/\1/p'; done | sort | uniq -c | awk -v all=\$members '\$1 == all { n++ } END { print n + 0 }'; }
taken() { [ "\$(taken_now)" -ge "\$1" ]; }
# last: the highest packet that any of them has taken
last() { for log in "\$IXOR_RUN_DIR"/*.ixl; do "$LOGCAT" "\$log"; done 2>/dev/null |
    awk -F'\t' '\$1 == "packet" && \$2 > p { p = \$2 } END { print p + 0 }'; }
packets() { wait_for 60 taken \$((\$(taken_now) + \$1)); }
# top_says: what ixor top shows of the run that goes on; TOP is a filter of its JSON
top_says() { "$IXOR" top --json "\$IXOR_RUN_DIR/../.." >"\$DIR/top.json" && jq -e "\$TOP" "\$DIR/top.json" >/dev/null; }
files() { for file; do [ -e "\$DIR/\$file" ] || return 1; done; }
members=\$#
for member; do
    IFS=: read -r name next how <<<"\$member"
    IXOR_ROLE=\$name "$JAVA" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \$JVM_OPTIONS -cp "$JAVA_CLASSES" Chain "\$DIR" "\$HOST" \
        "\$name" "\$next" "\$how" "\$THREADS" "\$OVER" &
    ready="\${ready-} \$name.ready"
    owns="\${owns-} \$name.owns"
    case \$how in slow | lose | hand | lock | mutex) asked="\${asked-} \$name.asked" ;; esac
done
wait_for 60 files \$ready
[ "\$SEEN" = 0 ] || wait_for 60 seen "\$SEEN"
packets \${CALM_PACKETS:-5}
touch "\$DIR/go"
case \$* in *:lock* | *:mutex*) wait_for 60 files \$owns; touch "\$DIR/all" ;; esac
if [ -z "\${asked-}" ]; then # nobody will hang: a normal run
    touch "\$DIR/stop"
    wait
    exit
fi
wait_for 60 files \$asked
packets 8
last >"\$DIR/from"
[ -z "\${TOP-}" ] || wait_for 60 top_says
packets \${HANG_PACKETS:-20}
last >"\$DIR/to"
touch "\$DIR/stop"
wait
END

# whole NAME RUN WITHOUT: packets of the hang that all JVMs have taken, without these, as JSON
whole() {
    sqlite3 "$T/$1/campaign.db" "select json_group_array(packet) from (select packet from snapshot
        where packet > $FROM and packet <= $TO and packet not in ($3) group by packet having count(*) =
        (select count(*) from vm join execution on execution = execution.id where execution.name = '$2'))"
}

# members NAME MEMBER...: a run of these, of the campaign NAME
members() {
    local name=$1
    shift
    mkdir -p "$T/$name.dir"
    DIR=$T/$name.dir HOST=${HOST:-127.0.0.1} THREADS=${THREADS:-platform} OVER=${OVER:-socket} SEEN=${SEEN:-0} \
        JVM_OPTIONS=${JVM_OPTIONS:-} TOP=${TOP:-} "$IXOR" run --agent "$AGENT" --every 20ms --timeout 5m --out "$T/$name" -- \
        bash "$T/run.sh" "$@" >"$T/$name.out" 2>&1
    same "$name: ixor run" 0 $?
}

# hang NAME MEMBER...: a run of these in which some of them hang, RUN (run0001) of the campaign NAME, and roxi's
# result
hang() {
    local name=$1 run=${RUN:-run0001}
    members "$@"
    "$ROXI" waits "$T/$name" "$run" --json >"$T/$name.json" 2>"$T/$name.err"
    same "$name: roxi waits" 0 $?
    same "$name: without complaints" "" "$(cat "$T/$name.err")"
    FROM=$(cat "$T/$name.dir/from") TO=$(cat "$T/$name.dir/to")
    # A loaded machine loses packets, and time to look at connections: those of the hang that all JVMs have
    # taken count, and of these those with all that there was to see, if any.
    local partial
    partial=$(for log in "$T/$name/runs/$run"/*.ixl; do "$LOGCAT" "$log" 2>/dev/null; done |
        awk -F'\t' '$1 == "connections" && $3 >= 2 { print $2 }' | sort -un | paste -sd,)
    WHOLE=$(whole "$name" "$run" "${partial:-0}")
    [ "$WHOLE" != '[]' ] || WHOLE=$(whole "$name" "$run" 0)
    check "$name: there are packets of the hang" [ "$WHOLE" != '[]' ]
}

# last_where NAME FILTER: the last of these packets in which the filter is true. In one in which it finds nothing
# to look at it is not.
last_where() {
    jq -r --argjson whole "$WHOLE" "[.packets[] | select(.packet | IN(\$whole[])) | select(($2)? == true) |
        .packet] | max" "$T/$1.json"
}
# share NAME FILTER: in how many percent of these packets the filter is true
share() {
    jq -r --argjson whole "$WHOLE" "[.packets[] | select(.packet | IN(\$whole[])) | ($2)? // false] |
        if length == 0 then 0 else 100 * (map(select(. == true)) | length) / length | floor end" \
        "$T/$1.json"
}

# mostly NAME WHAT FILTER
mostly() {
    local percent
    percent=$(share "$1" "$3")
    check "$1: $2 in $percent % of the packets" [ "$percent" -ge "${HANG_PERCENT:-80}" ]
}
# never NAME WHAT FILTER
never() { same "$1: $2 in no packet" 0 "$(share "$1" "$3")"; }

# ---- what the programs know ----

# A joined end of roxi's result: a thread that waits for a connection, and what serves its other end.
# It is right if by its diary (Wire.java) that thread had this connection in use at some time between
# the first and the last instant at which one of the two JVMs stood for the packet; if roxi names only
# a JVM, that must listen on the port. Who connects waits for whoever accepts there. Connections that are
# in no diary do not count.
# shellcheck disable=SC2016 # awk's
COMPARE_ENDS='
    FILENAME == ".stops" { from[$1, $2] = $3; to[$1, $2] = $3 + $4; next }
    FILENAME == ".ports" { port[$1] = $2; next }
    FILENAME != ".claims" { # a diary; its name is the role
        key = FILENAME SUBSEP $3 SUBSEP $4 SUBSEP $5
        if ($2 == "+" && !open[key]) { begin[key, ++uses[key]] = $1; end[key, uses[key]] = 1e30 }
        open[key] += $2 == "+" ? 1 : open[key] > 0 ? -1 : 0
        if (!open[key]) end[key, uses[key]] = $1
        known[FILENAME, $4, $5] = 1
        at_port[FILENAME, $3, $4] = 1
        next
    }
    {
        if ($6 == "") next # outside, or a JVM that does not tell
        n = split($5, ends, " -> ")
        if (n == 2 && !known[$2, ends[1], ends[2]]) next
        count = split(ends[n], address, ":")
        at = $6 SUBSEP $1
        first = from[$2, $1]; last = to[$2, $1]
        if (at in from) { if (from[at] < first) first = from[at]; if (to[at] > last) last = to[at] }
        if (n == 1 || $7 == "?") {
            good = port[$6] == address[count] || known[$6, ends[2], ends[1]]
            jvms += good
        } else if ($4 == "connect") {
            good = at_port[$6, $7, ends[n]]
            threads += good
        } else {
            key = $6 SUBSEP $7 SUBSEP ends[2] SUBSEP ends[1]
            good = 0
            for (i = 1; i <= uses[key]; i++) good = good || (begin[key, i] <= last && end[key, i] >= first)
            threads += good
        }
        if (!good) { wrong++; print "# wrong: " $0 >"/dev/stderr" }
    }
    END { print threads + 0, jvms + 0, wrong + 0 }'

# joined NAME: sets THREAD_ENDS, JVM_ENDS and WRONG_ENDS: how many joined ends of the run are right and
# have a thread, are right and have a JVM only, and are wrong
joined() {
    local name=$1 log role dir=$T/$1.dir/ends
    mkdir -p "$dir"
    for log in "$T/$name/runs/${RUN:-run0001}"/*.ixl; do
        role=$("$LOGCAT" "$log" | awk -F'\t' '$1 == "meta" && $2 == "role" { print $3; exit }')
        "$LOGCAT" "$log" | awk -F'\t' -v OFS='\t' -v role="$role" '$1 == "packet" { print role, $2, $3, $5 }'
    done >"$dir/.stops"
    for file in "$T/$name.dir"/*.port; do
        printf '%s\t%s\n' "$(basename "$file" .port)" "$(cat "$file")"
    done >"$dir/.ports"
    for file in "$T/$name.dir"/*.diary; do cp "$file" "$dir/$(basename "$file" .diary)"; done
    jq -r '.packets[] | .packet as $packet |
        ((.chains[] | [.[:-1], .[1:]] | transpose), (.deadlocks[] | [., .[1:] + .[:1]] | transpose)) | .[] |
        select(.[0].why | IN("read", "write", "connect")) |
        [$packet, .[0].role, .[0].thread, .[0].why, .[0].via, .[1].role, .[1].thread // "?"] | @tsv' \
        "$T/$name.json" | sort -u >"$dir/.claims"
    read -r THREAD_ENDS JVM_ENDS WRONG_ENDS < \
        <(cd "$dir" && awk -F'\t' "$COMPARE_ENDS" .stops .ports [a-z]* .claims)
}
