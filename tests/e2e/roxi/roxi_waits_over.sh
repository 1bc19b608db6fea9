# SPDX-License-Identifier: Apache-2.0
# long
# beside others
# roxi waits: JVMs that hang together over what is not a plain socket: RMI, blocking channels of NIO,
# selectors. HANG_PACKETS (20) and HANG_PERCENT (80) as in roxi_waits.
. tests/support/lib.sh
. tests/support/waits_lib.bash

END='(.least_progressed[0] | .role == "store" and .waited_for_by >= 3 and (.thread // "" | test($thread)))'

# right NAME: what it says of ends agrees with the programs' diaries
right() {
    joined "$1"
    same "$1: $THREAD_ENDS ends with threads and $JVM_ENDS with JVMs agree with the diaries, and wrong are" 0 "$WRONG_ENDS"
    check "$1: there are ends" [ $((THREAD_ENDS + JVM_ENDS)) -gt 0 ]
}

# ---- chains ----

CHAIN='front:edge:ask edge:middle:serve middle:store:serve'
# shellcheck disable=SC2086
OVER=nio SEEN=3 hang nio-chain $CHAIN store:-:slow
mostly nio-chain "the end is named" "${END/\$thread/\"^handler\$\"}"
right nio-chain

# shellcheck disable=SC2086
OVER=nio SEEN=3 hang nio-lost $CHAIN store:-:lose
mostly nio-lost "the thread that has not answered is named" "${END/\$thread/\"^handler\$\"}"
never nio-lost "a deadlock" '(.deadlocks | length > 0)'
right nio-lost

# shellcheck disable=SC2086
OVER=rmi hang rmi-chain $CHAIN store:-:slow
mostly rmi-chain "the end is named" "${END/\$thread/\"^RMI TCP Connection\"}"

# Which of its connections a selector's thread works on is not known; nobody else may be named.
# shellcheck disable=SC2086
OVER=selector hang selector-chain $CHAIN store:-:slow
mostly selector-chain "front waits for edge" '([.chains[] | map(.role) | .[0:2] == ["front", "edge"]] | any)'
never selector-chain "a thread that is not on the way" \
    '([.least_progressed[] | select(.thread == "stopper" or (.thread == "main" and .role != "front"))] | length > 0)'
right selector-chain

# shellcheck disable=SC2086
OVER=selector hang selector-lost $CHAIN store:-:lose
never selector-lost "a thread that is not on the way" \
    '([.least_progressed[] | select(.thread == "stopper" or (.thread == "main" and .role != "front"))] | length > 0)'
never selector-lost "a deadlock" '(.deadlocks | length > 0)'
right selector-lost

# ---- more connections than the agent looks at ----

IDLE=5000
if [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt $((IDLE + 1000)) ]; then
    # The descriptor of the one that matters is the highest.
    JVM_OPTIONS="-Didle=$IDLE" SEEN=1 hang many front:store:ask store:-:slow
    mostly many "the end is named beside $IDLE connections" \
        '(.least_progressed[0] | .role == "store" and .thread == "handler")'
    right many
else
    skip "the limit of descriptors is too low for $IDLE connections"
fi

# ---- deadlocks of three JVMs ----

for OVER in nio rmi; do
    hang "$OVER-deadlock" one:two:lock two:three:lock three:one:lock
    mostly "$OVER-deadlock" "it is named, with all three JVMs" \
        '(.deadlocks | length == 1 and (.[0] | map(.role) | unique | length == 3) and
            (.[0] | length == 6) and (.[0] | map(.why) | unique == ["monitor", "read"]))'
done
right nio-deadlock
