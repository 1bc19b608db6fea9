# SPDX-License-Identifier: Apache-2.0
# Sourced by the environment sweeps, after lib.sh.

# open_place: creates $PLACE, a directory that every user can use, with copies of the files needed.
open_place() {
    if [ -z "${PLACE:-}" ]; then
        PLACE=$(mktemp -d /var/tmp/ixor-environment.XXXXXX)
        trap 'rm -rf "$PLACE"' EXIT
        chmod 755 "$PLACE"
        cp "$IXOR" "$ROXI" "$AGENT" "$PLACE"
        cp -r "$JAVA_CLASSES" "$PLACE/classes"
        ln -s "$JAVA_HOME" "$PLACE/jdk"
        chmod -R a+rX "$PLACE"
    fi
}

# needs COMMAND...: true if that works here; otherwise the points that follow are reported as
# skipped.
needs() {
    "$@" >/dev/null 2>&1 && return 0
    echo "skip $1 does not work here" >"$PLACE/results/skip.${1##*/}.$RANDOM"
    return 1
}

# point NAME [ARG]...: prints a point as a line
point() { echo "$@"; }

# run_at OUT NAME [ARG]...: runs the JVM in that environment; writes OUT.out, .err and .status
run_at() {
    local out=$1 name=$2
    shift 2
    # shellcheck disable=SC2046
    ("in_$name" "$@" $(java_of) >"$out.out" 2>"$out.err" </dev/null)
    echo $? >"$out.status"
}

# compare NAME [ARG]...: runs with and without the agent, and adds "good" or "bad WHY" to the
# results. JAVA_TOOL_OPTIONS is set in both cases, because a JVM prints a line about it.
compare() {
    local label=${*// /_} with without
    with=$PLACE/results/${label//\//_}.with
    without=$PLACE/results/${label//\//_}.without
    run_at "$with" "$@"
    (
        export JAVA_TOOL_OPTIONS=-Dno=agent
        unset IXOR_KEY IXOR_ROLE IXOR_SERVER IXOR_EXECUTION IXOR_RUN IXOR_RUN_DIR
        run_at "$without" "$@"
    )
    judge "$with" "$without" >"$PLACE/results/${label//\//_}.verdict"
}

# judge WITH WITHOUT
judge() {
    local line lines
    lines=$(grep -ac '^ixor: ' "$1.err")
    grep -av -e '^ixor: ' -e '^Picked up JAVA_TOOL_OPTIONS: ' "$1.err" >"$1.rest"
    grep -av '^Picked up JAVA_TOOL_OPTIONS: ' "$2.err" >"$2.rest"
    line=$(grep -a '^ixor: ' "$1.err" | head -n 1)
    if ! cmp -s "$1.status" "$2.status"; then
        echo "bad status $(cat "$1.status"), without the agent $(cat "$2.status"): $(head -n 3 "$1.err" "$1.out" | tr '\n' ' ')"
    elif ! cmp -s "$1.out" "$2.out"; then
        echo "bad stdout: $(head -n 3 "$1.out" | tr '\n' ' ')"
    elif [ "$lines" -gt 1 ]; then
        echo "bad: $lines lines of the agent"
    elif ! cmp -s "$1.rest" "$2.rest"; then
        echo "bad stderr: $(head -n 3 "$1.rest" | tr '\n' ' ')"
    else
        echo "good${line:+ with: $line}"
    fi
}

# tell_points: prints a check for each point
tell_points() {
    local file name verdict count=0
    for file in "$PLACE"/results/*.verdict "$PLACE"/results/skip.*; do
        [ -f "$file" ] || continue
        name=$(basename "$file" .verdict)
        verdict=$(cat "$file")
        case $verdict in
        good*) count=$((count + 1)) && ok "$name" ;;
        skip*) echo "$verdict" ;;
        *) not_ok "$name: $verdict" ;;
        esac
    done
    check "points: $count good" [ "$count" -ge 20 ]
}

# readable_logs DIR
readable_logs() {
    local log
    while read -r log; do
        [ ! -s "$log" ] || "$PLACE/roxi" dump --summary "$log" >/dev/null || return 1
    done < <(find "$1" -name '*.ixl')
}
