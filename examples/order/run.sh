#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of Order (README.md): three JVMs for a second. Fails if a payment had no order.
#   examples/order/run.sh [defect|mended]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
. examples/common/small.bash

small_jvm Warehouse order.Warehouse "$dir" "${1:-defect}" &
warehouse=$!
small_jvm Bank order.Bank "$dir" &
bank=$!
small_jvm Shop order.Shop "$dir"
shop=$?
wait "$bank" && wait "$warehouse" && [ "$shop" = 0 ]
