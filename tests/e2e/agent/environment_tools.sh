# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# ixor and roxi in unusual environments: closed and full streams, no environment, no directory,
# limits. Output and status are as usual, or they fail and say why. No command succeeds if its
# output was lost, and the catalogue stays intact.
. "$ROOT/tests/support/lib.sh"

camp=$T/camp
"$IXOR" run --agent "$AGENT" --runs 2 --every 20ms --out "$camp" -- "$JAVA" -cp "$JAVA_CLASSES" Exit return \
    400 >/dev/null 2>"$T/err"
same "a campaign of two runs" 0 $?

in_plain() { "$@"; }
in_empty() { env -i "$@"; }
in_homeless() { env -u HOME -u TMPDIR -u PATH "$@"; }
in_odd_places() { env HOME=/no/such TMPDIR=/no/such XDG_RUNTIME_DIR=/no/such LANG=xx LC_ALL=yy TERM= "$@"; }
in_long() { env "HOME=/$(printf 'x%.0s' {1..60000})" "TMPDIR=/$(printf 'x%.0s' {1..5000})" "$@"; }
in_cwd_gone() { (mkdir "$T/gone.$BASHPID" && cd "$T/gone.$BASHPID" && rmdir "$PWD" && "$@"); }
in_no_input() { "$@" <&-; }
in_no_errors() { "$@" 2>&-; }
in_full_errors() { "$@" 2>/dev/full; }
in_no_output() { "$@" >&-; }
in_no_streams() { "$@" <&- >&- 2>&-; }
in_full_output() { "$@" >/dev/full; }
in_signals() { (trap '' PIPE XFSZ CHLD HUP && exec "$@"); }
in_limit() { (ulimit "$1" "$2" && shift 2 && exec "$@"); }

# Where the output is heard; where nobody hears it; where there may be too little of something.
heard=(empty homeless odd_places long cwd_gone no_input no_errors full_errors signals)
unheard=(no_output no_streams full_output)
scarce=("limit -n 6" "limit -n 10" "limit -n 16" "limit -n 32" "limit -v 60000" "limit -v 200000"
    "limit -v 1000000" "limit -s 128" "limit -u 1")

# at ENVIRONMENT COMMAND...: leaves $T/at.out and .err, returns the command's status
at() {
    local name words
    read -r name words <<<"$1"
    shift
    # shellcheck disable=SC2086 # several words, or none
    "in_$name" $words "$@" >"$T/at.out" 2>"$T/at.err" </dev/null
}
# clean STATUS: no signal ended it; what failed says so in a few lines
clean() {
    { [ "$1" -lt 124 ] || [ "$1" = 130 ]; } && { [ "$1" = 0 ] || [ "$(wc -l <"$T/at.err")" -le 6 ]; }
}
# quiet NAME DIR: what is for a stream that is closed went into no file
quiet() {
    check "$1: no message is in the campaign's files" \
        test -z "$(grep -rlaE 'ixor( [a-z]+)?: |listening on|^ *JVMs|snapshots  ' "$2" 2>/dev/null)"
}
whole() { [ "$(sqlite3 -batch "$1/campaign.db" 'pragma integrity_check')" = ok ]; }

# reading NAME COMMAND...: it only reads the campaign
reading() {
    local name=$1 where status
    shift
    at plain "$@"
    same "$name: works" 0 $?
    cp "$T/at.out" "$T/plain.out"
    check "$name: prints something" test -s "$T/plain.out"
    for where in "${heard[@]}"; do
        at "$where" "$@"
        same "$name, $where: exit status" 0 $?
        check "$name, $where: output" cmp "$T/plain.out" "$T/at.out"
    done
    for where in "${unheard[@]}"; do
        at "$where" "$@"
        status=$?
        check "$name, $where: fails ($status)" [ $status = 1 ]
        [ "$where" = no_streams ] || has "$name, $where: says why" 'standard output|stdout|write' "$T/at.err"
    done
    for where in "${scarce[@]}"; do
        at "$where" "$@"
        status=$?
        check "$name, $where: ends by itself ($status)" clean $status
        if [ $status = 0 ]; then
            check "$name, $where: output" cmp "$T/plain.out" "$T/at.out"
        else
            check "$name, $where: says why" test -s "$T/at.err"
        fi
    done
}
reading status "$IXOR" status "$camp"
reading rank "$ROXI" rank --min-vms 1 "$camp"
reading dump bash -c '"$1" dump --summary "$2"/runs/run0001/*.ixl' - "$ROXI" "$camp"
check "the campaign is as it was" whole "$camp"

# running ENVIRONMENT: a run is recorded, or the failure is told
running() {
    local where=$1 out="$T/run.${1// /_}" status verdict
    at "$where" "$IXOR" run --agent "$AGENT" --out "$out" -- /bin/sh -c 'echo said; exit 0'
    status=$?
    check "run, $where: ends by itself ($status)" clean $status
    verdict=$(sqlite3 -batch "$out/campaign.db" 'select verdict from execution' 2>/dev/null)
    if [ $status = 0 ]; then same "run, $where: is recorded" passed "$verdict"; fi
    if [ -s "$out/campaign.db" ]; then check "run, $where: the catalogue is whole" whole "$out"; fi
    if [ "$verdict" = passed ]; then
        same "run, $where: the command's output is kept" said "$(tail -n 1 "$out/runs/run0001/output.txt")"
    fi
    quiet "run, $where" "$out"
}
for where in plain "${heard[@]}" "${unheard[@]}" "${scarce[@]}"; do running "$where"; done

# serving ENVIRONMENT: serves until it is told to end
serving() {
    local where=$1 out="$T/serve.${1// /_}" status pid
    mkdir "$out.at"
    (
        at "$where" "$IXOR" serve --agent "$AGENT" --listen 127.0.0.1:0 --out "$out"
        echo $? >"$out.status"
    ) &
    wait_for 5 test -e "$out/campaign.db" -o -e "$out.status"
    wait_for 5 test -e "$out/server.lock" -o -e "$out.status"
    pause 0.2
    pid=$(pgrep -f -- "--out $out\$" | head -n 1)
    [ -z "$pid" ] || kill -INT "$pid"
    wait
    status=$(cat "$out.status")
    check "serve, $where: ends by itself ($status)" clean "$status"
    [ ! -s "$out/campaign.db" ] || check "serve, $where: the catalogue is whole" whole "$out"
    quiet "serve, $where" "$out"
}
for where in plain "${heard[@]}" "${unheard[@]}" "${scarce[@]}"; do serving "$where"; done
