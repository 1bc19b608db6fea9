#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static checks of the sources; `make lint` calls it.
#   make/lint.sh [format|tidy|cppcheck|shell]...     default: all
# format: clang-format, configured in .clang-format. tidy: clang-tidy; .clang-tidy lists the checks,
# with reasons for those left out; needs compile_commands.json. cppcheck: make/cppcheck.txt lists
# findings to ignore. shell: shellcheck's warnings and errors. Prints "ok" or "not ok" for each;
# nonzero status if anything was found.
set -u
cd "$(dirname "$0")/.." || exit
parallel=$(nproc)
status=0

# Runs a command on all processors, with the file names from standard input as arguments.
on_all() { xargs -r -P "$parallel" -n 8 "$@"; }

lint_format() { git ls-files '*.c' '*.h' | on_all clang-format --dry-run --Werror; }

# Checks all compiled files; hides clang's counts of suppressed warnings.
lint_tidy() {
    local out code
    out=$(sed -nE 's/.*"file": "([^"]*)".*/\1/p' compile_commands.json |
        on_all clang-tidy --quiet -p . 2>&1)
    code=$?
    grep -vE '^[0-9]+ warnings? |^$' <<<"$out"
    return $code
}

lint_cppcheck() {
    # shellcheck disable=SC2046 # no blanks in our names
    cppcheck -q -j "$parallel" --std=c11 --enable=warning,performance,portability \
        --suppressions-list=make/cppcheck.txt --inline-suppr --error-exitcode=1 -D_GNU_SOURCE -I. \
        $(git ls-files '*.c')
}

# SC2148: tests have no shebang, because bash runs them by name. SC2034, SC2154: variables shared
# between files that source each other. SC2010: tests list only files whose names they chose.
# SC1010: "done" is an argument of some of our programs.
lint_shell() {
    git ls-files '*.sh' '*.bash' .ci/run |
        on_all shellcheck -s bash -S warning -e SC2148,SC2034,SC2154,SC2010,SC1010
}

what=("$@")
[ ${#what[@]} -gt 0 ] || what=(format tidy cppcheck shell)
for one in "${what[@]}"; do
    SECONDS=0
    if found=$("lint_$one" 2>&1); then
        echo "ok lint: $one (${SECONDS} s)"
    else
        echo "not ok lint: $one (${SECONDS} s)"
        printf '%s\n' "$found" >&2
        status=1
    fi
done
exit $status
