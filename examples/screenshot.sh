#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes docs/viewer.png again: the viewer during a run of Bully. `make screenshot` calls it; it
# needs Debian's chromium and chromium-driver.
set -u
cd "$(dirname "$0")/.." || exit
B=build JAVA_HOME=$(make/jdk.sh) JAVA_CLASSES=
T=$(mktemp -d "${TMPDIR:-/tmp}/ixor-screenshot.XXXXXX") || exit 1
. tests/support/lib.sh
. tests/support/webdriver.bash
browser_there || { echo "screenshot.sh: chromium and chromium-driver are needed" >&2; exit 1; }

"$IXOR" run --every 50ms --http 0 --out "$T/campaign" -- examples/bully/run.sh --dir "$T/bully" \
    --numbers 4000 >"$T/out" 2>"$T/err" &
ixor=$!
finish() {
    browser_stop
    kill -INT $ixor 2>/dev/null
    wait $ixor
    rm -rf "$T"
}
wait_for 30 grep -q 'watch live at' "$T/err" || exit 1
browser_start 1000 780 || exit 1
trap finish EXIT
go "$(sed -n 's/^ixor: watch live at //p' "$T/err")"
wait_for 60 is "view.state && view.state.execution && view.state.execution.running === 4 &&
    view.state.execution.series.packet.length >= 60" || exit 1
click "//tbody[@id='vms']/tr[td[1]='Client B']"
wait_for 20 is "view.threads && view.threads.threads.length > 15" || exit 1
click "//tbody[@id='threads']/tr[td[1]='Worker']"
wait_for 20 is "document.querySelectorAll('#stack li').length > 3" || exit 1
# While it is working, with all JVMs at one packet.
for _ in $(seq 40); do
    click "//button[@id='freeze']"
    wait_for 20 is "view.moment && view.threads.packet === view.frozen" || exit 1
    is "document.querySelectorAll('#stack li').length > 5 &&
        view.moment.vms.every(vm => vm.taken)" && break
    click "//button[@id='freeze']"
    pause 0.3
done
pause 0.5
screenshot docs/viewer.png && ls -l docs/viewer.png
