#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of Lease (README.md): two JVMs for a second. Fails if one wrote without the lease.
#   examples/lease/run.sh [defect|mended] [MILLIS]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
how=${1:-defect} millis=${2:-1000}
dir=${IXOR_RUN_DIR:-$(mktemp -d)}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

node() {
    IXOR_ROLE="Node $1" "$java" -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx32m \
        -cp build/examples/lease lease.Node "$dir/lease" "$1" "$millis" "$how"
}
node 0 &
first=$!
node 1
second=$?
wait "$first" && [ "$second" = 0 ]
status=$?
[ -n "${IXOR_RUN_DIR:-}" ] || rm -r "$dir"
exit "$status"
