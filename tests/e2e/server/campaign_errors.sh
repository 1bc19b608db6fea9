# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# ixor's messages when something is wrong: the command, its JVMs, the directory, the options.
# also asan
. tests/support/lib.sh
AGENT=$PWD/build/libixor.so
AGAIN=$PWD/build/helpers/again

# refuses DESCRIPTION STATUS PATTERN ARG...: the message is one line (and a hint on wrong use)
refuses() {
    local what=$1 want=$2 pattern=$3
    shift 3
    (cd "$T" && "$IXOR" "$@") >"$T/out" 2>"$T/err" </dev/null
    same "$what: exit status" "$want" $?
    has "$what: message" "$pattern" "$T/err"
    check "$what: few words" test "$(wc -l <"$T/err")" -le 2
}
run="run --agent $AGENT --out camp"

# Before anything is recorded.
refuses "unknown command" 2 "unknown command 'rum'; did you mean 'run'[?] The commands are run, serve, .*label; try 'ixor --help'" rum
refuses "unknown option" 2 "'--rums'; did you mean '--runs'[?]" run --rums 2 -- true
refuses "an abbreviated option" 2 "^ixor run: unknown option '--test'; did you mean '--tests'[?] Try 'ixor run --help'$" \
    run --test ShopIT --out x -- true
refuses "option without value" 2 "'--runs' needs a value" run --runs
refuses "bad number" 2 "--runs.*'0'.*from 1" run --runs 0 -- true
refuses "bad duration" 2 "--every.*'100'.*us, ms, s or m" run --every 100 -- true
refuses "no command" 2 "expected COMMAND" run
refuses "bad address" 2 "--listen.*'1.2.3.4:99999'" serve --out camp --listen 1.2.3.4:99999
refuses "serve without a directory" 2 "--out" serve
refuses "bad execution name" 2 "--execution" serve --out camp --execution a/b
refuses "--junit with --tests" 2 "--tests and --junit exclude each other" run --tests --junit x.xml -- true
refuses "--until with --tests" 2 "--tests and --until exclude each other" run --tests --until failed -- true
refuses "--disturb with --tests" 2 "--tests and --disturb exclude each other" run --tests --disturb pause -- true
refuses "--burst-after alone" 2 "--burst-after is for tests" run --burst-after 1s -- true
refuses "--burst-after alone, of a server" 2 "--burst-after is for tests" serve --out camp --burst-after 1s
refuses "no time" 2 "--burst-after.*'0s'" run --tests --burst-after 0s -- true
refuses "bad verdict" 2 "'ok'.*passed.failed.unknown" label camp run0001 ok
# shellcheck disable=SC2086 # $run is a list of words
{
    refuses "command not found" 1 "'no-such-command'.*not found on PATH" $run -- no-such-command
    refuses "command not executable" 1 "'/etc/passwd'.*[Pp]ermission denied" $run -- /etc/passwd
    refuses "command a directory" 1 "'/tmp'.*[Dd]irectory" $run -- /tmp
}
refuses "no agent" 1 "'no-agent.so'" run --agent no-agent.so --out camp -- true
mkdir "$T/alone" && cp "$AGENT" "$T/alone/libixor.so"
refuses "no jar" 1 "no ixor-junit.jar beside the agent '$T/alone/libixor.so'" \
    run --tests --agent alone/libixor.so --out camp -- true
rm -r "$T/alone"
same "none of them has made anything" "" "$(ls "$T" | grep -v -e out -e err)"

printf '#!/no/such/interpreter\n' >"$T/script"
chmod +x "$T/script"
# shellcheck disable=SC2086
refuses "interpreter missing" 1 "'./script'.*No such file" $run -- ./script
same "no execution is recorded for it" 0 "$(sqlite3 "$T/camp/campaign.db" \
    'select count(*) from execution')"
same "no directory either" "" "$(ls "$T/camp/runs")"

mkdir "$T/other" && touch "$T/other/thesis.tex"
refuses "somebody's directory" 1 "'other' is not a campaign.*thesis.tex" \
    run --agent "$AGENT" --out other -- true
refuses "status of no campaign" 1 "'other' is not a campaign" status other
refuses "status of nothing" 1 "'nothing' is not a campaign" status nothing
same "the directory is as it was" thesis.tex "$(ls "$T/other")"

