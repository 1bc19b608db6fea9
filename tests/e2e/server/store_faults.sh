# SPDX-License-Identifier: Apache-2.0
# no JVM
# long
# Failing disks: of all calls on a campaign's files one fails, or all from one on, in ixor run, ixor
# serve, roxi import, roxi baseline, roxi check with a baseline's file, and the outputs of roxi. Nothing
# succeeds without its data, crashes or hangs, and the command of ixor run still ends normally.
#   FAULTS (3): how many points of each kind. FAULTS_AT_ONCE (16): how many of them in parallel.
. tests/support/lib.sh
. tests/support/roxi_lib.bash
AGENT=$PWD/build/libixor.so
FAULTS=${FAULTS:-3}
SIMULATE=$PWD/build/helpers/simulate
LIBFAULTS=$PWD/build/helpers/libfaults.so
SESSIONS=2

# with_faults DIR N KIND HOW COMMAND...: call N of the program about files in DIR fails; HOW: once, on
with_faults() {
    local dir=$1 n=$2 kind=$3 how=$4
    shift 4
    [ "$how" = on ] && how=FAULT_ON=1 || how=FAULT_ONCE=1
    ${EXEC:-} env FAULT_PROGRAM="$(basename "$1")" FAULT_DIR="$dir" FAULT_AT="$n" FAULT_KIND="$kind" \
        FAULT_LOG="$dir.log" "$how" LD_PRELOAD="$LIBFAULTS" timeout --foreground -s KILL 60 "$@"
}

# ended STATUS ERR: what is wrong with how a program ended, but for success
ended() {
    case $1 in
    0) ;;
    1) [ -s "$2" ] || echo "failed without a word" ;;
    137) echo "hangs" ;;
    *) echo "ended with status $1: $(tail -n 1 "$2")" ;;
    esac
}

# whole CAMPAIGN OUT: what is missing in it, of what the sessions in OUT were asked for and reported
whole() {
    local taken want
    taken=$(sqlite3 -batch "$1/campaign.db" 'select count(*) from snapshot')
    want=$(sed -n 's/^reported //p' "$2")
    [ "$taken" = "$want" ] || echo "$taken of $want snapshots"
    [ "$(sqlite3 -batch "$1/campaign.db" "select count(*) from vm where ended = 'orderly'")" = $SESSIONS ] ||
        echo "JVMs missing"
    [ "$(sqlite3 -batch "$1/campaign.db" 'select count(*) from execution where end_ns > 0')" = 1 ] ||
        echo "no execution"
    [ "$(sqlite3 -batch "$1/campaign.db" 'pragma integrity_check')" = ok ] || echo "damaged"
}

cat >"$T/command.sh" <<END
echo >"\$1.began"
"$SIMULATE" --server "\$IXOR_SERVER" --key "\$1/agent.key" --sessions $SESSIONS --seconds 1 >"\$1.sessions" 2>&1
echo \$? >"\$1.done"
END

# point_run DIR N KIND HOW: what is wrong
point_run() {
    local status
    with_faults "$1" "$2" "$3" "$4" "$IXOR" run --agent "$AGENT" --out "$1" --every 50ms -- \
        sh "$T/command.sh" "$1" >"$1.out" 2>"$1.err"
    status=$?
    ended $status "$1.err"
    [ ! -e "$1.began" ] || [ "$(cat "$1.done" 2>&1)" = 0 ] || echo "the command did not end well"
    [ ! -e "$1.done" ] || [ "$(sed -n 's/^dropped //p' "$1.sessions")" = 0 ] || echo "sessions broken"
    [ $status != 0 ] || whole "$1" "$1.sessions"
}

point_serve() {
    local status server address
    EXEC="exec" with_faults "$1" "$2" "$3" "$4" "$IXOR" serve --agent "$AGENT" --out "$1" \
        --every 50ms --listen 127.0.0.1:0 >"$1.out" 2>"$1.err" &
    server=$!
    wait_for 20 eval "grep -q 'with key=' '$1.out' || ! kill -0 $server"
    address=$(sed -n 's/^listening on //p' "$1.out")
    if [ -n "$address" ] && [ -s "$1/agent.key" ]; then
        "$SIMULATE" --server "$address" --key "$1/agent.key" --sessions $SESSIONS --seconds 1 \
            >"$1.sessions" 2>&1
        [ "$(sed -n 's/^dropped //p' "$1.sessions")" = 0 ] || echo "sessions broken"
    fi
    kill -TERM $server 2>/dev/null # timeout hands it on
    wait $server
    status=$?
    ended $status "$1.err"
    [ $status != 0 ] || whole "$1" "$1.sessions"
}

