#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the includes between source folders against make/folders.txt.
#   folders.sh check     prints each include and cycle that breaks the rules; fails if there are any
#   folders.sh diagram   prints the folders and their includes as a Mermaid graph
#   folders.sh write     puts that graph into CONTRIBUTING.md, between its markers
set -eu
cd "$(dirname "$0")/.."
list=make/folders.txt
page=CONTRIBUTING.md

# Prints "INCLUDING INCLUDED" for each include of one of our headers by another file.
includes() {
    git ls-files --cached --others --exclude-standard 'agent/*.[ch]' 'roxi/*.[ch]' 'schema/*.[ch]' 'server/*.[ch]' |
        sort -u | while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
        xargs grep -HoE '^#include "[a-z]+/[^"]+"' | sed -E 's/^([^:]+):#include "(.*)"$/\1 \2/'
}

# Prints folders that include each other, as "FROM TO"; generated headers (build/gen) have no
# folder.
folder_edges() {
    includes | awk '{ from = $1; to = $2
        sub("/[^/]*$", "", from); sub("/[^/]*$", "", to)
        if (from != to) print from, to }' | sort -u
}

# Checks that every include is allowed by the list, and that every source folder is listed.
check_folders() {
    folder_edges | awk -F' *[|] *' -v list="$list" '
        BEGIN {
            while ((getline line < list) > 0) {
                if (line ~ /^#/ || split(line, field, / *[|] */) < 3) continue
                part = field[1]; sub("/.*", "", part)
                known[field[1]] = 1; folders++
                n = split(field[2], may, / +/)
                for (i = 1; i <= n; i++) allowed[field[1], part "/" may[i]] = 1
            }
            if (!folders) { print list ": no folder is listed"; exit }
        }
        {
            split($0, edge, " "); from = edge[1]; to = edge[2]; edges++
            part = to; sub("/.*", "", part); own = from; sub("/.*", "", own)
            if (!(from in known)) print from ": is not in " list
            else if (!(to in known)) print to ": is not in " list
            else if (part == "schema" && own != "schema") next
            else if (!((from, to) in allowed)) print from " must not include " to
        }
        END { if (folders && edges < folders) print "only " edges + 0 " includes were found: is this the tree?" }' |
        sort -u
}

# A unit is a header and its source. Prints the units of a cycle; nothing if there is none.
check_circles() {
    includes | sed -E 's/\.[ch]( |$)/\1/g' | awk '$1 != $2' | sort -u |
        { tsort 2>&1 >/dev/null || true; } | sed -n 's/^tsort: \([a-z]*\/.*\)/circle of includes: \1/p' | sort -u
}

diagram() {
    echo '```mermaid'
    echo 'graph TD'
    local part
    for part in agent server roxi schema; do
        printf '  subgraph %s\n' "$part"
        awk -F' *[|] *' -v part="$part" '$1 ~ "^" part "/" {
            id = $1; gsub("/", "_", id); name = $1; sub(".*/", "", name)
            printf "    %s[%s]\n", id, name }' "$list"
        echo '  end'
    done
    # Every folder includes schema and its part's base; those arrows would hide the others.
    folder_edges | awk '{ split($1, a, "/"); split($2, b, "/")
        if (b[2] == "base" || a[1] != b[1]) next
        from = $1; to = $2; gsub("/", "_", from); gsub("/", "_", to)
        printf "  %s --> %s\n", from, to }'
    echo '```'
}

write_page() {
    grep -q '<!-- folders: ' "$page" && grep -q '<!-- end -->' "$page" || {
        echo "folders.sh: $page has no lines '<!-- folders: ... -->' and '<!-- end -->'" >&2
        exit 1
    }
    local graph
    graph=$(mktemp)
    diagram >"$graph"
    sed -i -e "/<!-- folders: /,/<!-- end -->/{/<!-- folders: /{p;r $graph
        };/<!-- end -->/p;d}" "$page"
    rm -f "$graph"
}

case ${1:-} in
check)
    broken=$(check_folders; check_circles)
    [ -z "$broken" ] || { echo "$broken"; exit 1; }
    ;;
diagram) diagram ;;
write) write_page ;;
*) echo "usage: folders.sh check|diagram|write" >&2; exit 2 ;;
esac
