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
# taken N: each of them has taken N packets; taken_now: how many the one with the fewest has
taken_now() { for log in "\$IXOR_RUN_DIR"/*.ixl; do "$LOGCAT" "\$log" 2>/dev/null | grep -c '^packet'; done |
    sort -n | head -n 1; }
taken() { [ "\$(taken_now)" -ge "\$1" ]; }
# last: the highest packet that any of them has taken
last() { for log in "\$IXOR_RUN_DIR"/*.ixl; do "$LOGCAT" "\$log"; done 2>/dev/null |
    awk -F'\t' '\$1 == "packet" && \$2 > p { p = \$2 } END { print p + 0 }'; }
packets() { wait_for 60 taken \$((\$(taken_now) + \$1)); }
files() { for file; do [ -e "\$DIR/\$file" ] || return 1; done; }
for member; do
    IFS=: read -r name next how <<<"\$member"
    IXOR_ROLE=\$name "$JAVA" \$JVM_OPTIONS -cp "$JAVA_CLASSES" Chain "\$DIR" "\$HOST" \
        "\$name" "\$next" "\$how" "\$THREADS" &
    ready="\${ready-} \$name.ready"
    owns="\${owns-} \$name.owns"
    case \$how in slow | lose | lock | mutex) asked="\${asked-} \$name.asked" ;; esac
done
wait_for 60 files \$ready
[ "\$SEEN" = 0 ] || wait_for 60 seen "\$SEEN"
packets \${CALM_PACKETS:-5}
touch "\$DIR/go"
case \$* in *:lock* | *:mutex*) wait_for 60 files \$owns; touch "\$DIR/all" ;; esac
wait_for 60 files \$asked
packets 8
last >"\$DIR/from"
packets \${HANG_PACKETS:-20}
last >"\$DIR/to"
touch "\$DIR/stop"
wait
END

# hang NAME MEMBER...: a run of these, RUN (run0001) of the campaign NAME, and roxi's result
hang() {
    local name=$1 run=${RUN:-run0001}
    shift
    mkdir -p "$T/$name.dir"
    DIR=$T/$name.dir HOST=${HOST:-127.0.0.1} THREADS=${THREADS:-platform} SEEN=${SEEN:-0} \
        JVM_OPTIONS=${JVM_OPTIONS:-} "$IXOR" run --agent "$AGENT" --every 20ms --out "$T/$name" -- \
        bash "$T/run.sh" "$@" >"$T/$name.out" 2>&1
    same "$name: ixor run" 0 $?
    "$ROXI" waits "$T/$name" "$run" --json >"$T/$name.json" 2>"$T/$name.err"
    same "$name: roxi waits" 0 $?
    same "$name: without complaints" "" "$(cat "$T/$name.err")"
    FROM=$(cat "$T/$name.dir/from") TO=$(cat "$T/$name.dir/to")
    # A loaded machine loses packets: those of the hang that all JVMs have taken count.
    WHOLE=$(sqlite3 "$T/$name/campaign.db" "select json_group_array(packet) from (select packet
        from snapshot where packet > $FROM and packet <= $TO group by packet
        having count(*) = (select count(*) from vm join execution on execution = execution.id
        where execution.name = '$run'))")
    check "$name: there are packets of the hang" [ "$WHOLE" != '[]' ]
}

last_whole() { jq -rn --argjson whole "$WHOLE" '$whole | max'; }
# share NAME FILTER: in how many percent of these packets the filter is true
share() {
    jq -r --argjson whole "$WHOLE" "[.packets[] | select(.packet | IN(\$whole[])) | $2] |
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