# An execution is taken whole or not at all.
point_import() {
    local status rows
    with_faults "$1" "$2" "$3" "$4" "$ROXI" import "$1" "$T/text" >"$1.out" 2>"$1.err"
    status=$?
    ended $status "$1.err"
    rows=$(sqlite3 -batch "$1/campaign.db" 'select (select count(*) from execution),
        (select count(*) from vm), (select count(*) from snapshot)' 2>/dev/null)
    case $status/$rows in
    0/1\|2\|6 | 1/ | 1/0\|0\|0 | 1/1\|2\|6) ;;
    *) echo "status $status with rows $rows" ;;
    esac
}

# left DIR HOW NAME...: what is in the directory beside these, unless it is a removal that failed
left() {
    local dir=$1 how=$2
    shift 2
    [ "$how" = on ] || grep -qs unlink "$dir.log" ||
        [ "$(find "$dir" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs)" = "$*" ] ||
        echo "left: $(ls -A "$dir")"
}

# Thread dumps become a whole campaign, or none.
point_dumps() {
    local status
    mkdir -p "$1"
    JAVA_HOME=$T/jdk with_faults "$1" "$2" "$3" "$4" "$ROXI" import "$T/given" -o "$1/result" >"$1.out" 2>"$1.err"
    status=$?
    ended $status "$1.err"
    if [ $status = 0 ]; then
        "$ROXI" export --format collapsed "$1/result" 2>&1 | cmp -s - "$T/want.dumps" || echo "not all dumps"
        left "$1" "$4" result
    else
        left "$1" "$4"
    fi
}

# check_with TMPDIR FILE: the scores that roxi check gives with a baseline
check_with() {
    TMPDIR=$1 "$ROXI" check "$T/runs" --baseline "$2" --json 2>/dev/null | jq -c .executions
}

# A baseline's file is whole, or there is none.
point_baseline() {
    local status
    mkdir -p "$1/room"
    TMPDIR=$1/room with_faults "$1" "$2" "$3" "$4" "$ROXI" baseline "$T/runs" -o "$1/result" >"$1.out" 2>"$1.err"
    status=$?
    ended $status "$1.err"
    left "$1/room" "$4"
    if [ $status = 0 ]; then
        check_with "$1/room" "$1/result" | cmp -s - "$T/want.check" || echo "not what it is to be"
        left "$1" "$4" result room
    else
        left "$1" "$4" room
    fi
}

# It is unpacked into the directory.
point_check() {
    local status
    mkdir -p "$1"
    TMPDIR=$1 with_faults "$1" "$2" "$3" "$4" "$ROXI" check "$T/runs" --baseline "$T/base" --json \
        >"$1.out" 2>"$1.err"
    status=$?
    ended $status "$1.err"
    [ $status != 0 ] || jq -c .executions "$1.out" | cmp -s - "$T/want.check" || echo "not what it is to say"
    left "$1" "$4"
}

# outputs COMMAND: a file that was there is replaced by the whole new one, or stays.
point_output() {
    local status command=$5
    mkdir -p "$1"
    echo old >"$1/result"
    with_faults "$1" "$2" "$3" "$4" "$ROXI" $command -o "$1/result" "$T/runs" >"$1.out" 2>"$1.err"
    status=$?
    ended $status "$1.err"
    if [ $status = 0 ]; then
        cmp -s "$1/result" "$T/want.$command" || echo "not what it is to be"
    else
        [ "$(cat "$1/result")" = old ] || echo "the old file is gone"
    fi
    left "$1" "$4" result
}
point_rank() { point_output "$@" rank; }
point_matrix() { point_output "$@" matrix; }

