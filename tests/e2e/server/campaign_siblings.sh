# SPDX-License-Identifier: Apache-2.0
# no JVM
# ixor run ends only the processes left by its COMMAND: not the children of the shell that became
# ixor, not those of a container in which ixor is process 1. Killed with -9, it still ends COMMAND.
# also asan
. tests/support/lib.sh
. tests/support/server_lib.bash

# A loop that starts processes, each of which lives for a while, beside COMMAND and while what
# COMMAND has left is being ended. others FILE: counts into it
cat >"$T/others" <<'END'
while [ ! -e "$1.stop" ]; do
    sh -c 'sleep 0.2; exit 0'
    echo "status $?" >>"$1"
    (sh -c 'sleep 0.2; echo "orphan done" >>"$0"' "$1" &)
done
END
# Leaves one behind that takes SIGKILL to end, 2 s after SIGTERM.
# command NEVER FILE: ends when there have been three others and the one left behind is ready
mkfifo "$T/ready"
cat >"$T/command" <<'END'
setsid sh -c 'trap "" TERM; echo ready >"$1"; sleep 1001; :' "$1" "$3" &
read -r _ <"$3"
until grep -s orphan "$2" | sed -n 3p | grep -q .; do sleep 0.05; done
END
report() { # report WHAT FILE
    same "$1: nobody else's process was ended" "status 0" "$(grep -o 'status .*' "$2" | sort -u)"
    check "$1: there were some" test "$(grep -c status "$2")" -ge 3
    check "$1: orphans lived, too" test "$(grep -c orphan "$2")" -ge 3
    check "$1: what COMMAND left was ended" none_left
}

sh -c '(sh "$1/others" "$1/a") & exec "$2" run --agent "$3" --out "$1/camp" -- \
        sh "$1/command" "$1/never" "$1/a" "$1/ready"' - "$T" "$IXOR" "$AGENT" >/dev/null 2>&1
same "by exec: exit status" 1 $? # no JVM
touch "$T/a.stop"
wait_for 5 bash -c '! pgrep -f "$1/[o]thers"' - "$T"
report "by exec" "$T/a"

if unshare --fork --pid --mount-proc true 2>/dev/null; then
    unshare --fork --pid --mount-proc sh -c '(sh "$1/others" "$1/b"; touch "$1/over") & exec "$2" run --agent "$3" \
        --out "$1/camp1" -- sh -c "sh $1/command $1/never $1/b $1/ready; touch $1/b.stop; while [ ! -e $1/over ]; do sleep 0.05; done"' \
        - "$T" "$IXOR" "$AGENT" >/dev/null 2>&1
    report "as process 1" "$T/b"
else
    ok "as process 1: not permitted here"
fi

# kill -9: its lock is free at once, the processes are gone soon.
mkfifo "$T/fifo"
cat >"$T/system" <<'END'
(setsid sh -c 'sleep 1001; :' "$1" &)
sh -c 'sleep 1001; :' "$1" &
echo ready >"$2"
wait
END
"$IXOR" run --agent "$AGENT" --out "$T/camp2" -- sh "$T/system" "$T/never" "$T/fifo" >/dev/null 2>&1 &
ixor=$!
read -r _ <"$T/fifo"
check "kill -9: COMMAND's processes run" pgrep -f "$T/[n]ever"
kill -9 $ixor
wait $ixor 2>/dev/null
"$IXOR" run --agent "$AGENT" --out "$T/camp2" -- true >/dev/null 2>"$T/err"
has "kill -9: the next ixor can have the campaign" 'no run had a JVM' "$T/err"
check "kill -9: COMMAND and what it started are ended" wait_for 10 none_left
