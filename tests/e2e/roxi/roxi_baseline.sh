#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# roxi baseline: roxi check says the same with the file as with the campaign's directory; hostile and
# damaged files.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

export TMPDIR=$T/tmp
unset GITHUB_STEP_SUMMARY
mkdir "$TMPDIR"

for run in {01..12}; do
    working_vm "$T/in/good$run" 1 server "$((20 + ${run#0} % 3)) p.Main.main p.Server.work"
    random_vm "$T/in/good$run" 2 client "${run#0}" 20 4
done
working_vm "$T/in/new01" 1 server '21 p.Main.main p.Server.work'
random_vm "$T/in/new01" 2 client 5 20 4
working_vm "$T/in/new02" 1 server '5 p.Main.main p.Server.work' '15 p.Main.main p.Lock.wait'
random_vm "$T/in/new02" 2 client 6 20 4
"$ROXI" import "$T/good" "$T"/in/good* 2>"$T/err"
"$ROXI" import "$T/new" "$T"/in/new* 2>"$T/err"
"$IXOR" label "$T/good" good12 failed >"$T/out"
echo secret >"$T/good/key"
echo output >"$T/good/runs/good01/output.txt"

file=$T/good.ixb
"$ROXI" baseline "$T/good" -o "$file" 2>"$T/err"
same "a baseline is written" 0 $?
has "it says what" "^written to $file: runs 12, JVMs 24, [0-9]+ bytes compressed to $(stat -c %s "$file")\$" "$T/err"
check "a shard of the size" test "$(stat -c %s "$file")" -lt "$(($(du -sb "$T/good" | cut -f1) / 4))"
# The baseline's name is in the result: the same name for both.
for form in directory file; do
    mkdir "$T/$form"
    [ $form = directory ] && cp -r "$T/good" "$T/$form/base" || cp "$file" "$T/$form/base"
    (cd "$T/$form" && "$ROXI" check "$T/new" --baseline base --false-alarms 10% --json >json 2>err)
    echo $? >>"$T/$form/json"
done
check "roxi check says the same, to the last bit" cmp "$T/directory/json" "$T/file/json"
check "and warns of the same" cmp "$T/directory/err" "$T/file/err"
same "a run is unusual" '3 ["new02"]' \
    "$(tail -n 1 "$T/file/json") $(head -n -1 "$T/file/json" | jq -c '[.executions[] | select(.unusual) | .name]')"
"$ROXI" baseline "$T/good" -o "$T/again.ixb" 2>"$T/err"
same "nothing temporary remains" "" "$(ls -A "$TMPDIR")"
zstd_content() { tail -c +23 "$1" | zstd -dc 2>/dev/null; }
if command -v zstd >/dev/null; then
    same "neither keys nor other files are in it" "0" "$(zstd_content "$file" | grep -ac 'secret\|output.txt')"
else
    skip "zstd is not installed: the content is not looked at"
fi

# ---- GitHub's summary ----

step() { # step CAMPAIGN...: what roxi check adds to it, in $T/step
    rm -f "$T/step"
    GITHUB_STEP_SUMMARY=$T/step "$ROXI" check "$@" --baseline "$file" --false-alarms 10% >"$T/out" 2>"$T/err"
}
echo before >"$T/kept"
GITHUB_STEP_SUMMARY=$T/kept "$ROXI" check "$T/new" --baseline "$file" --false-alarms 10% >"$T/out" 2>"$T/err"
same "it is added to what is there" "before" "$(head -n 1 "$T/kept")"
step "$T/new"
same "how many runs are unusual" "### Ixor: 1 of 2 runs is unusual" "$(sed -n 2p "$T/step")"
has "which one" '^    [0-9.]+  new02$' "$T/step"
has "and why" '^        server: [0-9]+ packets in .*Lock.wait' "$T/step"
# shellcheck disable=SC2016 # the fences are Markdown
same "in one block of code" 2 "$(grep -c '^```$' "$T/step")"
step "$T/good"
has "or that none is" '^### Ixor: none of 12 runs is unusual$' "$T/step"
for i in {1..60}; do cp -r "$T/in/new02" "$T/in/long$(printf '`%.0s' {1..50})$i"; done
"$ROXI" import "$T/many" "$T"/in/long* 2>"$T/err"
step "$T/many"
has "many: the rest is counted" '^and [0-9]+ more$' "$T/step"
check "4,700 bytes at most" test "$(wc -c <"$T/step")" -le 4700
export GITHUB_STEP_SUMMARY=$T/none/step
"$ROXI" check "$T/new" --baseline "$file" >"$T/out" 2>"$T/err"
same "it cannot be written: exit status, and no result" "1 " "$? $(cat "$T/out")"
has "one line says so" "^roxi check: cannot write to GITHUB_STEP_SUMMARY, '$T/none/step': No such file" "$T/err"
unset GITHUB_STEP_SUMMARY