# try SCENARIO DIR N KIND HOW: a line in DIR.bad for each thing that is wrong
try() {
    local scenario=$1
    shift
    "point_$scenario" "$@" 2>&1 | sed "s/^/$scenario, call $2, $3, $4: /" >"$1.bad"
    rm -rf "$1"
}

# sweep SCENARIO: FAULTS points of each kind of fault among its calls
sweep() {
    local scenario=$1 calls kind how i at points=0 dir=$T/$1
    "point_$scenario" "$dir" 0 EIO once >"$T/first"
    same "$scenario without faults" "" "$(cat "$T/first")"
    calls=$(sed -n 's/^calls //p' "$dir.log" | tail -n 1)
    check "$scenario makes some calls" test "${calls:-0}" -ge 5
    local most=$((FAULTS < calls ? FAULTS : calls))
    for kind in EIO ENOSPC short; do
        for how in once on; do
            [ $kind-$how != short-on ] || continue
            for ((i = 0; i < most; i++)); do
                at=$((1 + (i * calls + calls / 2) / most))
                points=$((points + 1))
                [ "$(jobs -rp | wc -l)" -lt ${FAULTS_AT_ONCE:-16} ] || wait -n
                try "$scenario" "$dir.$points" $at $kind $how &
            done
        done
    done
    wait
    cat "$dir".*.bad >"$T/bad" 2>/dev/null
    same "$scenario: $points points of $calls calls" "" "$(cat "$T/bad")"
    check "$scenario: calls failed" test "$(cat "$dir".*.log | grep -c '^failed')" -ge $((points / 2))
}

mkdir -p "$T/text"
random_vm "$T/text" 1 A 1 3 6
random_vm "$T/text" 2 B 2 3 6
for i in 1 2 3; do
    mkdir -p "$T/run$i"
    random_vm "$T/run$i" 1 A $i 4 6
    random_vm "$T/run$i" 2 B $((i + 9)) 4 6
done
"$ROXI" import "$T/runs" "$T"/run[123] 2>/dev/null
"$ROXI" rank -o "$T/want.rank" "$T/runs" 2>/dev/null
"$ROXI" matrix -o "$T/want.matrix" "$T/runs" 2>/dev/null
check "there is something to compare" test -s "$T/want.rank" -a -s "$T/want.matrix"

# A recording is printed by the JDK's jfr, for which this stands in.
mkdir -p "$T/given" "$T/jdk/bin"
"$ROXI" export "$T/runs" --format jstack -o "$T/given/text.txt"
cp tests/fuzz/corpus/dumps/jdk21.json "$T/given/threads.json"
printf 'FLR\0' >"$T/given/recording.jfr"
jq -Rs '{recording: {events: [{type: "jdk.ThreadDump", values: {result: .}}]}}' tests/fuzz/corpus/dumps/jdk11 >"$T/jdk/printed"
printf '#!/bin/sh\ncat "%s"\n' "$T/jdk/printed" >"$T/jdk/bin/jfr"
chmod +x "$T/jdk/bin/jfr"
JAVA_HOME=$T/jdk "$ROXI" import "$T/given" -o "$T/imported" 2>/dev/null
"$ROXI" export --format collapsed "$T/imported" >"$T/want.dumps"
"$ROXI" baseline "$T/runs" -o "$T/base" 2>/dev/null
check_with "$T" "$T/runs" >"$T/want.check"
check "nor are these empty" test -s "$T/want.dumps" -a -s "$T/want.check"

for scenario in ${SCENARIOS:-import dumps baseline check rank matrix run serve}; do
    sweep $scenario
done

# The catalogue goes, or is another file, while the command is at work.
gone=('rm -f campaign.db' 'mv campaign.db away; cp away campaign.db' 'rm -rf runs campaign.db*')
for i in 0 1 2; do
    dir=$T/gone$i
    {
        "$IXOR" run --agent "$AGENT" --out "$dir" --every 50ms -- \
            sh -c "sh '$T/command.sh' '$dir'; cd '$dir' && ${gone[i]}" >"$dir.out" 2>"$dir.err"
        echo $? >"$dir.status"
    } &
done
wait
for i in 0 1 2; do
    same "${gone[i]}: no success" 1 "$(cat "$T/gone$i.status")"
    has "${gone[i]}: why" "was removed, or something else is in its place" "$T/gone$i.err"
done
