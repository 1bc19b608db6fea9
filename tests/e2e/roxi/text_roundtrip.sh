#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# Import, export and dump with the real binary: a log that is exported and imported again gives the
# same matrices and the same text; a rejected import leaves nothing behind.
. tests/support/lib.sh

strategies='levenshtein favor-end favor-end-squared favor-begin favor-begin-squared call-stack-1
call-stack-2 call-stack-3 gap frame-count stack-count'

# thread ID NAME STATUS [METHOD LINE]...: a thread of a block, the executing frame first
thread() {
    local id=$1 name=$2 status=$3
    shift 3
    printf '%08X\n%s\nmain\nsystem\n%d\n%d\n%d\n' "$id" "$name" "$id" "$status" $(($# / 2))
    [ $# -eq 0 ] || printf '%08X %d\n' "$@"
}

# vm DIR ADDRESS PID ROLE VARIANT: a VM with three packets; VARIANT changes its call stacks
vm() {
    local log="$1/logs/$2-$3.log" v=$5 packet
    mkdir -p "$1/logs"
    echo "$2-$3.txt" >>"$1/files.list"
    echo "logs/$2-$3.log" >"$1/$2-$3.txt"
    for packet in 1 2 3; do
        printf '%d\n%s\t/tmp/rmi.log\nOpenJDK 17, Linux\n%d\n%d\n3\n' "$3" "$4" $packet \
            $((packet * 100))
        thread 1 main 5 $((0x10 + v % 3)) $((packet + v)) 0x10 7
        thread 2 'RMI TCP Connection(4)-10.0.0.1' 657 0x12 -3 $((0x10 + packet % 2)) 9 0x10 7
        thread 3 'back\\slash and\nline' 1025
        if [ $packet = 1 ]; then
            printf '%s\n' 3 '00000020 00000010 run ()V' '00000020 00000011 do\sit (I)V' \
                '00000021 00000012 socketRead0 \e' 2 "00000020 a.B\$C B.java" '00000021 n.S \e'
        else
            printf '0\n0\n'
        fi
    done >"$log"
}

# matrices CAMPAIGN: of all strategies
matrices() {
    local s
    for s in $strategies; do
        echo "$s" && "$ROXI" matrix "$1" --strategy "$s" --format csv || return 1
    done
}

# rows_of CAMPAIGN: what its catalogue says about VMs and snapshots
rows_of() {
    sqlite3 -batch "$1/campaign.db" 'select id, role, pid from vm order by id;
        select vm, packet, begin_mono_ns, threads, frames from snapshot order by vm, packet'
}

# fails STATUS COMMAND...: standard error goes to $T/err
fails() {
    local want=$1 status=0
    shift
    "$@" >/dev/null 2>"$T/err" || status=$?
    [ $status = "$want" ] || { echo "status $status"; cat "$T/err"; return 1; }
}

for run in 0 1 2; do
    vm "$T/in/run$run" 10.0.0.1 1001 server $run
    vm "$T/in/run$run" host-b 1002 'Client A' $((run * run + 1))
done
check "import" "$ROXI" import "$T/camp" "$T"/in/run{0,1}
check "import into what is there; slashes at the end" "$ROXI" import "$T/camp" "$T/in/run2//"
mkdir "$T/out" "$T/out/run0"
for run in 0 1 2; do
    check "export" "$ROXI" export "$T/camp" --execution run$run --format text -o "$T/out/run$run/"
done
check "import what was exported" "$ROXI" import "$T/again" "$T"/out/run*
matrices "$T/camp" >"$T/matrices"
same "the same matrices for all strategies" "$(cat "$T/matrices")" "$(matrices "$T/again")"
same "eleven matrices of three executions" 55 "$(wc -l <"$T/matrices")"
check "export once more" "$ROXI" export "$T/again" --execution run1 --format text -o "$T/once-more"
check "the same text" diff -r "$T/out/run1" "$T/once-more"

# What a hand would write for one of the logs: identifiers count from 1 in order of use.
same "the first block of a text" "$(sed -n 1,13p "$T/out/run0/logs/10.0.0.1-1001.log")" \
    "1001
server	/tmp/rmi.log
OpenJDK 17, Linux
1
100
3
00000001
main
main
system
1
5
2"
has "its methods" '^00000001 00000001 run \(\)V$' "$T/out/run0/logs/10.0.0.1-1001.log"
has "a name with a blank" '^0000000[12] 0000000[1-3] do\\sit \(I\)V$' \
    "$T/out/run0/logs/10.0.0.1-1001.log"

log=$T/camp/runs/run0/host-b-1002.ixl
check "dump" "$ROXI" dump -o "$T/dump" "$log"
has "dump: META" '^role: Client A$' "$T/dump"
has "dump: a thread" '^"main" #1 start 1 group main$' "$T/dump"
has "dump: control characters are shown" '^"back\\slash and\\x0Aline" #3' "$T/dump"
has "dump: a state" '^  BLOCKED \(on object monitor\)$' "$T/dump"
has "dump: a frame" '^    at a\.B\$C\.run\(B\.java:7\)$' "$T/dump"
has "dump: a native frame" '^    at n\.S\.socketRead0\(Native Method\)$' "$T/dump"
same "dump: three packets" 3 "$(grep -c '^packet ' "$T/dump")"
same "dump of one packet" "packet 2" "$("$ROXI" dump --packet 2 "$log" | grep -o '^packet [0-9]*')"
check "a packet that is not there" fails 1 "$ROXI" dump --packet 9 "$log"
has "says which are" 'no packet 9, it has 1 to 3' "$T/err"
"$ROXI" dump --summary "$log" >"$T/summary"
has "summary" '^packets: 1 to 3, 3 snapshots$' "$T/summary"
has "summary: threads" '^threads: 3 different, 3\.0 in a snapshot, 0 missed$' "$T/summary"
size=$(stat -c %s "$log")
head -c $((size - 3)) "$log" >"$T/torn.ixl"
check "dump of a torn log" "$ROXI" dump -o "$T/dump" "$T/torn.ixl"
same "has what is whole" 2 "$(grep -c '^packet ' "$T/dump")"

# left_alone CAMPAIGN: it has what it had, and no half-made directory
left_alone() {
    [ "$(ls -A "$1/runs")" = "$2" ] && [ "$(matrices "$1")" = "$(cat "$T/matrices")" ]
}
check "a name that is there" fails 1 "$ROXI" import "$T/camp" "$T/in/run1"
has "says so" "has a run 'run1' already" "$T/err"
mkdir "$T/bad"
cp -r "$T/in/run0" "$T/bad/bad"
sed -i '8s/.*/\xff/' "$T/bad/bad/logs/host-b-1002.log"
check "a malformed log" fails 1 "$ROXI" import "$T/camp" "$T/bad/bad"
has "says where" 'bad/logs/host-b-1002\.log:8: found malformed UTF-8 .*expected a thread name' \
    "$T/err"
check "nothing is left of it" left_alone "$T/camp" $'run0\nrun1\nrun2'
cp -r "$T/in/run0" "$T/bad/"$'tab\there'
check "a name that no table can show" fails 1 "$ROXI" import "$T/camp" "$T/bad/"$'tab\there'
has "says so" "'tab.x09here' cannot be a run's name" "$T/err"
rm "$T/bad/bad/logs/host-b-1002.log"
check "a log that is missing" fails 1 "$ROXI" import "$T/camp" "$T/bad/bad"
has "says which" 'host-b-1002\.log.*No such file' "$T/err"
mkfifo "$T/bad/bad/logs/host-b-1002.log"
check "a log that is a pipe" fails 1 "$ROXI" import "$T/camp" "$T/bad/bad"
has "says that" 'not a regular file' "$T/err"
for name in '../x-1.txt' 'x.txt' 'x-1' '-1.txt' 'x-.txt' ''; do
    echo "$name" >"$T/bad/bad/files.list"
    check "files.list with '$name'" fails 1 "$ROXI" import "$T/camp" "$T/bad/bad"
    has "says where" 'files\.list:1: found .*, expected <address>-<process id>\.txt' "$T/err"
done
printf '10.0.0.1-1001.txt\n10.0.0.1-1001.txt\n' >"$T/bad/bad/files.list"
check "files.list with a name twice" fails 1 "$ROXI" import "$T/camp" "$T/bad/bad"
echo 10.0.0.1-77.txt >"$T/bad/bad/files.list"
cp "$T/bad/bad/10.0.0.1-1001.txt" "$T/bad/bad/10.0.0.1-77.txt"
check "a log of another process" fails 1 "$ROXI" import "$T/camp" "$T/bad/bad"
has "says so" ':1: found process id 1001, expected 77' "$T/err"
check "nothing is left of any of them" left_alone "$T/camp" $'run0\nrun1\nrun2'
check "the first one stays" fails 1 "$ROXI" import "$T/first" "$T/in/run0" "$T/bad/bad"
same "and only it" run0 "$(ls -A "$T/first/runs")"

# Two VMs of which one log is cut and the other empty: a warning each, the rest counts.
cp -r "$T/in/run0" "$T/bad/cut"
head -n 50 "$T/in/run0/logs/host-b-1002.log" >"$T/bad/cut/logs/host-b-1002.log"
: >"$T/bad/cut/logs/10.0.0.1-1001.log"
"$ROXI" import "$T/camp" "$T/bad/cut" 2>"$T/err"
same "cut logs are taken" 0 $?
has "a warning for the cut one" 'host-b-1002\.log:51: the log is cut off' "$T/err"
has "a warning for the empty one" '10\.0\.0\.1-1001\.log: no snapshot' "$T/err"
same "one whole packet" 1 "$("$ROXI" dump "$T/camp/runs/cut/host-b-1002.ixl" | grep -c '^packet ')"
check "and exported" "$ROXI" export "$T/camp" --execution cut --format text -o "$T/cut-out"
check "with the header alone" diff - "$T/cut-out/logs/10.0.0.1-1001.log" <<<$'1001\nunknown\t\n'

# However many threads convert the logs: the same files, the same warnings, the same first error.
# import_on THREADS DIR: into a new campaign; what was said is in $T/err.THREADS
import_on() {
    OMP_NUM_THREADS=$1 "$ROXI" import "$T/on$1" "$2" 2>"$T/err.$1"
}
cp -r "$T/in/run0" "$T/bad/many"
for pid in 1003 1004 1005 1006; do
    vm "$T/bad/many" 10.0.0.2 $pid server $pid
done
sed -i '100,$d' "$T/bad/many/logs/10.0.0.2-1004.log" # cut in its last block
: >"$T/bad/many/logs/10.0.0.2-1005.log"
for threads in 1 4; do
    check "import of six logs on $threads threads" import_on $threads "$T/bad/many"
    sed -i "s,$T/on$threads,CAMPAIGN," "$T/err.$threads"
done
same "two warnings" 2 "$(grep -vc '^imported' "$T/err.1")"
check "the same is said" cmp "$T/err.1" "$T/err.4"
check "the same logs" diff -r "$T/on1/runs" "$T/on4/runs"
same "the same in the catalogue" "$(rows_of "$T/on1")" "$(rows_of "$T/on4")"
sed -i '8s/.*/\xff/' "$T/bad/many/logs/10.0.0.2-1003.log"
sed -i '4s/.*/x/' "$T/bad/many/logs/10.0.0.2-1006.log"
for threads in 1 4; do
    rm -rf "$T/on$threads"
    check "two bad logs on $threads threads" fails 1 import_on $threads "$T/bad/many"
    same "the first one is told" 1 \
        "$(grep -c '10\.0\.0\.2-1003\.log:8: found malformed UTF-8' "$T/err.$threads")"
    same "and no more" 1 "$(wc -l <"$T/err.$threads")"
done

check "an execution that is not there" fails 1 \
    "$ROXI" export "$T/camp" --execution none --format text -o "$T/none"
check "a directory that is not empty" fails 1 \
    "$ROXI" export "$T/camp" --execution run0 --format text -o "$T/in"
has "says so" 'is there and not empty' "$T/err"
check "a format that is not there" fails 2 \
    "$ROXI" export "$T/camp" --execution run0 --format x -o "$T/none"
check "nothing was made" [ ! -e "$T/none" ]
same "no half-made directory" '' "$(find "$T" -name '.roxi-*')"
