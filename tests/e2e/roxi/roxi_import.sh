#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# roxi import of thread dumps: what is exported comes back to the last bit; dumps of JDK 8 and 11, JSON of
# 21 and 25; runs, roles and packets; damaged, interleaved and hostile dumps. (roxi_import_jvm has real
# ones.)
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# import NAME ARG...: into $T/NAME; what was said is in $T/err
import() {
    local name=$1
    shift
    "$ROXI" import "$@" -o "$T/$name" >"$T/out" 2>"$T/err"
}
said() { sed 's/^roxi: //' "$T/err"; }
snapshots() { sqlite3 -batch "$T/$1/campaign.db" 'SELECT e.name, v.role, v.pid, group_concat(s.packet)
    FROM execution e JOIN vm v ON v.execution = e.id JOIN snapshot s ON s.vm = v.id
    GROUP BY v.id ORDER BY v.id'; }
# refuses WHAT PATTERN ARG...: one line, and no campaign
refuses() {
    local what=$1 pattern=$2
    shift 2
    if import no "$@" || [ "$(wc -l <"$T/err")" != 1 ]; then
        not_ok "$what"
        cat "$T/err" >&2
    else
        has "$what" "$pattern" "$T/err"
    fi
    same "$what: nothing remains" "" "$(find "$T" -maxdepth 1 \( -name no -o -name '.roxi-*' \))"
}

# ---- what is exported comes back ----

for run in {1..6}; do
    random_vm "$T/in/run$run" 1 server "$run" 8 5
    random_vm "$T/in/run$run" 2 client $((run % 3)) 8 5
    random_vm "$T/in/run$run" 3 client $((run % 2)) 5 5
done
"$ROXI" import "$T/camp" "$T"/in/* 2>"$T/err"
"$ROXI" export "$T/camp" --format jstack -o "$T/all.txt"
check "import of an export" import back "$T/all.txt"
same "said" "imported into $T/back: runs 6, JVMs 18, snapshots 126" "$(cat "$T/err")"
for strategy in levenshtein gap call-stack-1 frame-count stack-count; do
    for c in camp back; do
        "$ROXI" matrix "$T/$c" --strategy $strategy --granularity line -o "$T/$c.csv" 2>"$T/err"
    done
    check "the same matrix: $strategy" cmp "$T/camp.csv" "$T/back.csv"
done
check "the same ranking" cmp <("$ROXI" rank "$T/camp") <("$ROXI" rank "$T/back")
check "the same call stacks" cmp <("$ROXI" export "$T/camp" --format collapsed) \
    <("$ROXI" export "$T/back" --format collapsed)
"$ROXI" export "$T/back" --format jstack -o "$T/again.txt"
check "exported again, the same dumps" cmp <(tail -n +2 "$T/all.txt") <(tail -n +2 "$T/again.txt")
head -c -20 "$T/all.txt" >"$T/cut.txt"
import cut "$T/cut.txt"
has "an export that is cut off: its last dump is torn" '^roxi: 1 of 126 dumps are torn and left out' "$T/err"

# ---- JDK 8 and 11; locks ----

mkdir -p "$T/fault/server" "$T/fault/client"
jdk8() { # jdk8 DATE
    cat <<EOF
$1
Full thread dump OpenJDK 64-Bit Server VM (25.392-b08 mixed mode):

"Attach Listener" #9 daemon prio=9 os_prio=0 tid=0x00007f2e5c001000 nid=0x2a waiting on condition [0x0000000000000000]
   java.lang.Thread.State: RUNNABLE

"keeper "a"" #8 prio=5 os_prio=0 tid=0x00007f2e9c0f8000 nid=0x29 waiting on condition [0x00007f2e81d4c000]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(Native Method)
	at shop.Store.put(Store.java:31)
	- locked <0x00000000d6a3b1c8> (a java.lang.Class for shop.Store)
	at shop.Store\$\$Lambda\$1/1831932724.run(Unknown Source)
	at java.lang.Thread.run(Thread.java:750)

   Locked ownable synchronizers:
	- <0x00000000d6a3b200> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)

"customer" #7 daemon prio=5 os_prio=0 tid=0x00007f2e9c0f7000 nid=0x28 waiting for monitor entry [0x00007f2e81e4d000]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at shop.Store.get(Store.java:12)
	- waiting to lock <0x00000000d6a3b1c8> (a java.lang.Class for shop.Store)
	at java.lang.Thread.run(Thread.java:750)

   Locked ownable synchronizers:
	- None

"VM Thread" os_prio=0 tid=0x00007f2e9c06e800 nid=0x1f runnable

JNI global references: 198

EOF
}
jdk8 '2026-11-22 12:00:00' >"$T/fault/server/dump-1.txt"
jdk8 '2026-11-22 12:00:10' >"$T/fault/server/dump-2.txt"
cat >"$T/fault/client/kill3.log" <<'EOF'
12:00:00.100 [main] INFO client - starting
4711:
2026-11-22 12:00:01
Full thread dump OpenJDK 64-Bit Server VM (11.0.20+8-LTS mixed mode, sharing):

Threads class SMR info:
_java_thread_list=0x00007f53e8000c30, length=2, elements={
0x00007f5430017800, 0x00007f54301e2800
}

"main" #1 prio=5 os_prio=0 cpu=64.41ms elapsed=9.77s tid=0x00007f5430017800 nid=0x1d waiting on condition  [0x00007f5437bfe000]
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@11.0.20/Native Method)
	- parking to wait for  <0x000000062b7d0c58> (a java.util.concurrent.CountDownLatch$Sync)
	at java.util.concurrent.locks.LockSupport.park(java.base@11.0.20/LockSupport.java:194)
12:00:01.200 [worker] INFO client - a line of the program's own log
	at client.Main.main(Main.java:20)

"queue" #12 daemon prio=5 os_prio=0 cpu=0.41ms elapsed=9.70s tid=0x00007f54301e2800 nid=0x2c in Object.wait()  [0x00007f5412bf7000]
   java.lang.Thread.State: WAITING (on object monitor)
	at java.lang.Object.wait(java.base@11.0.20/Native Method)
	- waiting on <0x000000062b7d0c00> (a java.lang.Object)
	at client.Queue.take(Queue.java:8)
	- waiting to re-lock in wait() <0x000000062b7d0c00> (a java.lang.Object)
	at java.lang.Thread.run(java.base@11.0.20/Thread.java:829)

JNI global refs: 17, weak refs: 0

EOF
check "JDK 8 and 11" import fault-c "$T/fault"
same "a run, its roles, the process that jcmd names, and one packet within half of 10 s" \
    "fault|client|4711|1
fault|server|0|1,2" "$(snapshots fault-c)"
has "it says how packets were found" 'within half of the usual time .*, which is 10 to 10 s' "$T/err"
"$ROXI" dump "$T/fault-c/runs/fault/1.ixl" --packet 1 >"$T/dump"
same "JDK 8: threads, frames and locks" '"keeper "a"" #8 start 1 group  prio 5
  TIMED_WAITING (sleeping)
    at java.lang.Thread.sleep(Native Method)
    at shop.Store.put(Store.java:31)
    - owns <0x1> java.lang.Class
    at shop.Store$$Lambda$1/1831932724.run(Unknown Source)
    at java.lang.Thread.run(Thread.java:750)' "$(sed -n '/^"keeper/,/Thread.run/p' "$T/dump")"
has "JDK 8: an owned synchronizer" '- owns <0x2> java.util.concurrent.locks.ReentrantLock\$NonfairSync' "$T/dump"
has "JDK 8: a blocked thread" '- blocked on <0x1> java.lang.Class' "$T/dump"
same "without threads of the JVM" 2 "$(grep -c '^"' "$T/dump")"
"$ROXI" dump "$T/fault-c/runs/fault/0.ixl" >"$T/dump"
same "JDK 11: a log's line between frames" 'Unsafe.park LockSupport.park Main.main' \
    "$(grep -oE '(Unsafe|LockSupport|Main)\.[a-z]+\(' "$T/dump" | tr -d '(' | xargs)"
has "JDK 11: parked" 'parked on <0x[0-9]> java.util.concurrent.CountDownLatch\$Sync' "$T/dump"
same "JDK 11: an object that is waited on is not owned" "" "$(grep 'owns.*Object' "$T/dump")"

# ---- CRLF, CI's times, no date ----

mkdir "$T/dress"
jdk8 '2026-11-22 12:00:00' | sed 's/$/\r/' >"$T/dress/crlf.txt"
jdk8 '2026-11-22 12:00:00' | sed 's/^/2026-11-22T12:00:07.1234567Z /' >"$T/dress/ci.txt"
jdk8 'So 22. Nov 12:00:00 CET 2026' >"$T/dress/german.txt"
{ printf '\357\273\277'; jdk8 '2026-11-22 12:00:00'; } >"$T/dress/mark.txt"
check "CRLF, CI's times, another locale's date, a byte order mark" import dress-c "$T"/dress/*
has "no date is said" 'in 1 runs there are dumps without a date: the first dump of each' "$T/err"
"$ROXI" matrix "$T/dress-c" --strategy levenshtein -o "$T/dress.csv" 2>"$T/err"
same "all four are the same" "0,0,0,0" "$(tail -n +2 "$T/dress.csv" | cut -d, -f2- | sort -u)"
same "a file is a run, whose role is jvm" "ci|jvm|0|1
crlf|jvm|0|1
german|jvm|0|1
mark|jvm|0|1" "$(snapshots dress-c)"
check "a byte order mark alone" import mark-c "$T/dress/mark.txt"
same "the date behind it is read" "imported into $T/mark-c: runs 1, JVMs 1, snapshots 1" "$(cat "$T/err")"
jdk8 '2026-11-22 12:00:00' | iconv -t UTF-16 >"$T/wide.txt"
refuses "UTF-16" "wide.txt, which is UTF-16 \(iconv -f UTF-16 -t UTF-8 makes it readable\); expected" "$T/wide.txt"
jdk8 '2026-11-22 12:00:00' | gzip >"$T/small.txt"
refuses "compressed" "small.txt, which is compressed \(unpack it first\); expected" "$T/small.txt"

# ---- JSON ----

json21() { # json21 TIME: JDK 21 has neither states nor locks
    cat <<EOF
{ "threadDump": { "processId": "4711", "time": "$1", "runtimeVersion": "21.0.1+12",
    "threadContainers": [
      { "container": "<root>", "parent": null, "owner": null,
        "threads": [
          { "tid": "1", "name": "main",
            "stack": [ "java.base\\/java.lang.Thread.sleep0(Native Method)", "shop.Main.main(Main.java:7)" ] } ],
        "threadCount": "1" },
      { "container": "shop.Pool@1a", "parent": "<root>", "owner": null,
        "threads": [
          { "tid": "30", "name": "",
            "stack": [ "shop.Cart.add(Cart.java:3)", "java.base\\/java.lang.VirtualThread.run(VirtualThread.java:309)" ] } ],
        "threadCount": "1" } ] } }
EOF
}
{ json21 2026-11-22T12:00:00Z; json21 2026-11-22T12:00:05Z; json21 2026-11-22T12:00:09Z | head -c 300; } >"$T/json21.json"
check "JSON of JDK 21" import json-c "$T/json21.json"
same "two dumps, and a torn one" "json21|jvm|4711|1,2" "$(snapshots json-c)"
has "the torn one's place" "^roxi: 1 of 3 dumps are torn and left out, the first of them at $T/json21.json:25\$" "$T/err"
"$ROXI" dump "$T/json-c/runs/json21/0.ixl" --packet 2 >"$T/dump"
same "its threads" '"main" #1 start 1 group
"virtual-30" #30 start 2 group  daemon virtual' "$(grep '^"' "$T/dump" | sed 's/ *$//')"
same "and frames" 'Thread.sleep0(Native Main.main(Main.java:7) Cart.add(Cart.java:3) VirtualThread.run(VirtualThread.java:309)' \
    "$(grep '    at ' "$T/dump" | grep -oE '[A-Za-z]+\.[a-z0-9]+\([^ ]*' | xargs)"
cat >"$T/json25.json" <<'EOF'
{"threadDump": {"processId": 7, "time": "2026-11-22T12:00:00Z", "runtimeVersion": "25", "threadContainers": [{"container": "<root>", "threads": [
{"tid": 1, "name": "waits", "state": "WAITING", "waitingOn": "java.lang.Object@1f", "stack": ["x.Y.z(Y.java:1)", "x.Y.y(Y.java:2)"],
 "monitorsOwned": [{"depth": 1, "locks": ["java.lang.Object@1f", null, "x.Mine@2a"]}]},
{"tid": "2", "name": "enters", "state": "BLOCKED", "blockedOn": "x.Mine@2a", "virtual": true, "stack": ["x.Y.a(Y.java:3)"]},
{"tid": 3, "name": "parks", "state": "TIMED_WAITING", "parkBlocker": {"object": "x.Sync@3"}, "stack": []}]}]}}
EOF
check "JSON of JDK 25" import json25-c "$T/json25.json"
"$ROXI" dump "$T/json25-c/runs/json25/0.ixl" >"$T/dump"
same "its locks" 'blocked on <0x1> x.Mine
owns <0x1> x.Mine
parked on <0x2> x.Sync
waiting on <0x3> java.lang.Object' "$(sed -n 's/^ *- //p' "$T/dump" | sort | sed 's/<0x.>/<>/' |
    awk '/blocked|owns/ { sub("<>", "<0x1>") } /parked/ { sub("<>", "<0x2>") } /waiting/ { sub("<>", "<0x3>") } 1')"
head -c $((65 << 20)) /dev/zero | tr '\0' ' ' >"$T/large.json"
{ printf '{"threadDump": '; cat "$T/large.json"; } >"$T/huge.json"
rm "$T/large.json"
refuses "JSON that is too large" "huge.json' is larger than 64 MiB, more than is read as JSON; dump with" "$T/huge.json"
rm "$T/huge.json"

# ---- recordings ----

printf 'FLR\0 and no recording' >"$T/fake.jfr"
if [ -x "$JAVA_HOME/bin/jfr" ]; then
    refuses "a recording that is none" "jfr cannot read '$T/fake.jfr': try 'jfr print" "$T/fake.jfr"
else
    skip "no jfr in $JAVA_HOME: damaged recordings are not tried"
fi
JAVA_HOME=$T refuses "no jfr" "there is no program jfr to read it: set JAVA_HOME to a JDK" "$T/fake.jfr"

# ---- damage ----

mkdir "$T/torn"
{ jdk8 '2026-11-22 12:00:00'; jdk8 '2026-11-22 12:00:10' | head -n 18; jdk8 '2026-11-22 12:00:20'; } >"$T/torn/a.txt"
second=$(($(jdk8 x | wc -l) + 1))
jdk8 '2026-11-22 12:00:30' | head -c 700 >"$T/torn/b.txt"
echo hello >"$T/torn/notes.txt"
check "torn dumps" import torn-c "$T/torn"
same "they are counted, with the first one's place" "1 of 3 files have no thread dump, the first of them $T/torn/notes.txt
2 of 4 dumps are torn and left out, the first of them at $T/torn/a.txt:$second" "$(said | grep -v '^imported\|usual')"
jdk8 '2026-11-22 12:00:00' | sed 's/(Store.java:12)/(Store.ja12:00:00 INFO/' >"$T/glued.txt"
check "a damaged frame" import glued-c "$T/glued.txt"
has "its thread is left out" "^roxi: 1 threads are left out .* in the dump at $T/glued.txt:1$" "$T/err"
same "the other one stays" '"keeper "a"" #8' "$("$ROXI" dump "$T/glued-c/runs/glued/0.ixl" | grep -o '^".*#[0-9]*')"
jdk8 '2026-11-22 12:00:00' |
    sed '/at shop.Store.get/i java.lang.IllegalStateException: of the log\n\tat other.Code.run(Code.java:1)' >"$T/trace.txt"
check "an exception's trace within a stack" import trace-c "$T/trace.txt"
same "does not become a part of it" "" "$("$ROXI" dump "$T/trace-c/runs/trace/0.ixl" | grep other.Code)"
refuses "only torn dumps" "no thread dump is whole; the first torn one is at $T/torn/b.txt:1" "$T/torn/b.txt"
refuses "no dump" "there is no thread dump in the 1 files, such as $T/torn/notes.txt; expected" "$T/torn/notes.txt"
mkdir "$T/empty"
refuses "an empty directory" "there is no file in '$T/empty'" "$T/empty"
refuses "not there" "cannot read '$T/nobody'" "$T/nobody"
refuses "two runs of a name" "would be a second run 'glued'" "$T/glued.txt" "$T/glued.txt"
mkfifo "$T/pipe"
refuses "a pipe" "cannot read '$T/pipe': neither a file nor a directory" "$T/pipe"
import cut "$T/glued.txt"
has "a campaign that exists" "'$T/cut' exists; -o takes the name of a new directory" "$T/err"
"$ROXI" import "$T/torn" 2>"$T/err"
same "no -o: wrong use" 2 $?
has "no -o: what to do" 'make a new campaign of thread dumps with -o CAMPAIGN' "$T/err"

# ---- hostile: many threads, long names, bytes ----

threads=50000
[ "$B" != build/asan ] || threads=5000
awk -v n=$threads 'BEGIN {
    print "2026-11-22 12:00:00\nFull thread dump X:\n"
    for (i = 1; i <= n; i++)
        printf "\"t%d\" #%d prio=5 tid=0x1 nid=0x1 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:%d)\n\n", i, i, i % 7 + 1
    print "JNI global refs: 1"
}' >"$T/crowd.txt"
check "$threads threads" import crowd-c "$T/crowd.txt"
same "all of them are there" $threads "$(sqlite3 -batch "$T/crowd-c/campaign.db" 'SELECT threads FROM snapshot')"
{
    printf '2026-11-22 12:00:00\nFull thread dump X:\n\n"'
    head -c 300000 /dev/zero | tr '\0' n
    printf '" #1 prio=5 tid=0x1 nid=0x1\n   java.lang.Thread.State: RUNNABLE\n\n'
    printf '"\377\200name\0" #2 prio=5 tid=0x1 nid=0x1\n   java.lang.Thread.State: RUNNABLE\n\tat a.\377.c(B.java:1)\n\n'
    printf '"'
    head -c 60000 /dev/zero | tr '\0' m
    printf '" #3 prio=5 tid=0x1 nid=0x1\n   java.lang.Thread.State: RUNNABLE\n\n"twice" #3 prio=5 tid=0x1\n\nJNI global refs: 1\n'
} >"$T/names.txt"
check "long names and bytes" import names-c "$T/names.txt"
"$ROXI" dump "$T/names-c/runs/names/0.ixl" >"$T/dump"
same "bytes that are not UTF-8 are replaced" 1 "$(grep -c $'^"\xEF\xBF\xBD\xEF\xBF\xBDname " #2' "$T/dump")"
same "a name of 60,000 bytes" 60000 "$(grep -o '^"m*' "$T/dump" | tr -d '"\n' | wc -c)"
same "a thread that is there twice counts once" 2 "$(grep -c '^"' "$T/dump")"

# ---- threads that wait for nobody who is known ----

# hang DATE THREADS: so many hang in a pool, one that has no work, and one of the JDK
hang() {
    printf '%s\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n' "$1"
    for ((i = 1; i <= $2; i++)); do
        cat <<EOF
"handler-$i" #$((20 + i)) prio=5 os_prio=0 tid=0x00007f2e9c0f70$((10 + i)) nid=0x$((30 + i)) in Object.wait()  [0x00007f2e81e4d000]
   java.lang.Thread.State: WAITING (on object monitor)
	at java.lang.Object.wait(java.base@17.0.9/Native Method)
	- waiting on <0x000000062b7d0c00> (a acme.shop.ConnectionPool)
	at java.lang.Object.wait(java.base@17.0.9/Object.java:338)
	at acme.shop.ConnectionPool.acquire(ConnectionPool.java:25)
	at acme.shop.Handler.run(Handler.java:9)

EOF
    done
    cat <<EOF
"worker" #50 prio=5 os_prio=0 tid=0x00007f2e9c0f7099 nid=0x99 waiting on condition  [0x00007f2e81e4d000]
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@17.0.9/Native Method)
	- parking to wait for  <0x000000062b7d0c58> (a java.util.concurrent.SynchronousQueue\$TransferStack)
	at java.util.concurrent.locks.LockSupport.park(java.base@17.0.9/LockSupport.java:341)
	at java.util.concurrent.ThreadPoolExecutor.getTask(java.base@17.0.9/ThreadPoolExecutor.java:1062)
	at acme.shop.Worker.run(Worker.java:5)

"main" #1 prio=5 os_prio=0 tid=0x00007f2e9c0f7001 nid=0x1 waiting on condition  [0x00007f2e81e4d000]
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@17.0.9/Native Method)
	- parking to wait for  <0x000000062b7d0d00> (a java.util.concurrent.CountDownLatch\$Sync)
	at java.util.concurrent.CountDownLatch.await(java.base@17.0.9/CountDownLatch.java:230)
	at acme.shop.Main.main(Main.java:7)

JNI global refs: 17, weak refs: 0

EOF
}
mkdir -p "$T/hang/shop"
for i in 1 2 3; do hang "2026-11-22 12:00:0$i" $((i + 5)) >"$T/hang/shop/dump-$i.txt"; done
check "dumps of a hang" import hang-c "$T/hang"
"$ROXI" waits "$T/hang-c" hang >"$T/text"
same "waits: where most threads hang at the last packet" "packets 1 to 3 (3): nobody waits for a thread that is known; at packet 3:
  8 threads of shop wait in acme.shop.ConnectionPool.acquire, for nobody known
  1 thread of shop waits in acme.shop.Main.main, for nobody known" "$(cat "$T/text")"
same "waits: at one packet" "packet 1: nobody waits for a thread that is known
  6 threads of shop wait in acme.shop.ConnectionPool.acquire, for nobody known" \
    "$("$ROXI" waits "$T/hang-c" hang --packet 1 | head -n 2)"
