#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of Lease (README.md): two JVMs for a second. Fails if one wrote without the lease.
#   examples/lease/run.sh [defect|mended] [MILLIS]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
. examples/common/small.bash
how=${1:-defect} millis=${2:-1000}

node() { small_jvm "Node $1" lease.Node "$dir/lease" "$1" "$millis" "$how"; }
node 0 &
first=$!
node 1
second=$?
wait "$first" && [ "$second" = 0 ]
