# SPDX-License-Identifier: Apache-2.0
# no JVM
# Documentation and layout keep their promises: every command and option of --help is in the man
# page, the man pages are well-formed, the parts include only what they may, files stay short, each file
# says its licence, and users read the words of the glossary.
cd "$(dirname "$0")/.." || exit
. tests/support/lib.sh

commands_of() { "$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'; }
options_of() { "$@" --help | grep -oE -- '(^|[ ,[|])--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+' | sort -u; }

for program in ixor roxi; do
    page=man/$program.1
    text=$(sed 's/\\-/-/g' "$page")
    list=$(commands_of build/$program)
    [ -n "$list" ] || not_ok "$program --help lists its commands"
    for command in $list; do
        case $text in
        *".SS \"$program $command"* | *".SS $program $command"*) ok "$page describes $command" ;;
        *) not_ok "$page describes $command" ;;
        esac
        sed '/^\.SH DESCRIPTION/,$d' "$page" | grep -q "^\\\\fB$program\b.*[ B]$command\b" ||
            not_ok "$page: $command is in the synopsis"
        for option in $(options_of build/$program "$command"); do
            case $text in
            *"$option"*) ;;
            *) not_ok "$page: $command's $option is described" ;;
            esac
        done
        widest=$(build/$program "$command" --help | wc -L)
        [ "$widest" -le 80 ] || not_ok "$program $command --help fits 80 columns (has $widest)"
    done
done

# missing KIND...: those that are no words of the text on standard input
missing() {
    local kind text
    text=$(sed 's/\\-/-/g' | tr -c 'a-z-' '\n')
    for kind; do
        grep -qx -e "$kind" <<<"$text" || echo "$kind"
    done
}
findings=$(sed -n '/^} kind_words\[/,/kind_of_duration(f) : abouts/p' roxi/explain/words.c | grep -oE '"[a-z]+(-[a-z]+)*"' | tr -d '"')
durations="stay $(sed -nE 's/.*\.name = "([a-z-]+)".*/\1/p' roxi/rank/kinds.c)"
check "kinds have been found" [ "$(wc -w <<<"$findings")" -ge 27 -a "$(wc -w <<<"$durations")" -ge 16 ]
# shellcheck disable=SC2086
same "the man page lists all kinds of findings, of durations; docs/why.md those of findings" "" "$(
    sed -n '/objects with .*kind/,/docs.why.md/p' man/roxi.1 | missing $findings
    sed -n '/with .fIkind.fR (call/,/)/p' man/roxi.1 | missing $durations
    grep '^| `' docs/why.md | cut -d '|' -f 2 | missing $findings)"

version=$(sed -nE 's/^VERSION := ([0-9]+\.[0-9]+)\..*/\1/p' Makefile)
for page in man/*.[0-9]; do
    has "$page is of the Makefile's version" "^\.TH .* \"Ixor ${version:?}\"" "$page"
    same "$page is well-formed" "" "$(man --warnings -l "$page" 2>&1 >/dev/null)"
    # groff takes a request in the middle of a line for text
    same "$page: requests begin lines" "" "$(grep -nE '[^ ] \.(TH|SH|SS|TP|PP|IP|RS|RE|nf|fi)( |$)' "$page" | cut -c 1-80)"
    same "$page has its sections" '.TH .SH NAME .SH SYNOPSIS .SH DESCRIPTION' \
        "$(sed -n '1s/^\(\.TH\) .*/\1/p; /^\.SH \(NAME\|SYNOPSIS\|DESCRIPTION\)$/p' "$page" | xargs)"
done

same "folders include only what make/folders.txt allows, and nothing in circles" "" \
    "$(make/folders.sh check 2>&1)"
same "the diagram in CONTRIBUTING.md is that of the sources" "$(make/folders.sh diagram)" \
    "$(sed '1,/<!-- folders: /d; /<!-- end -->/,$d' CONTRIBUTING.md)"
git ls-files '*.c' '*.h' '*.java' '*.sh' | xargs wc -l | awk '$2 != "total" && $1 > 600 {
    print "docs: " $2 " has " $1 " lines: is it still one thing?" }' >&2

for command in $(grep -oE '^    (build/)?(ixor|roxi) [a-z]+' README.md | awk '{print $1 "/" $2}' |
    sed 's,build/,,' | sort -u); do
    check "README's ${command/\// } exists" build/"${command%/*}" "${command#*/}" --help
done

same "every picture in a document is there" "" "$(git ls-files '*.md' | while read -r page; do
    grep -oE '!\[[^]]*\]\([^)]+\)' "$page" | sed -E 's/.*\((.*)\)/\1/' | while read -r picture; do
        [ -s "$(dirname "$page")/$picture" ] || echo "$page: $picture"
    done
done)"

same "each source file has an SPDX line among its first two" "" "$(
    git ls-files '*.c' '*.h' '*.java' '*.js' '*.css' '*.sh' '*.bash' '*.awk' '*.py' '*.sql' Makefile .ci/run |
        xargs awk 'function end() { if (file && !says) print file }
            FNR == 1 { end(); file = FILENAME; says = 0 }
            FNR <= 2 && /SPDX-License-Identifier: Apache-2\.0/ { says = 1 }
            END { end() }')"

# Words and options that users need not know any more; docs/glossary.md has those that replace them.
private='\b(door|courier|depot|volley|ledger|aspect)s?\b|--(keep|aspects|peers|effort|on|alarm|verdicts)\b|(/|directory )kept\b'
text_for_users() {
    local file program command
    for file in README.md SECURITY.md docs/*.md man/*.[0-9]; do
        sed -E "s/\\\\-/-/g; s/\\\\f.//g; s,^,$file: ," "$file"
    done
    for program in ixor roxi; do
        for command in $(commands_of build/$program); do
            build/$program "$command" --help | sed "s,^,$program $command --help: ,"
        done
    done
}
check "text for users has been found" [ "$(text_for_users | wc -l)" -gt 1000 ]
same "no private word in it" "" "$(text_for_users | grep -iE -- "$private")"
