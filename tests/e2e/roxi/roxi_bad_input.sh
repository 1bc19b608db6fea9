#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# Input that is not a campaign, log, text log or number, or is still being written: every command
# reports what is wrong and where, has the right exit status, and creates nothing.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

for run in 1 2 3; do
    small_vm "$T/in/run$run" 1 server packet 7
    small_vm "$T/in/run$run" 2 client packet 7
done
camp=$T/camp
"$ROXI" import "$camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
head -c 3000 /dev/urandom >"$T/noise"

# ---- what is no campaign ----

mkdir "$T/dir" "$T/db"
touch "$T/file"
# as_db NAME FILE: a directory whose campaign.db is that
as_db() { mkdir "$T/db/$1" && cp "$2" "$T/db/$1/campaign.db"; }
as_db noise "$T/noise"
as_db empty "$T/file"
as_db foreign "$T/file" && sqlite3 "$T/db/foreign/campaign.db" 'CREATE TABLE x (a)'
as_db newer "$camp/campaign.db" && sqlite3 "$T/db/newer/campaign.db" 'PRAGMA user_version = 99' >"$T/null"
mkdir -p "$T/db/dir/campaign.db" "$T/db/pipe"
mkfifo "$T/db/pipe/campaign.db"
while read -r name why; do
    for command in matrix rank evaluate next 'export --format json' 'export --format text -e run1'; do
        # shellcheck disable=SC2086 # $command is a list of words
        check "$name: $command" fails 1 "$why" $command "$T/$name" -o "$T/new"
    done
    # Import makes a campaign of what is new or empty.
    [ "$name" = nothing ] || [ "$name" = dir ] || [ "$name" = db/empty ] ||
        check "$name: import" fails 1 "$why" import "$T/$name" "$T/in/run1"
done <<'END'
file file' is not a campaign: a campaign is a directory
dir dir' is not a campaign: there is no campaign.db in it
nothing nothing' is not a campaign: there is no such directory
db/noise its campaign.db is not an SQLite database
db/empty its campaign.db is empty
db/foreign its campaign.db is a database of another program
db/newer the catalogue is of version 99
db/dir its campaign.db is no file
db/pipe its campaign.db is no file
END

# ---- where nothing can be written ----

for command in matrix 'cluster -k 2' rank 'next' 'medoids -k 2' 'export --format dot'; do
    # shellcheck disable=SC2086
    check "a directory as output: $command" fails 1 "cannot write '.*/dir': it is a directory" \
        $command "$camp" -o "$T/dir"
    # shellcheck disable=SC2086
    check "a full device: $command" fails 1 "cannot write '/dev/full': No space" \
        $command "$camp" -o /dev/full
done
check "no name as output" fails 2 '--output: the value is empty' matrix "$camp" -o ''
check "no name as dump's output" fails 2 '--output: the value is empty' \
    dump "$camp/runs/run1/h-1.ixl" -o ''

# ---- logs ----

# with_log KIND: a campaign whose run1 has such a log for the server
with_log() {
    local log=$T/camp2/runs/run1/h-1.ixl
    rm -rf "$T/camp2"
    cp -r "$camp" "$T/camp2"
    case $1 in
    missing) rm "$log" ;;
    directory) rm "$log" && mkdir "$log" ;;
    pipe) rm "$log" && mkfifo "$log" ;;
    noise) cp "$T/noise" "$log" ;;
    empty) : >"$log" ;;
    torn) truncate -s -1 "$log" ;;
    esac
}
while read -r kind why; do
    with_log "$kind"
    for command in matrix rank 'export --format collapsed' 'export --format speedscope'; do
        # shellcheck disable=SC2086
        "$ROXI" $command --min-vms 1 "$T/camp2" >"$T/out" 2>"$T/err" ||
            "$ROXI" $command "$T/camp2" >"$T/out" 2>"$T/err"
        same "$kind log: $command goes on" 0 $?
        has "$kind log: $command says which, and what is wrong" "run run1: .*h-1\.ixl.*$why" \
            "$T/err"
    done
    [ "$kind" != directory ] || why="is a directory; give it trace logs, .*CAMPAIGN/runs/RUN/"
    [ "$kind" = empty ] || [ "$kind" = torn ] ||
        check "$kind log: dump" fails 1 "h-1\.ixl.*$why" dump "$T/camp2/runs/run1/h-1.ixl"
done <<'END'
missing No such file
directory Is a directory
pipe not a regular file
noise is not a trace log
empty in the middle of its header at byte 0
torn at byte [0-9]+ of [0-9]+
END
check "explain, the other way round" fails 2 "'run1' is not a campaign, but .* is: the campaign comes first" \
    explain run1 "$camp"
check "dump of a device" fails 1 'not a regular file' dump /dev/zero
check "dump of a catalogue" fails 1 'is not a trace log' dump "$camp/campaign.db"

# ---- text ----

# A line of a text log, what stands there instead, and what the message expects.
while IFS='|' read -r line text expected; do
    rm -rf "$T/bad" && cp -r "$T/in/run1" "$T/bad"
    sed -i "${line}s/.*/$text/" "$T/bad/1.log"
    check "line $line '$text'" fails 1 "bad/1\.log:$line: found .*, expected $expected" \
        import "$camp" "$T/bad"
