#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# beside others
# If the application provides the system class loader (-Djava.system.class.loader), the agent does
# not ask it for classes: none of its code runs on or for the agent's thread.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# asks_nobody NAME OPTIONS CLASS ARG...: until 20 packets were taken
asks_nobody() {
    local name=$1 options=$2
    shift 2
    beat_start "$name" --every 10
    jvm_start "$name" "$options" -Xcheck:jni -Djava.system.class.loader=Loader "$@"
    check "$name: packets are taken" wait_for 30 at_least 20 '^taken' "$T/$name.beat"
    jvm_finish
    same "$name: the program's exit status" 0 $?
    beat_stop
    same "$name: nobody asked the loader for the agent" "" "$(grep '^loader' "$T/$name.err")"
    quiet "$name: nothing is said" "$T/$name.out" "$T/$name.err"
}
asks_nobody plain role=x Exit return wait
asks_nobody firsts exceptions=first,process=on Exit return wait
asks_nobody facts locks=on,exceptions=on,process=on,connections=on,invocations=on,coverage=on Exit return wait
FIVE=-Djdk.virtualThreadScheduler.parallelism=5 # its threads stand on carriers
# shellcheck disable=SC2086
if "$JAVA" $FIVE -cp "$JAVA_CLASSES" Virtual 1 </dev/null 2>&1 | grep -q '^none'; then
    ok "this JDK has no virtual threads"
else
    # shellcheck disable=SC2086
    asks_nobody virtual virtual=tracked $FIVE Virtual 20
fi
