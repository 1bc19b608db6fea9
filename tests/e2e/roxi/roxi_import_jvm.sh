#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# roxi import of what the JDK's own tools print of a real JVM: jstack, jcmd, SIGQUIT, JSON, a recording.
. tests/support/lib.sh

mkdir -p "$T/run/text" "$T/run/json" "$T/run/recording"
mkfifo "$T/in"
"$JAVA" -cp "$JAVA_CLASSES" "-XX:StartFlightRecording=filename=$T/run/recording/r.jfr,jdk.ThreadDump#enabled=true,jdk.ThreadDump#period=1s" \
    Locks <"$T/in" >"$T/run/text/out.log" 2>&1 &
jvm=$!
exec 3>"$T/in"
echo stand >&3
wait_for 60 grep -q 'done stand' "$T/run/text/out.log" || not_ok "the program says that its threads stand"

tool() { "$JAVA_HOME/bin/$1" "${@:2}"; }
tool jstack -l "$jvm" >"$T/run/text/jstack.txt"
tool jcmd "$jvm" Thread.print -l >"$T/run/text/jcmd.txt"
kill -QUIT "$jvm"
wait_for 60 grep -q '^JNI global ref' "$T/run/text/out.log" || not_ok "the JVM prints a dump"
dumps=3
formats=text
if tool jcmd "$jvm" Thread.dump_to_file -format=json "$T/run/json/dump.json" >"$T/tools" 2>&1 && [ -s "$T/run/json/dump.json" ]; then
    formats="json text"
else
    rm -r "$T/run/json"
    skip "this JDK does not write JSON"
fi
exec 3>&-
wait "$jvm"
if [ -x "$JAVA_HOME/bin/jfr" ] && tool jfr summary "$T/run/recording/r.jfr" | grep -q 'jdk.ThreadDump  *[1-9]'; then
    formats="${formats/text/recording text}"
else
    rm -r "$T/run/recording"
    skip "there is no recording with thread dumps"
fi

check "import" "$ROXI" import "$T/run" -o "$T/camp"
sql() { sqlite3 -batch "$T/camp/campaign.db" "$1"; }
same "roles" "$formats" "$(sql 'SELECT DISTINCT role FROM vm ORDER BY role' | xargs)"
same "dumps as text" $dumps "$(sql "SELECT count(*) FROM snapshot s JOIN vm v ON v.id = s.vm WHERE role = 'text'")"
same "nothing is missing of them" 0 "$(sql "SELECT sum(missed) FROM snapshot")"

# dump ROLE: all dumps of the role, in $T/dump
dump() {
    local log
    for log in $(sql "SELECT log FROM vm WHERE role = '$1'"); do "$ROXI" dump "$T/camp/$log"; done >"$T/dump"
}
for role in $formats; do
    dump "$role"
    # JSON has locks from JDK 24 on.
    if [ "$role" != json ] || grep -q parkBlocker "$T/run/json/dump.json"; then
        has "$role: a thread that is parked" '- parked on <0x[0-9a-f]+> java.util.concurrent.locks.ReentrantLock' "$T/dump"
    fi
    has "$role: frames with lines" '^    at Locks\..*\(Locks.java:[0-9]+\)' "$T/dump"
    has "$role: names without modules" '^    at java.util.concurrent.locks.LockSupport.park' "$T/dump"
    same "$role: no module in any frame" "" "$(grep -E '^    at [^$]*(java\.base|@)' "$T/dump" | head -n 3)"
done
dump text
has "an owned synchronizer" '- owns <0x[0-9a-f]+> java.util.concurrent.locks.ReentrantLock' "$T/dump"