done <<'END'
1|99999999999999999999|a process id
1|-1|a process id
2|norole|<role><TAB>
3|a\x00b|the virtual machine
4|0|a packet number, 1 or more
4|99999999999999999999|a packet number
5|99999999999999999999|a counter value
6|99999999999999999999|a number of threads
6|-1|a number of threads
7|1FFFFFFFFFFFFFFFF|a thread identifier
11|-5|a logical start
12|4294967296|a thread status
13|99999999999|a number of frames
14|00000001 99999999999|<method id, hex> <line
14|00000001 -4|<method id, hex> <line
14|0000FFFF 3|one that this block or one before it writes
16|x|a number of methods
END
rm -rf "$T/bad" && cp -r "$T/in/run1" "$T/bad" && sed -i '6s/.*/4294967295/' "$T/bad/1.log"
check "four thousand million threads" fails 1 'bad/1\.log:[0-9]+: found' import "$camp" "$T/bad"
rm "$T/bad/1.log" && mkdir "$T/bad/1.log"
check "a directory as a text log" fails 1 "bad/1\.log': not a regular file" import "$camp" "$T/bad"
rm -rf "$T/bad" && cp -r "$T/in/run1" "$T/bad" && cp "$T/noise" "$T/bad/files.list"
check "noise as files.list" fails 1 'bad/files\.list:1: found' import "$camp" "$T/bad"
check "a file instead of a directory" fails 1 'file/files\.list.*Not a directory' \
    import "$camp" "$T/file"
same "nothing was imported" "run1 run2 run3" "$(cd "$camp/runs" && echo *)"

# ---- numbers ----

while IFS='|' read -r arguments why; do
    # shellcheck disable=SC2086
    check "$arguments" fails 2 "$why" ${arguments%% *} "$camp" ${arguments#* }
done <<'END'
cluster --clusters 0|--clusters: '0' is neither
cluster --clusters -1|--clusters: '-1' is neither
cluster --clusters 99999999999999999999|--clusters: '9+' is neither
cluster --clusters 1e9|--clusters: '1e9' is neither
cluster --height inf|--height: 'inf' is not a number
cluster --height 1e999|--height: '1e999' is not a number
matrix --min-vms 0|--min-vms: '0' is neither
matrix --min-vms 4294967296|--min-vms: '4294967296' is neither
matrix --match-reward nan|--match-reward: 'nan' is not a number above 0
matrix --match-reward 1e10|--match-reward: '1e10' is not a number above 0
matrix --memlimit 1|--memlimit: '1' is not a size of 16m or more
matrix --memlimit 1e30g|--memlimit: '1e30g' is not a size of 16m or more
matrix --memlimit 1.5g|--memlimit: '1.5g' is not a size of 16m or more
matrix --memlimit 18446744073709551616|--memlimit: '18446744073709551616' is not a size of 16m or more
matrix --memlimit 5x|--memlimit: '5x' is not a size
check --false-alarms nan|--false-alarms: 'nan' is not a rate above 0
check --false-alarms 51%|--false-alarms: '51%' is not a rate above 0
sample -m random -n 0|--size: '0' is not a number
sample -m random -n 1 --seed 18446744073709551616|--seed: '18446744073709551616' is not a number
export --format json --packet 18446744073709551616|--packet: '18446744073709551616' is not a number
export --format dot --max-nodes -3|--max-nodes: '-3' is not a number
END
check "more clusters than executions" fails 1 '4 clusters of 3 runs: choose 1 to 3' \
    cluster "$camp" -k 4
check "a larger sample than executions" fails 1 'there are only 3 runs' \
    sample "$camp" -m random -n 4
check "a packet that no log can have" fails 2 "--packet: '0'" dump --packet 0 "$T/noise"
for rules in dir nothing noise; do
    check "$rules as rules" fails 1 "rules .*$rules.*(Is a directory|No such file|line [0-9]+)" \
        matrix "$camp" --rules "$T/$rules"
done

# ---- a campaign that is being written ----

want=$("$ROXI" matrix "$camp" --cache no)
exec 3> >(sqlite3 "$camp/campaign.db" >"$T/null")
# It waits for the one that looks whether it is there.
printf '.timeout 10000\nBEGIN IMMEDIATE;\nINSERT INTO execution (name) VALUES ("run9");\n' >&3
locked() { ! command sqlite3 "$camp/campaign.db" 'BEGIN IMMEDIATE; ROLLBACK' 2>"$T/null"; }
check "another process is writing" wait_for 20 locked
same "while another process writes: matrix" "$want" "$("$ROXI" matrix "$camp" --cache no)"
same "while another process writes: export" 12 "$("$ROXI" export "$camp" --format collapsed \
    --lines | awk '{ n += $NF } END { print n }')"
printf 'ROLLBACK;\n' >&3
exec 3>&-
sqlite3 "$camp/campaign.db" "INSERT INTO execution (name) VALUES ('run4');
    INSERT INTO vm (execution, role, host, pid, jvm, started_ns, log)
    SELECT id, 'server', 'h', 1, 'j', 0, 'runs/run4/h-1.ixl' FROM execution WHERE name = 'run4'"
"$ROXI" matrix "$camp" >"$T/out" 2>"$T/err"
same "an execution whose log is not there yet" "execution,run1,run2,run3,run4" "$(head -n 1 "$T/out")"
has "is said" 'run run4: server is left out: .*No such file' "$T/err"
check "and has nothing to export" fails 1 "the run 'run4' has no snapshots" \
    export "$camp" --format dot -e run4
sqlite3 "$camp/campaign.db" "UPDATE execution SET name = 'a' || char(10) WHERE name = 'run4'"
check "a name that no table can show" fails 1 "name of run 'a.x0A' has control characters" \
    matrix "$camp"
