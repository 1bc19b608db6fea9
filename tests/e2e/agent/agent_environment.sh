#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# Bad environment variables, key files and %{NAME} never stop a JVM: it prints one line, runs
# without the agent, and keeps its output and status. Bad options do stop it.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"
KEY=$IXOR_KEY
unset IXOR_ROLE IXOR_EXECUTION IXOR_SERVER IXOR_KEY JAVA_TOOL_OPTIONS

long() { printf "$1%.0s" {1..300}; }
program=("$JAVA" -Xcheck:jni -cp "$JAVA_CLASSES" Exit exit 200)
"${program[@]}" >"$T/alone.out" 2>"$T/alone.err"
alone=$?
same "the program's own exit status" 3 $alone

# goes_on NAME PATTERN OPTIONS [NAME=VALUE]...: the program does what it does, and there is one line.
goes_on() {
    local name=$1 pattern=$2 options=$3
    shift 3
    env "$@" "${program[@]:0:1}" "-agentpath:$AGENT=$options" \
        "${program[@]:1}" >"$T/out" 2>"$T/err"
    same "$name: exit status" $alone $?
    same "$name: stdout" "$(cat "$T/alone.out")" "$(cat "$T/out")"
    has "$name: one line says what" "^ixor: .*$pattern.*; the application goes on without sampling$" \
        "$T/err"
    same "$name: and nothing else" "$(cat "$T/alone.err")" "$(sed '0,/^ixor: /{/^ixor: /d}' "$T/err")"
}
log=log=$T/x.ixl,server=127.0.0.1:9
goes_on IXOR_KEY 'variable IXOR_KEY' "$log" IXOR_KEY=garbage
goes_on IXOR_ROLE 'variable IXOR_ROLE.*longer than 256' "$log" IXOR_ROLE="$(long x)"
goes_on IXOR_EXECUTION 'variable IXOR_EXECUTION.*longer than 256' "$log" IXOR_EXECUTION="$(long y)"
goes_on IXOR_SERVER 'variable IXOR_SERVER.*port' "log=$T/x.ixl" IXOR_SERVER=here:there
goes_on "unset %{NAME}" "option 'log'.*IXOR_NOWHERE.*not set" "$log,log=%{IXOR_NOWHERE}/x.ixl"
goes_on "long %{NAME}" "option 'log'.*longer than" "$log,log=%{LONG}.ixl" \
    LONG="/$(for _ in {1..20}; do long z; done)"
goes_on "no key file" "option 'key'.*no-key" "$log,key=$T/no-key"
echo garbage >"$T/bad-key" && chmod 600 "$T/bad-key"
goes_on "garbage in the key file" "option 'key'.*bad-key" "$log,key=$T/bad-key"
cp "$T/bad-key" "$T/open-key" && chmod 644 "$T/open-key"
goes_on "a key file for everybody" "option 'key'.*open-key" "$log,key=$T/open-key"
goes_on "no certificates" "no-c" "$log,cert=$T/no-cert,certkey=$T/no-key,ca=$T/no-ca"
(ulimit -n 24 && goes_on "few files" 'may open only 24 files' "$log")
same "none of them left a log" "" "$(find "$T" -name '*.ixl*')"

# A later mention mends an earlier one: one agent, and no word about it.
IXOR_KEY=$KEY beat_start mended --every 10 --once
env IXOR_KEY="$KEY" JAVA_TOOL_OPTIONS="-agentpath:$AGENT=log=%{IXOR_NOWHERE}" \
    "$JAVA" "-agentpath:$AGENT=log=$T/mended.ixl,server=127.0.0.1:$PORT" "${program[@]:1}" \
    >"$T/out" 2>"$T/err"
same "mended by a later mention: exit status" $alone $?
check "mended by a later mention: the server heard of it" wait_for 10 grep -q '^gone' "$T/mended.beat"
beat_stop
same "mended by a later mention: nothing is said" 0 "$(count_of '^ixor' "$T/err")"
has "mended by a later mention: the agent joined" '^hello ' "$T/mended.beat"
env JAVA_TOOL_OPTIONS="-agentpath:$AGENT=log=$T/x.ixl,server=127.0.0.1:9" \
    "$JAVA" "-agentpath:$AGENT=log=%{IXOR_NOWHERE}" "${program[@]:1}" >"$T/out" 2>"$T/err"
same "spoilt by a later mention: exit status" $alone $?
same "spoilt by a later mention: one line" 1 "$(count_of '^ixor: .*IXOR_NOWHERE' "$T/err")"

# stops NAME PATTERN COMMAND...: the JVM does not start, and one line says why.
stops() {
    local name=$1 pattern=$2
    shift 2
    "$@" >"$T/out" 2>"$T/err"
    same "$name: the JVM does not start" 1 $?
    same "$name: one line" 1 "$(count_of "^ixor: .*$pattern" "$T/err")"
    same "$name: the program has not run" "" "$(grep -x "$(head -n 1 "$T/alone.out")" "$T/out")"
}
for options in "sevrer=h option..sevrer" "depth=0 option..depth" "log=%q '%q'" "key= names.no.file" \
    "cert=x go.together" "role=$(long x) longer.than.256"; do
    stops "${options:0:12} on the command line" "${options#* }" \
        "$JAVA" "-agentpath:$AGENT=${options% *}" "${program[@]:1}"
done
stops "an option in JAVA_TOOL_OPTIONS" option..depth \
    env JAVA_TOOL_OPTIONS="-agentpath:$AGENT=depth=0" "${program[@]}"

# What a command of `ixor run` starts without its environment but for one variable.
"$IXOR" run --out "$T/camp" --agent "$AGENT" --show-output -- sh -c 'env -i PATH="$PATH" \
    JAVA_TOOL_OPTIONS="$JAVA_TOOL_OPTIONS" "$0" "$@"; echo "status $?"' "${program[@]}" \
    >"$T/run" 2>&1
has "env -i under ixor run: exit status" "^status $alone\$" "$T/run"
has "env -i under ixor run: output" "^$(head -n 1 "$T/alone.out")\$" "$T/run"
