#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the pictures of docs/why.md again: reports of stored campaigns. `make screenshot` calls it; it
# needs Debian's chromium and chromium-driver.
set -u
cd "$(dirname "$0")/.." || exit
B=build JAVA_HOME=$(make/jdk.sh) JAVA_CLASSES=
T=$(mktemp -d "${TMPDIR:-/tmp}/ixor-screenshots.XXXXXX") || exit 1
. tests/support/lib.sh
. tests/support/webdriver.bash
browser_there || { echo "report_screenshots.sh: chromium and chromium-driver are needed" >&2; exit 1; }
browser_start 1000 800 || exit 1
trap 'browser_stop; rm -rf "$T"' EXIT

# page SYSTEM RUN: the report of the stored campaign, at that run
page() {
    examples/casestudy.sh --unpack "casestudy/$1.tar.xz" "$T/$1" >"$T/out" 2>&1 &&
        "$ROXI" report "$T/$1/campaign" -o "$T/$1.html" 2>"$T/err" || exit 1
    go "file://$T/$1.html#run=$2"
    wait_for 30 is "state.run && state.run.name === '$2'" || exit 1
}
# take FILE SELECTOR: what is visible with that element on top
take() {
    js "document.querySelector('$2').scrollIntoView()" >/dev/null
    wait_for 20 is "Math.abs(document.querySelector('$2').getBoundingClientRect().top) < 20" || exit 1
    pause 0.5
    screenshot "$1" && ls -l "$1"
}

page bully run0205
take docs/why-bully.png '#explorer'
page shop run0018
take docs/why-shop.png '#explorer'
# As if the threads of Node-1 had been dragged over, and, with Shift, those of Node-2.
page curator run0055
js "const rows = node => line.rows.map((r, i) => [r.thread, i]).filter(([t]) => t && t.node === node).map(r => r[1]);
    const area = node => ({from: 4783, to: 4855, top: Math.min(...rows(node)), bottom: Math.max(...rows(node))});
    Object.assign(state, {area: area('Node-1'), base: area('Node-2')});
    writeAddress(); showChosenFlame()" >/dev/null
take docs/why-curator.png '#flame-title'
