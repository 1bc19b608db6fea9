# SPDX-License-Identifier: Apache-2.0
# beside others
# connections=on: what goes over TCP connections, as the log has it and as the program knows it.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# over LINE: what the log has of that connection, at the client's end and at the server's: messages and bytes sent and
# received, and the bytes unread at last
over() {
    local client server
    IFS=$'\t' read -r _ client server < <(grep '^open' "$T/talk.out" | sed -n "$1p")
    awk -F'\t' -v OFS=' ' -v client=":$client" -v server=":$server" '
        function ends(text, end) { return substr(text, length(text) - length(end) + 1) == end }
        $1 == "traffic" && ((ends($3, client) && ends($4, server)) || (ends($3, server) && ends($4, client))) {
            i = ends($3, client); sent[i] += $5; received[i] += $6; out[i] += $7; come[i] += $8; unread[i] = $9 }
        END { for (i = 1; i >= 0; i--) print sent[i] + 0, out[i] + 0, received[i] + 0, come[i] + 0, unread[i] + 0 }
        ' "$T/talk.txt"
}

beat_start talk --every 10
jvm_start talk "role=x,connections=on" -Xcheck:jni Talk
check "it runs" wait_for 30 grep -q '^ready' "$T/talk.out"
packets talk 30
for line in 300 unread 5000; do
    echo "$line" >&8
    check "$line" wait_for 60 grep -q '^done' "$T/talk.out"
    check "$line: done" wait_for 60 at_least "$(count_of '^open' "$T/talk.out")" '^done' "$T/talk.out"
done
packets talk 30
jvm_finish
same "exit status" 0 $?
beat_stop
log_of talk
quiet "nothing is said" "$T/talk.out" "$T/talk.err"
same "the log is valid" "" "$(cat "$T/talk.txt.err")"
same "300 messages, at both ends" "300 30000 300 2100 0
300 2100 300 30000 0" "$(over 1)"
same "one that nobody reads" "1 100 0 0 0
0 0 1 100 100" "$(over 2)"
same "5000 messages" "5000 500000 5000 35000 0
5000 35000 5000 500000 0" "$(over 3)"
beat_start off --every 10
jvm_start off "role=x,process=on" Talk
echo 300 >&8
check "off: done" wait_for 60 grep -q '^done' "$T/off.out"
check "off: packets" wait_for 30 at_least 10 '^taken' "$T/off.beat"
jvm_finish
beat_stop
log_of off
same "without connections=on there is none" "0 yes" \
    "$(count_of '^traffic' "$T/off.txt") $(at_least 10 '^packet' "$T/off.txt" && echo yes)"
