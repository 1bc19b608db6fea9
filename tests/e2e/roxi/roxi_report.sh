#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# roxi report: the first screen, and the page without a browser, also of campaigns that are hardly
# any, and with names that try to be markup.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# run CAMPAIGN NAME WORK...: a server, and a client that does this work
run() {
    working_vm "$T/in/$1/$2" 1 server '60 p.Server.serve'
    working_vm "$T/in/$1/$2" 2 client "${@:3}"
}
into() { "$ROXI" import "$T/$1" "$T/in/$1"/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"; }
label() { "$IXOR" label "$T/$1" "${@:2}" >"$T/out" 2>&1 || not_ok "label: $(cat "$T/out")"; }
report() { "$ROXI" report "$@" 2>"$T/err"; }
# data FILE: the page's data
data() { sed -n 's/.*<script type="application\/json" id="data">//; T; :a; /<\/script>/ { s/<\/script>.*//; p; q }; p; n; ba' "$1"; }
# sane FILE: no number is none, nothing is fetched, the data is JSON
sane() {
    ! grep -iE '[^a-z](nan|inf|\(null\))[^a-z]' <(sed '/^<style>/,/<\/style>/d; /^<script>/,$d' "$1") &&
        ! grep -oE '(src|href)="(https?:)?//' "$1" && data "$1" | jq -e .runs >/dev/null
}

for i in 1 2 3 4 5 6 7 8; do
    run camp run$i "$((40 + i % 2)) p.Client.run p.Client.send" "$((20 - i % 2)) p.Client.run"
    label_later="${label_later:-} run$i"
done
run camp odd '20 p.Client.run p.Client.send' '40 p.Client.run p.Client.retry'
into camp
# shellcheck disable=SC2086 # a list of names
for name in $label_later; do label camp "$name" passed; done
label camp odd failed

# ---- the first screen ----

report "$T/camp" >"$T/screen"
same "exit status" 0 $?
same "the verdict comes first" '9 runs: 8 passed, 1 failed. 1 is unusual: the score is above 1.' \
    "$(sed '/^$/q' "$T/screen" | xargs)"
has "where to start" '^Start with odd: client, since packet 21 ' "$T/screen"
check "with the reason" grep -q 'in Client.run calling Client.retry, typically 0' <(xargs <"$T/screen")
has "the run" '^ +[0-9.]+  failed   odd$' "$T/screen"
check "how sure" grep -q 'none of 8 normal runs has as many' <(xargs <"$T/screen")
has "what is normal" '^The 8 runs that passed count as normal\. None of them scores above 1\.' "$T/screen"
check "80 columns" test "$(wc -L <"$T/screen")" -le 80
check "4,700 characters" test "$(wc -c <"$T/screen")" -le 4700
same "asked for as text with -o: the same" "$(cat "$T/screen")" \
    "$(report "$T/camp" --format text -o "$T/text" && cat "$T/text")"

# ---- the page ----

report "$T/camp" -o "$T/page.html"
same "a page" 0 $?
check "it is sane" sane "$T/page.html"
has "the verdict is text" '<p class="verdict">9 runs: 8 passed, 1 failed' "$T/page.html"
has "the run has a link" '<a href="#run=odd">odd</a>' "$T/page.html"
has "findings with call stacks" '^     &gt; p\.Client\.retry\(S\.java:1\)' "$T/page.html"
# plain: the text of the page's tables, a row a line
plain() { sed 's/<\/t[dh]>/|/g; s/<[^>]*>//g' "$T/page.html"; }
has "who waits for whom is not known" 'Who waits for whom is not known: locks and connections were not recorded' "$T/page.html"
check "a stuck thread: packets, typical, from, to, where" \
    grep -qF 'client, thread main|40|0|21 (0.0 s) to 60, the end|running in p.Client.retry(S.java:1)|' <(plain)
has "no stops in the catalogue" "How long JVMs were stopped, and how far apart in time, is not in this" "$T/page.html"
has "threads by name" 'Threads by name: 2 names$' <(plain)
has "no empty table of them" '^There are about as many of each as in normal runs\.$' <(plain)
data "$T/page.html" >"$T/data"
typical=$(jq -r '.runs[1].name' "$T/data")
same "the run, and a typical one to compare with" "[\"odd\",false,\"$typical\",true]" \
    "$(jq -c '[.runs[] | .name, .typical]' "$T/data")"
check "which passed" grep -qE '^run[1-8]$' <<<"$typical"
same "what the client did: packets and executing methods" '[[20,"p.Client.send"],[40,"p.Client.retry"]]' \
    "$(jq -c '. as $d | $d.runs[0] | [.threads[] | select($d.strings[$d.runs[0].jvms[.[0]]] == "client")][0][4] |
        [range(0; length; 3) as $i | [.[$i + 1], ($d.frames[$d.stacks[3 * .[$i + 2] + 1]][0] | sub("\\(.*"; ""))]]' "$T/data")"
same "when it departs" true "$(jq '.runs[0].findings[0][1] > 20' "$T/data")"
# By hand: 40 of 60 packets in retry here, never elsewhere; send in 20 of 60, elsewhere in 40.5 of 60.
same "its tree against the normal runs': thousandths" '[["p.Client.retry",667,0],["p.Client.run",1000,1000],["p.Client.send",333,675]]' \
    "$(jq -c '. as $d | .runs[0].trees[] | select($d.strings[.role] == "client").nodes |
        [range(4; length; 4) as $i | [$d.methods[.[$i + 1]], .[$i + 2], .[$i + 3]]] | sort' "$T/data")"
same "--runs 0: only the typical run" '[true]' \
    "$(report "$T/camp" --runs 0 -o "$T/page.html" && data "$T/page.html" | jq -c '[.runs[].typical]')"

# ---- hardly a campaign ----

# hardly NAME PATTERN: both forms say it, and are sane
hardly() {
    local text
    text=$(report "$T/$1" | xargs -0 | tr '\n' ' ')
    check "$1: $2" grep -qE "$2" <<<"$text"
    check "$1: a page" report "$T/$1" -o "$T/$1.html"
    check "$1: it is sane" sane "$T/$1.html"
    check "$1: no number is none" test -z "$(grep -iwE 'nan|inf' <<<"$text")"
}
run one alone '5 p.Client.run'
into one
hardly one 'Too few to say what is unusual: at least 3 are needed'
run two a '5 p.Client.run'
run two b '9 p.Client.run'
into two
hardly two '^2 runs, none with a verdict\. Too few'
for i in 1 2 3 4; do
    run failed run$i "$((40 + i)) p.Client.run"
    [ $i != 4 ] || run failed run5 '60 p.Client.shout'
done
into failed
for i in 1 2 3 4 5; do label failed run$i failed; done
hardly failed '5 runs: 0 passed, 5 failed'
for i in 1 2 3 4; do working_vm "$T/in/role/run$i" 1 server "$((40 + i)) p.Server.serve"; done
into role
hardly role 'None is unusual: no score is above 1'
for i in 1 2 3 4; do run empty run$i "$((40 + i)) p.Client.run"; done
into empty
sqlite3 "$T/empty/campaign.db" "INSERT INTO execution (name) VALUES ('silent')"
label empty silent failed
hardly empty 'it has no call stacks that count'
for i in 1 2 3 4; do run torn run$i "$((40 + i)) p.Client.run"; done
into torn
for log in "$T"/torn/runs/run2/*.ixl; do truncate -s -7 "$log"; done
hardly torn 'did not end in an orderly way, or its log is not whole'
same "torn logs are named once" 2 "$(report "$T/torn" >"$T/out"; grep -c 'ends in the middle' "$T/err")"
mkdir "$T/none"
check "no campaign" fails 1 'is not a campaign' report "$T/none" -o "$T/new"
rm "$T"/one/runs/alone/*.ixl
check "no logs at all" fails 1 'no run has any call stacks' report "$T/one" -o "$T/new"

# ---- names that try to be markup, and many threads ----

evil='</script><!--<script>alert(1)</script>"&'
for i in 1 2 3; do crowd_vm "$T/in/evil/run$i" 1 "$evil" 3 20 "$evil"; done
crowd_vm "$T/in/evil/<b>&run\"'" 1 "$evil" 2000 100 "$evil"
into evil
label evil "<b>&run\"'" failed
hardly evil '4 runs: 0 passed, 1 failed, 3 without a verdict'
has "masked names" 'There are 2 names of threads; in 1 of them \* stands for a part that varies' "$T/evil.html"
same "two elements of scripts" 2 "$(grep -o '<script' "$T/evil.html" | wc -l)"
same "that end" 2 "$(grep -o '</script' "$T/evil.html" | wc -l)"
same "no comment but the page's own" 5 "$(grep -o '<!--' "$T/evil.html" | wc -l)"
data "$T/evil.html" >"$T/data"
same "the name is whole" true "$(jq --arg e "$evil" '.strings | any(. == $e)' "$T/data")"
same "2,000 threads" 2000 "$(jq '.runs[0].threads | length' "$T/data")"
check "in less than 2 MB" test "$(stat -c %s "$T/evil.html")" -lt 2000000
