#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Turns the output of `make -n V=1` on standard input into a JSON compilation database, for clangd and
# clang-tidy.
set -eu
first='['
while read -r line; do
    case $line in *' -c '*.c' -o '*) ;; *) continue ;; esac
    # The shell expands the line, including pkg-config's flags.
    eval "set -- $line"
    file=${line##* -c } file=${file%% -o *}
    printf '%s{"directory": "%s", "file": "%s", "arguments": [' "$first" "$PWD" "$file"
    separator=
    for word; do
        word=${word//\\/\\\\}
        printf '%s"%s"' "$separator" "${word//\"/\\\"}"
        separator=', '
    done
    printf ']}'
    first=$',\n'
done
echo ']'
