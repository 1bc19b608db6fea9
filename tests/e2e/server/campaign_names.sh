# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# Clusters of one JVM: roxi rank needs no option, and threads' names become templates and nodes.
. tests/support/lib.sh
. tests/support/server_lib.bash

camp=$T/camp
cat >"$T/system.sh" <<END
. tests/support/lib.sh
. tests/support/server_lib.bash
camp=$camp
"$JAVA" -cp "$JAVA_CLASSES" Pools "\$IXOR_RUN_DIR/end" "\$@" "id-\$IXOR_RUN" &
enough() { at_least 5 "select count(*) from snapshot join vm on vm = vm.id
    where execution = \$IXOR_RUN"; }
wait_for 60 enough
touch "\$IXOR_RUN_DIR/end"
wait
END
threads=('opensearch[node_t0][flush][T#1]' 'opensearch[node_t0][search][T#4]'
    'opensearch[node_t1][flush][T#2]' 'opensearch[node_t1][search][T#1]'
    data-plane-kafka-request-handler-0 data-plane-kafka-request-handler-1
    http-nio-8080-exec-3 http-nio-8080-exec-4 http-nio-8080-Poller pulsar-io-4-1 pulsar-web-38-2)
"$IXOR" run --runs 3 --every 20ms --agent "$AGENT" --out "$camp" -- bash "$T/system.sh" \
    "${threads[@]}" >"$T/run" 2>&1
same "a campaign" 0 $?

"$ROXI" rank "$camp" --explain-names >"$T/rank" 2>"$T/names"
same "ranked without an option" 0 $?
same "all runs" 3 "$(wc -l <"$T/rank")"

# of NAME COLUMN: what is said of the thread
of() { awk -F'\t' -v name="$1" -v column="$2" '$1 == "thread" && $2 == name { print $column }' "$T/names"; }
same "a line a name" 1 "$(of pulsar-io-4-1 3 | wc -l)"
same "a pool" 'http-nio-8080-exec-*' "$(of http-nio-8080-exec-3 3)"
same "its neighbour" 'http-nio-8080-Poller' "$(of http-nio-8080-Poller 3)"
same "what varies from run to run" 'id-*' "$(of id-3 3)"
same "since the second run" 2 "$(of id-3 6)"
same "a node's pool" 'opensearch[node_*][flush][T#*]' "$(of 'opensearch[node_t1][flush][T#2]' 3)"
same "its node" node_t1 "$(of 'opensearch[node_t1][flush][T#2]' 5)"
same "no node" '' "$(of pulsar-web-38-2 5)"
same "a fixed name" Finalizer "$(of Finalizer 3)" # main may have ended before any packet

"$ROXI" rank "$camp" --explain-names --rules thesis >"$T/rank" 2>"$T/names"
same "the thesis' rule" opensearch "$(of 'opensearch[node_t1][flush][T#2]' 3)"