# Runs without a JVM, or with one that does not get far.
cd "$T" || exit 1
"$IXOR" run --agent "$AGENT" --out camp --runs 2 -- sh -c 'echo no java here; exit 4' \
    >"$T/out" 2>"$T/err"
same "no JVM in any run: exit status" 1 $?
same "it is said once" 1 "$(grep -c 'COMMAND started no JVM' "$T/err")"
has "with the output's beginning" 'no java here' "$T/err"
has "and at the end" 'no run had a JVM' "$T/err"
same "the runs are recorded" "failed failed" \
    "$(sqlite3 camp/campaign.db 'select verdict from execution' | xargs)"

"$IXOR" run --agent "$AGENT" --out some --runs 3 -- bash -c '[ "$IXOR_EXECUTION" = run0002 ] || exit 0
    "$0" -cp "$1" Until 1000' "$JAVA" "$JAVA_CLASSES" >"$T/out" 2>"$T/err"
same "one of three runs has a JVM: exit status" 0 $?
has "it is said how many have none" '2 of 3 runs had no JVM that loaded the agent' "$T/err"

mkdir damaged && head -c 20000 some/campaign.db >damaged/campaign.db
refuses "a damaged catalogue" 1 "malformed .*the trace logs in runs/ need not be; restore a copy" status damaged

"$IXOR" run --agent "$AGENT" --out camp -- "$JAVA" -XX:NoSuchOption Nothing >"$T/out" 2>"$T/err"
same "a JVM that does not start: exit status" 1 $?
has "is reported" 'JVM started, but ended before its agent had connected|started no JVM' "$T/err"
has "with what it said" 'NoSuchOption' "$T/err"

# Two runs: a JVM is killed without notice in each, the other one is well.
cat >killed.sh <<END
"$JAVA" -cp "$JAVA_CLASSES" Until 60000 "$T/never" & victim=\$!
"$JAVA" -Dixor.role=Well -cp "$JAVA_CLASSES" Until 1000+ & well=\$!
until ls "\$IXOR_RUN_DIR"/Until-*.ixl; do read -r -t 0.05 x <>"$T/fifo"; done >/dev/null 2>&1
read -r -t 0.5 x <>"$T/fifo"
kill -9 \$victim
wait \$well
END
mkfifo fifo
"$IXOR" run --agent "$AGENT" --out camp -- bash killed.sh >"$T/out" 2>"$T/err"
same "a JVM that is killed does not stop the run" 0 $?
has "it is reported" 'JVM Until \(process [0-9]+\) vanished without a goodbye' "$T/err"
same "and recorded" "Until|vanished Well|orderly" "$(sqlite3 camp/campaign.db \
    'select role, ended from vm order by role' | xargs)"

# One server a campaign.
mkfifo hold
"$IXOR" run --agent "$AGENT" --out camp -- sh -c "'$JAVA' -cp '$JAVA_CLASSES' Until 60000 hold.end" \
    >"$T/first" 2>&1 &
first=$!
wait_for 10 grep -q "^$first\$" camp/server.lock
refuses "a second server" 1 "another ixor \(process $first\) is writing" \
    run --agent "$AGENT" --out camp -- true
refuses "a third one" 1 "another ixor" serve --agent "$AGENT" --out camp \
    --listen 127.0.0.1:0