# ---- bad use ----

fails() { # fails STATUS PATTERN COMMAND...
    local want=$1 pattern=$2
    shift 2
    "$@" >"$T/out" 2>"$T/err"
    local got=$?
    [ $got = "$want" ] && [ "$(wc -l <"$T/err")" -le 2 ] && grep -Eq -- "$pattern" "$T/err" || {
        echo "status $got"
        cat "$T/err"
        return 1
    }
}
check "no -o" fails 2 'a name for the file is needed: -o FILE' "$ROXI" baseline "$T/good"
check "no campaign" fails 1 "$T/nobody" "$ROXI" baseline "$T/nobody" -o "$T/x.ixb"
check "nothing is written then" test ! -e "$T/x.ixb"

# ---- hostile files ----

# bad WHAT PATTERN: roxi check refuses $T/bad with one line, and leaves nothing
bad() {
    check "$1" fails 1 "$2" "$ROXI" check "$T/new" --baseline "$T/bad"
    same "$1: one line, and nothing remains" "1 " "$(wc -l <"$T/err") $(ls -A "$TMPDIR")"
}
size=$(stat -c %s "$file")
for n in 0 7 8 15 22 23 200 $((size / 2)) $((size - 5)) $((size - 1)); do
    head -c "$n" "$file" >"$T/bad"
    if [ "$n" -lt 8 ]; then
        bad "cut off at $n" "neither a campaign's directory nor a file of 'roxi baseline'"
    else
        bad "cut off at $n" "is torn: it ends too early; make it again"
    fi
done
{ cat "$file"; echo more; } >"$T/bad"
bad "something behind it" 'is damaged: something follows its end'
{ head -c $((size / 2)) "$file"; printf 'XYZZY'; tail -c +$((size / 2 + 6)) "$file"; } >"$T/bad"
bad "other bytes within" 'is damaged: '
number() { # number VALUE BYTES: little-endian
    local i value=$1
    for ((i = 0; i < $2; i++, value >>= 8)); do printf '%b' "\\x$(printf %02x $((value & 255)))"; done
}
head_of() { printf '\x89IXB\r\n\x1a\n'; number "$1" 2; number "$2" 4; number "$3" 8; }
{ head_of 2 1 1; tail -c +23 "$file"; } >"$T/bad"
bad "another version" 'has version 2, and this roxi reads version 1; make it again'
{ head_of 1 1 $((1 << 50)); tail -c +23 "$file"; } >"$T/bad"
bad "a bomb by its head" 'would unpack to 1 files of 1125899906842624 bytes; at most'
{ head_of 1 2000000 10; tail -c +23 "$file"; } >"$T/bad"
bad "two million files" 'would unpack to 2000000 files of 10 bytes; at most'
{ head_of 1 25 10; tail -c +23 "$file"; } >"$T/bad"
bad "more than the head says" 'is damaged: its files are longer than it says'
if command -v zstd >/dev/null; then
    entry() { number ${#1} 2; printf %s "$1"; number "$2" 8; head -c "$2" /dev/zero; }
    for name in ../x /etc/x runs/../../x.ixl runs/a.txt runs//a.ixl runs/./a.ixl key '' runs/.ixl/../b.ixl; do
        { head_of 1 1 5; entry "$name" 5 | zstd -qc; } >"$T/bad"
        bad "a file named '$name'" 'is damaged: a file in it is neither the catalogue nor a trace log'
    done
    { head_of 1 2 10; { entry runs/a.ixl 5; entry runs/a.ixl 5; } | zstd -qc; } >"$T/bad"
    bad "a name twice" 'is damaged: a name is in it twice'
    { head_of 1 1 5; { entry runs/a.ixl 5; echo more; } | zstd -qc; } >"$T/bad"
    bad "more in it" 'is damaged: there is more in it than it says'
    { head_of 1 1 5; { entry runs/a.ixl 5 | head -c 12; } | zstd -qc; } >"$T/bad"
    bad "less in it" 'is damaged: its content is shorter than it says'
    { head_of 1 1 5; entry runs/a.ixl 5 | zstd -qc; } >"$T/bad"
    bad "no catalogue" "campaign.db|is not a campaign|no campaign"
    { head_of 1 1 $((1 << 30)); entry runs/a.ixl 1000 | zstd -qc; } >"$T/bad"
    bad "less than the head says" 'is damaged: its files are shorter than it says'
else
    skip "zstd is not installed: hostile contents are not tried"
fi
mkfifo "$T/pipe"
check "a pipe" fails 1 "cannot read '$T/pipe': not a file" "$ROXI" check "$T/new" --baseline "$T/pipe"
