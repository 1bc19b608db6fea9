#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# JVMs that end while the agent is still connecting to its server: they end cleanly and in time.
#   SHORT_LIVES (default 30): how many.
. "$ROOT/tests/support/lib.sh"
cd "$T" || exit 1

lives=${SHORT_LIVES:-30}
cat >lives.sh <<'S'
# lives.sh JAVA CLASSES N: N short ones, beside one that keeps the run going until they are over
"$1" -cp "$2" Until 600000 stop & i=0
while [ $i -lt "$3" ]; do
    "$1" -XX:TieredStopAtLevel=1 -cp "$2" Short >out 2>err
    [ $? = 0 ] && [ "$(cat out)" = out ] || echo "life $i" >>odd
    grep -v '^Picked up' err >>odd
    i=$((i + 1))
done
touch stop
wait
S
"$IXOR" run --out camp --agent "$AGENT" -- sh lives.sh "$JAVA" "$JAVA_CLASSES" "$lives" >run.out 2>&1
same "the run passed" 0 $?
same "output and status are the programs' own" "" "$(head -n 5 odd 2>/dev/null)"
ended() { sqlite3 -batch camp/campaign.db "select count(*) from vm where role = 'Short' and ($1)"; }
# Most, unless other programs take the processors: then they end before the server has answered.
check "short lives are known to the server ($(ended 1) of $lives)" [ "$(ended 1)" -ge 1 ]
same "none of them vanished" 0 "$(ended "ended <> 'orderly'")"