sampled() { [ "$(sqlite3 -batch camp/campaign.db 'select count(*) from snapshot join vm on vm = vm.id
    where execution in (select id from execution where end_ns is null)')" -gt 0 ]; }
check "the first one samples" wait_for 20 sampled
touch hold.end
wait $first
same "the first one is not disturbed" 0 $?

refuses "an execution that there is not" 1 "'run0099'.*run00" label camp run0099 passed
refuses "nor here" 1 "no run 'run0099'; the nearest names are run00" status --execution run0099 camp
same "the catalogue is whole" "ok" "$(sqlite3 camp/campaign.db \
    'pragma integrity_check; pragma foreign_key_check')"

# A catalogue that takes no snapshots any more: the command comes to its own end, and there is no other run.
"$IXOR" run --agent "$AGENT" --out camp --runs 3 -- bash -c "
    sqlite3 -cmd '.timeout 5000' camp/campaign.db 'drop table snapshot'
    '$JAVA' -cp '$JAVA_CLASSES' Until 2000; echo its own end >>ended" >"$T/out" 2>"$T/err"
same "a broken catalogue: exit status" 1 $?
same "it is told once, and what is missing" 2 "$(grep -c "no such table" "$T/err")"
has "how much" ': [0-9]+ snapshots? missing in the catalogue' "$T/err"
same "the command was run once, to its end" "its own end" "$(cat ended)"
same "the rest is recorded" "orderly" "$(sqlite3 camp/campaign.db 'select ended from vm
    where execution = (select max(id) from execution where end_ns > 0)')"

for command in run serve attach detach snapshot mark pause resume collect status top label; do
    "$IXOR" $command --help >"$T/out" 2>"$T/err"
    same "$command --help" "0 " "$? $(cat "$T/err")"
    same "$command --help in 80 columns" "" "$(grep -E '^.{81}' "$T/out")"
done
same "--version" "ixor" "$("$IXOR" --version | cut -d ' ' -f 1)"
"$IXOR" --help >/dev/full 2>"$T/err"
same "a full disk is noticed" 1 $?
"$IXOR" serve --agent "$AGENT" --out full --listen 127.0.0.1:0 >/dev/full 2>"$T/err"
same "instructions that cannot be printed: exit status" 1 $?
has "why" 'cannot write to standard output: No space' "$T/err"

# A limit on the size of files: writes fail and are reported. COMMAND gets its own end by it.
limited() { # limited COMMAND...: its status is the last line
    { (ulimit -f 0 && exec "$@") 2>&1; echo $?; } | cat >"$T/limited"
    tail -n 1 "$T/limited"
}
same "no file may grow: exit status" 1 "$(limited "$IXOR" run --agent "$AGENT" --out small -- true)"
has "it is said" '^ixor run: .' "$T/limited"
same "the same of roxi" 1 "$(limited "$ROXI" export camp --format collapsed -o "$T/limited.out")"
has "which says it, too" '^roxi export: .' "$T/limited"
"$IXOR" run --agent "$AGENT" --out long -- sh -c 'grep ^SigIgn /proc/self/status >"$1"' - "$T/ignored" \
    >"$T/out" 2>"$T/err"
same "COMMAND ignores no signal" 0 $((0x$(cut -f 2 "$T/ignored") & 0x7fffffff)) # beyond: libc's own

# Output without end in one line is looked through in little memory; where there is none, none is announced.
# AddressSanitizer would need more than that for itself.
if [ "$B" = build ]; then
    (ulimit -v 200000 && "$IXOR" run --agent "$AGENT" --out long -- \
        sh -c 'truncate -s 400M /proc/self/fd/1; echo; echo Picked up JAVA_TOOL_OPTIONS: x') >"$T/out" 2>"$T/err"
    has "a line of 400 MB does not hide the next one" 'a JVM started, but ended before' "$T/err"
fi
"$IXOR" run --agent "$AGENT" --out long -- false >"$T/out" 2>"$T/err"
same "no output: nothing is announced" 0 "$(grep -c 'its output begins' "$T/err")"

# A JVM that loses its connection and comes again is one JVM.
"$IXOR" run --agent "$AGENT" --out again -- "$AGAIN" >"$T/out" 2>"$T/err"
same "a JVM comes twice; without a snapshot that is no success" 1 $?
has "it is said" "no JVM took a snapshot" "$T/err"
has "it is one JVM at the end of the run" '^ixor: run 1/1: run0001 passed .*: 1 JVM,' "$T/err"
has "and in the summary" '^  JVMs +1$' "$T/out"

# SQLite keeps closed descriptors from becoming files: nothing else gets what is printed there.
"$IXOR" run --agent "$AGENT" --out closed -- sh -c \
    'for p in $PPID $(cut -d " " -f 4 /proc/$PPID/stat); do readlink /proc/$p/fd/1 /proc/$p/fd/2
    done >"$1/fds"' - "$T" >&- 2>&- # its keeper, and ixor
same "closed standard output: nothing else has its place" "/dev/null /dev/null /dev/null /dev/null" \
    "$(xargs <"$T/fds")"
