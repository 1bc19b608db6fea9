# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# Wall clocks are set during a campaign, an hour ahead and back: the server's and a JVM's. Packets
# continue, clock offsets and skew stay the same, no JVM is taken for silent, and the times in the
# catalogue make sense.
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
JUMP=$PWD/build/helpers/libjump.so
# jump WHO SECONDS: its wall clock is so much ahead from now on; in place, as it is mapped
jump() { printf '%20d' "$2" 1<>"$T/$1.clock"; }
for who in server jumper steady; do jump $who 0; done
with_clock() { # with_clock WHO COMMAND...: its process is that of the command
    local who=$1
    shift
    LD_PRELOAD=$JUMP JUMP_FILE=$T/$who.clock exec "$@"
}

: >"$T/out"
with_clock server "$IXOR" serve --out "$camp" --listen 127.0.0.1:0 --every 20ms --agent "$AGENT" \
    >"$T/out" 2>"$T/err" &
server=$!
check "it serves" wait_for 20 grep -q '^  ' "$T/out"
address=$(sed -n 's/^listening on //p' "$T/out")
for role in jumper steady; do # of another machine, as it seems: their clocks have to be found
    with_clock $role "$JAVA" \
        "-agentpath:$AGENT=server=$address,role=$role,log=$T/%r.ixl,machine=other,upload=never" \
        -cp "$JAVA_CLASSES" Until 120000 "$T/end" >"$T/$role.out" 2>"$T/$role.err" &
    eval "$role=\$!"
done

taken() { sql "select count(*) from packet where taken = 2 and skew_ns is not null"; }
more() { [ "$(taken)" -ge "$1" ]; }
check "both are sampled" wait_for 30 more 10
for step in "server 3600" "jumper 3600" "server -3600" "jumper -3600" "server 0" "jumper 0"; do
    read -r who seconds <<<"$step"
    before=$(taken)
    jump "$who" "$seconds"
    check "the clock of $who, $seconds s off: both take packets" wait_for 30 more $((before + 10))
done
sql "select begin_ns from snapshot" >"$T/begins"
check "the JVM's wall clock did jump" test \
    "$(sort -n "$T/begins" | sed -n '1p;$p' | xargs | awk '{ print ($2 - $1 > 7100e9) }')" = 1
check "so did the server's" test "$(sql 'select max(sent_ns) - min(sent_ns) > 7100e9 from packet')" = 1
same "nobody was thought gone" "2 running" "$(sql "select count(*) || ' ' || group_concat(distinct
    ended) from vm")"
same "clocks are right within their bounds, always" "" \
    "$(sql "select * from clock where abs(offset_ns) > error_ns")"
same "and they were measured" 2 "$(sql 'select count(distinct vm) from clock where error_ns > 0')"
same "skew knows nothing of it" 0 "$(sql 'select count(*) from packet where skew_ns > 60e9')"
"$IXOR" status --execution serve0001 "$camp" >"$T/status"
same "status can be asked" 0 $?
"$IXOR" top --once "$camp" >"$T/top"
has "so can top" '^jumper +[0-9]+ running' "$T/top"
touch "$T/end"
wait $jumper $steady
same "the JVMs end as they would have" 0 $?
jump server -3600
kill -INT $server
wait $server
same "so does the server" 0 $?
same "they ended orderly" orderly "$(sql 'select distinct ended from vm')"
same "the execution does not end before it began" 1 "$(sql 'select end_ns >= begin_ns from execution')"

# The command of a run sets the clock: its length is what it was.
camp=$T/run
jump server 0
cat >"$T/set" <<'END'
read -r now <"$1"
printf '%20d' $((now > 0 ? -3600 : 3600)) 1<>"$1"
END
with_clock server "$IXOR" run --runs 2 --out "$camp" --agent "$AGENT" -- bash "$T/set" \
    "$T/server.clock" >"$T/run.out" 2>&1 &
wait $!
same "ixor run: exit status, as there was no JVM" 1 $?
same "its clock was set" -3600 "$(xargs <"$T/server.clock")"
same "a run is as long as it was" 2 \
    "$(sql 'select count(*) from execution where end_ns - begin_ns between 0 and 600e9')"
