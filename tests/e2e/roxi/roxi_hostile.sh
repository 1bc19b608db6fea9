#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# Campaigns made to attack their reader: names that control a terminal or a spreadsheet, SQL in the
# catalogue.
export LC_ALL=C.UTF-8 # for printf's \u, also where no locale is set
. tests/support/lib.sh
. tests/support/roxi_lib.bash

csi=$'\u009b' rlo=$'\u202e' iso=$'\u2067'
names=("=cmd" "a${csi}31mb" "c${rlo}d" "e${iso}f" plain)
for run in "${!names[@]}"; do
    small_vm "$T/in/${names[run]}" 1 "ser${rlo}ver" packet "$run"
    small_vm "$T/in/${names[run]}" 2 client packet 7
    # What the first one does is not typical, so that its reasons have names, too.
    working_vm "$T/in/${names[run]}" 3 "mani${iso}fold" \
        "20 $([ "$run" = 0 ] && echo "p.${csi}A.f${rlo}x" || echo p.B.g)"
    working_vm "$T/in/${names[run]}" 4 other '20 p.B.g'
done
camp=$T/camp
"$ROXI" import "$camp" "$T"/in/* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
sqlite3 "$camp/campaign.db" "UPDATE execution SET verdict = 'failed', verdict_by = 'user' WHERE id = 1"

# What is shown to people, on standard output and standard error.
clean() {
    timeout 60 "$ROXI" "$@" >"$T/out" 2>&1 || return 1
    ! grep -q "$csi\|$rlo\|$iso" "$T/out"
}
while read -r -a command; do
    check "${command[*]}: nothing that drives a terminal" clean "${command[0]}" "$camp" "${command[@]:1}"
done <<'EOF'
rank
rank --explain
rank --json
cluster -k 2
cluster -k 2 --format json
medoids -k 2
next
next -k 2
ci --fail-on never
sample --method one-per-cluster -k 2
export --format collapsed
export --format json
export --format jstack
EOF
has "reasons have names that are shown" '^    mani\\.*fold[:,] ' <("$ROXI" rank --explain "$camp" 2>"$T/null")
check "explain: nothing that drives a terminal" clean explain "$camp" =cmd --all
has "findings, too" '20 packets in \\.*A\.f\\.*x,' <("$ROXI" explain "$camp" =cmd --all 2>"$T/null")
check "merge, too" clean merge "$camp" -o "$T/merged"
check "dump, too" clean dump "$(find "$camp" -name '*.ixl' | head -n 1)"
rm -r "$camp"/logs* 2>"$T/null" || find "$camp" -name '*.ixl' -delete
"$ROXI" rank "$camp" >"$T/out" 2>"$T/err" && not_ok "rank without logs"
check "nor in warnings" eval '! grep -q "$csi\|$rlo\|$iso" "$T/err" && grep -q "is left out" "$T/err"'
rm -r "$T/merged"
check "merge without logs says so" clean merge "$camp" -o "$T/merged"
has "for each" 'other: .*No such file' "$T/out"

rm -r "$camp"
"$ROXI" import "$camp" "$T"/in/* 2>"$T/err"
"$ROXI" matrix "$camp" -s gap >"$T/csv" 2>"$T/err"
same "a name is no formula in CSV" "'=cmd" "$(head -n 1 "$T/csv" | tr , '\n' | grep '=cmd')"
same "in rows, too" 1 "$(grep -c "^'=cmd,0," "$T/csv")"
same "and reads back" "=cmd" "$(sed -n "s/^'\(=[^,]*\),.*/\1/p" "$T/csv")"

# A view that never ends in a table's place.
sqlite3 "$camp/campaign.db" "DROP TABLE execution; CREATE VIEW execution AS WITH RECURSIVE
    r (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id, 'x' || id AS name,
    'unknown' AS verdict, NULL AS verdict_by, NULL AS command, 0 AS begin_ns, 0 AS end_ns,
    0 AS exit_status, NULL AS exit_signal FROM r"
for command in rank matrix 'export --format json' next; do
    # shellcheck disable=SC2086
    check "$command: a view is no table" fails 1 "no table 'execution'" $command "$camp"
done
check "merge: a view is no table" fails 1 "no table 'execution'" merge "$camp" -o "$T/new"
rm -r "$camp"
"$ROXI" import "$camp" "$T"/in/* 2>"$T/err"
sqlite3 "$camp/campaign.db" "DROP TABLE clock; CREATE VIEW clock AS WITH RECURSIVE r (vm) AS
    (SELECT 1 UNION ALL SELECT vm + 1 FROM r) SELECT vm, vm AS mono_ns, 0 AS offset_ns, 0 AS error_ns,
    0 AS drift_ppb FROM r"
check "merge: nor is one that only it reads" fails 1 "campaign.db': cannot read it: " merge "$camp" -o "$T/new"
sqlite3 "$camp/campaign.db" "DROP TABLE execution; CREATE VIEW execution AS SELECT 1 AS id"
status=0
timeout 60 "$IXOR" status "$camp" >"$T/out" 2>"$T/err" || status=$?
same "ixor status neither" 1 $status
