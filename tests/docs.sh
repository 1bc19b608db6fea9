# no JVM
# Documentation and layout keep their promises: every command and option of --help is in the man
# page, the man pages are well-formed, the parts include only what they may, files stay short.
cd "$(dirname "$0")/.."
. tests/e2e/lib.sh

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

for page in man/*.[0-9]; do
    same "$page is well-formed" "" "$(man --warnings -l "$page" 2>&1 >/dev/null)"
done

for part in agent server roxi; do
    others=$(echo agent server roxi | sed "s/$part//")
    for other in $others; do
        same "$part includes nothing of $other" "" \
            "$(grep -lE "#include \"$other/" "$part"/*.[ch] || true)"
    done
done
same "schema includes nothing of the others" "" \
    "$(grep -lE '#include "(agent|server|roxi)/' schema/*.[ch] || true)"
same "no source file is longer than 600 lines" "" \
    "$(git ls-files '*.c' '*.h' '*.java' '*.sh' | xargs wc -l | awk '$2 != "total" && $1 > 600')"

for command in $(grep -oE '^    (build/)?(ixor|roxi) [a-z]+' README.md | awk '{print $1 "/" $2}' |
    sed 's,build/,,' | sort -u); do
    check "README's ${command/\// } exists" build/"${command%/*}" "${command#*/}" --help
done

same "every picture in a document is there" "" "$(git ls-files '*.md' | while read -r page; do
    grep -oE '!\[[^]]*\]\([^)]+\)' "$page" | sed -E 's/.*\((.*)\)/\1/' | while read -r picture; do
        [ -s "$(dirname "$page")/$picture" ] || echo "$page: $picture"
    done
done)"
