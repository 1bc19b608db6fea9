# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: the agent's tests have the others
# A small campaign of the case study with real faults: killed midway, resumed, packed, unpacked, and
# its tables.
. tests/support/lib.sh

# Bully with fewer numbers to test, as a system of its own.
mkdir "$T/short"
cat >"$T/short/run.sh" <<'END'
#!/usr/bin/env bash
exec examples/bully/run.sh --numbers 200 "$@"
END
chmod +x "$T/short/run.sh"
camp=$T/study
study=(examples/casestudy.sh --system "$T/short" --failed 1 --faults power --seed 7 --out "$camp")
sql() { sqlite3 -batch "$camp/campaign/campaign.db" "$1"; }
truth() { awk -F '\t' "NR > 1 $1" "$camp/truth.tsv" | cut -f "$2" | xargs; }

# Killed as hard as can be when the second run has begun: both the harness and ixor.
"${study[@]}" --runs 2 >"$T/first" 2>&1 &
begun() { [ "$(wc -l <"$camp/truth.tsv")" -ge 2 ] && ls "$camp"/campaign/runs/run0002/*.ixl; }
check "the second run begins" wait_for 120 begun
kill -9 $!
kill -9 "$(head -n 1 "$camp/campaign/server.lock")"
wait $! 2>/dev/null
first=$(sed -n 2p "$camp/truth.tsv")
same "one run is done" 2 "$(wc -l <"$camp/truth.tsv")"

check "the same command goes on" "${study[@]}" --runs 2
same "the first run is the one it was" "$first" "$(sed -n 2p "$camp/truth.tsv")"
same "two normal runs" "none none" "$(truth '&& $4 == "none"' 4)"
same "and with a fault as many as one failure takes" "failed" "$(truth '&& $4 != "none" && $9 == "failed"' 9)"
same "each verdict is that of the oracle" "$(truth '' 9)" \
    "$(cat "$camp"/facts/*/outcome.txt | sed -n 's/^verdict=//p' | xargs)"
same "catalogue and truth have the same executions and verdicts" \
    "$(awk -F '\t' 'NR > 1 { print $1 "|" $9 }' "$camp/truth.tsv")" \
    "$(sql 'select name, verdict from execution order by id')"
same "none is left half done" 0 "$(sql 'select count(*) from execution where end_ns is null')"
same "each run has a seed of its own" "" "$(cut -f 3 "$camp/truth.tsv" | sort | uniq -d)"
same "normal runs have nothing injected" "0 0" "$(truth '&& $4 == "none"' 6)"
ended='&& $4 != "none" && $9 == "failed"'
struck=$(truth "$ended" 1)
check "the fault has its time" test "$(truth "$ended" 7)" -ge 0
same "and place, as its log has it" "$(truth "$ended" 8)" \
    "$(cat "$camp/facts/$struck"/faults-*.log | sort -n | head -n 1 | awk -F '\t' '{ print $2 ": " $4 }')"
check "the load of each run is known" \
    awk -F '\t' 'NR > 1 && !($12 > 0 && $12 <= 1 && $13 > 0 && $13 <= 1) { exit 1 }' "$camp/truth.tsv"

"${study[@]}" --runs 2 2>"$T/again"
same "once more there is nothing to do" "0 $(sql 'select count(*) from execution')" \
    "$? $(($(wc -l <"$camp/truth.tsv") - 1))"
"${study[@]}" --runs 4 2>"$T/err"
same "other settings are refused" 1 $?
has "which says which" '^> runs=4' "$T/err"

check "pack" examples/casestudy.sh --pack "$camp" "$T/study.tar.xz"
check "pack again" examples/casestudy.sh --pack "$camp" "$T/again.tar.xz"
check "the same bytes" cmp "$T/study.tar.xz" "$T/again.tar.xz"
(cd "$T" && sha256sum study.tar.xz >SHA256SUMS)
same "no key is in it" "" "$(tar -tf "$T/study.tar.xz" | grep key)"
check "unpack" examples/casestudy.sh --unpack "$T/study.tar.xz" "$T/copy"
same "ranked as the original is" "$("$ROXI" rank "$camp/campaign")" "$("$ROXI" rank "$T/copy/campaign")"
check "tables" bash -c "examples/tables.sh '$T/copy' >'$T/tables'"
has "of faults" '^\| power \| [1-4] \| 1 \|' "$T/tables"
has "of failures found" '^\| .*1 %\) \| here \|( [0-9.]+ \|){11}$' "$T/tables"
for order in 'random order' '\*\*roxi rank\*\*' 'longest runs first'; do
    has "of runs looked at: $order" "^\| $order \| [0-9.]+ / [0-9.]+ \| [0-9.]+ \|" "$T/tables"
done
has "of the rank" 'failed runs among the first [1-4]$' "$T/tables"
check "brief ones" bash -c "examples/tables.sh --brief '$T/copy' >'$T/brief'"
same "which are some of these" "" "$(grep -vxFf "$T/tables" "$T/brief")"
same "without clusters" 0 "$(grep -c purity "$T/brief")"
check "and plots" xmllint --noout "$T/copy/effort.svg" "$T/copy/rank.svg"
printf x >>"$T/study.tar.xz"
examples/casestudy.sh --unpack "$T/study.tar.xz" "$T/bad" 2>"$T/err"
same "an archive that is not what it was is refused" "1 no" "$? $([ -e "$T/bad" ] && echo yes || echo no)"
