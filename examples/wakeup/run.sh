#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of Wakeup (README.md): two JVMs for a second. Fails if the worker was not woken.
#   examples/wakeup/run.sh [defect|mended]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
. examples/common/small.bash

small_jvm Builder wakeup.Builder "$dir" "${1:-defect}" &
builder=$!
small_jvm Worker wakeup.Worker "$dir"
worker=$?
wait "$builder" && [ "$worker" = 0 ]
