#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# The commands of docs/why.md print what the page says: those of the section on three failures, in its
# order, with directories of the test's own. A line "..." stands for any number of lines, and at the end
# for the rest.
. tests/support/lib.sh

# section: the section's code, without its indentation
section() {
    sed -n '/^## Three failures/,/^## How/ { s/^    //p; /^$/p }' docs/why.md
}
# agrees WANT GOT: both are files
agrees() {
    awk 'NR == FNR { want[++n] = $0; next }
        { got[++m] = $0 }
        END {
            while (n && want[n] == "") n-- # blank lines between the code and the text
            for (i = j = 1; i <= n; i++) {
                if (want[i] == "...") { skips = 1; continue }
                while (skips && j <= m && got[j] != want[i]) j++
                if (j > m || got[j] != want[i]) { print "want: " want[i]; print "got:  " got[j]; exit 1 }
                skips = 0
                j++
            }
            exit !(skips || j > m)
        }' "$1" "$2"
}
# try COMMAND: prints what the page says of it in $T/want
try() {
    bash -c "${1//\/tmp\//$T/}" >"$T/got" 2>"$T/err" </dev/null
    same "${1%% /tmp*}: exit status" 0 $?
    check "$1" agrees "$T/want" "$T/got"
}

command=''
: >"$T/want"
while IFS= read -r row; do
    case $row in
    '$ '*)
        [ -z "$command" ] || try "$command"
        command=${row#'$ '}
        : >"$T/want"
        ;;
    *) printf '%s\n' "$row" >>"$T/want" ;;
    esac
done < <(section)
try "$command"
