# SPDX-License-Identifier: Apache-2.0
# A headless browser, driven by WebDriver (W3C) with curl and jq. Sourced; needs $T.

# True if it is installed here: Debian's chromium and chromium-driver (make deps-peers).
browser_there() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }

wd() { # METHOD PATH [JSON]: the value
    curl -s --max-time 60 -X "$1" "$DRIVER/$2" -H 'Content-Type: application/json' \
        ${3:+--data-binary "$3"} | jq -c .value
}

# browser_start WIDTH HEIGHT: opens a session, or prints a failed check and what the driver said.
browser_start() {
    session_open "$@" && return
    not_ok "a browser"
    sed 's/^/# /' "$T/driver.out" "$T/session.json" >&2
    return 1
}

session_open() {
    local root='[]'
    [ "$(id -u)" != 0 ] || root='["--no-sandbox"]' # its sandbox does not work for root
    chromedriver --port=0 >"$T/driver.out" 2>&1 &
    driver=$!
    trap browser_stop EXIT
    wait_for 30 grep -q 'started successfully on port' "$T/driver.out" || return 1
    DRIVER=http://127.0.0.1:$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' \
        "$T/driver.out")
    jq -nc --arg size "--window-size=$1,$2" --arg home "--user-data-dir=$T/profile" \
        --argjson root "$root" '{capabilities: {alwaysMatch: {
            "goog:loggingPrefs": {browser: "ALL"},
            "goog:chromeOptions": {args: (["--headless=new", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--hide-scrollbars", $size, $home] + $root)}}}}' \
        >"$T/wanted"
    wd POST session "$(cat "$T/wanted")" >"$T/session.json"
    session=session/$(jq -r '.sessionId // empty' "$T/session.json")
    [ "$session" != session/ ]
}

browser_stop() {
    trap - EXIT
    [ "${session:-session/}" = session/ ] || wd DELETE "$session" >/dev/null
    kill $driver 2>/dev/null
    wait $driver 2>/dev/null
    true # it ended by our signal
}

go() { wd POST "$session/url" "$(jq -nc --arg url "$1" '{url: $url}')" >/dev/null; }
js() { wd POST "$session/execute/sync" "$(jq -nc --arg s "$1" '{script: $s, args: []}')"; }
is() { [ "$(js "return Boolean($1)")" = true ]; }
element() { # XPATH: its handle
    wd POST "$session/element" "$(jq -nc --arg x "$1" '{using: "xpath", value: $x}')" |
        jq -r '.[]?'
}
click() { wd POST "$session/element/$(element "$1")/click" '{}' >/dev/null; } # XPATH
# KEY: pressed and released; WebDriver's code points for those without a character. On a loaded machine the
# driver now and then reports keys as pressed that do not reach the page: then it is told again.
key() {
    local before
    before=$(js "if (!window.keysSeen) {
            window.keysSeen = 1;
            document.addEventListener('keydown', () => { window.keysSeen++; }, true);
        }
        return window.keysSeen")
    for _ in 1 2 3; do
        wd POST "$session/actions" "$(jq -nc --arg k "$1" '{actions: [{type: "key", id: "keys",
            actions: [{type: "keyDown", value: $k}, {type: "keyUp", value: $k}]}]}')" >/dev/null
        wait_for 4 is "window.keysSeen > $before" && return
    done
}
# In bytes, since what \u means depends on the locale, and a fresh machine has none.
LEFT=$'\xee\x80\x92' RIGHT=$'\xee\x80\x94' DOWN=$'\xee\x80\x95' ENTER=$'\xee\x80\x87'
screenshot() { wd GET "$session/screenshot" | jq -r . | base64 -d >"$1"; } # FILE
console() { wd POST "$session/se/log" '{"type": "browser"}'; }
