# SPDX-License-Identifier: Apache-2.0
# beside others
# A campaign over two JVMs whose threads are stopped at known depths and lines: for the same packet,
# each log, and what roxi reads from it, equals Java's own stack traces, line by line.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

camp=$T/camp
sql() { sqlite3 -batch "$camp/campaign.db" "$1"; }
log_path() { echo "$camp/$(sql "select log from vm where role = '$1'")"; }

# The threads of packet $2 in the log of role $1, without descriptors and hidden classes' frames, which
# Java does not always show.
log_side() {
    "$LOGCAT" "$(log_path "$1")" | awk -F'\t' -v packet="$2" '
        $1 == "thread" && $2 == packet && $5 == "Parkers" { print $3 "\t" $11 }' |
        sed -E -e 's/ [^ ]*\$\$Lambda[^ ]*//g' -e 's/\([^ ]*:(-?[0-9]+)( |$)/:\1\2/g' | sort
}
java_side() { sed -n 's/^expect\t//p' "$T/$1.out" | sed -E 's/ [^ ]*\$\$Lambda[^ ]*//g' | sort; }
ready() { grep -q '^ready' "$T/Left.out" && grep -q '^ready' "$T/Right.out"; }

# The first packet that both JVMs took, and reported, after $SINCE.
common() {
    sql "select min(packet) from (select packet from snapshot where begin_ns > $SINCE
        group by packet having count(*) = 2)" | grep .
}

mkfifo "$T/in"
cat >"$T/system.sh" <<END
exec 8<>"$T/in"
for role in Left Right; do
    IXOR_ROLE=\$role "$JAVA" -XX:MaxJavaStackTraceDepth=10000 -cp "$JAVA_CLASSES" Parked \
        <"$T/in" >"$T/\$role.out" 8>&- &
done
exec 8>&-
wait
END
exec 8<>"$T/in" # the JVMs end when this does
"$IXOR" run --every 25ms --out "$camp" --agent "$AGENT" -- bash "$T/system.sh" \
    >"$T/out" 2>"$T/err" 8>&- &
ixor=$!
check "all threads of both JVMs are parked" wait_for 30 ready
SINCE=$(date +%s%N)
check "both take the same packets" wait_for 20 common
P=$(common)
exec 8>&-
wait $ixor
same "the run passes" 0 $?

for role in Left Right; do
    same "$role: every frame and line is what Java says" "$(java_side $role)" "$(log_side $role "$P")"
    same "$role: eleven threads were compared" 11 "$(log_side $role "$P" | wc -l)"
    "$ROXI" dump --packet "$P" "$(log_path $role)" >"$T/dump"
    same "$role: roxi dump has the deep ones, too" 5001 "$(awk '/^"/ { deep = /^"deep 5000"/ }
        deep && /^    at Parked\.descend\(/' "$T/dump" | wc -l)"
done
check "the JVMs are two" test "$(log_path Left)" != "$(log_path Right)"
