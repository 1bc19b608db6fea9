#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# From ixor run to roxi explain: one of six runs opens many files, throws an exception that the others
# do not throw, and one that they do.
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
# A JVM that does what it is told to; it ends when enough packets have been taken before and after.
cat >"$T/system.sh" <<END
. tests/support/lib.sh
. tests/support/server_lib.bash
mkfifo "\$IXOR_RUN_DIR/told"
"$JAVA" -agentpath:"$PWD/build/libixor.so=exceptions=on,process=on" -cp "$JAVA_CLASSES" Facts \
    <"\$IXOR_RUN_DIR/told" >"\$IXOR_RUN_DIR/out" &
exec 8>"\$IXOR_RUN_DIR/told"
taken() {
    sqlite3 -batch -cmd '.timeout 5000' "$camp/campaign.db" "select count(*) from snapshot
        join vm on vm = vm.id where execution = \$IXOR_RUN"
}
enough() { [ "\$(taken)" -ge \$1 ]; }
tell() { echo "\$*" >&8; wait_for 60 grep -q "^done \$*\\$" "\$IXOR_RUN_DIR/out"; }
wait_for 60 enough 5
tell null 2
[ \$IXOR_RUN != 4 ] || { tell throw 3; tell open 60; }
wait_for 60 enough \$((\$(taken) + 10))
exec 8>&-
wait
[ \$IXOR_RUN != 4 ]
END
"$IXOR" run --out "$camp" --runs 6 --every 20ms -- bash "$T/system.sh" >"$T/out" 2>"$T/err"
same "five runs pass, one fails" "passed passed passed failed passed passed" \
    "$(sql 'select verdict from execution order by id' | xargs)"
"$ROXI" explain "$camp" run0004 --json >"$T/json" 2>"$T/err" || not_ok "explain: $(cat "$T/err")"
same "what only it throws, and how often" '["Facts","main",3,0,5]' "$(jq -c '.findings[] |
    select(.kind == "exception") | [.role, .thread, .here, .normal_runs_like_this, .normal_runs]' "$T/json")"
has "where" 'Facts\.thrower\(Facts\.java:[0-9]+\)' <(jq -r '.findings[] | select(.kind == "exception") | .path[]' "$T/json")
same "that it has more files open" 'true' "$(jq -c '[.findings[] |
    select(.kind == "growth" and (.text | contains("open files"))) | .here - .elsewhere >= 55] | any' "$T/json")"
"$ROXI" explain "$camp" run0004 --all >"$T/text" 2>"$T/err" || not_ok "explain: $(cat "$T/err")"
has "as text" 'Facts\$Known thrown 3 times, typically 0;' "$T/text"
