# SPDX-License-Identifier: Apache-2.0
# no JVM
# Completion in bash and zsh offers every command, option and value that --help has, and no others.
. tests/support/lib.sh

PATH=$PWD/$B:$PATH
mkdir -p "$T/camp/runs/run0001" "$T/camp/runs/run0002" "$T/other" && touch "$T/file"
commands_of() { "$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'; }
options_of() { "$1" "$2" --help | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p'; }
letters_of() { "$1" "$2" --help | sed -nE 's/^  (-.), --.*/\1/p'; }

# ---- bash, without the functions of bash-completion ----

. packaging/completion/ixor.bash
# offered WORD...: what is offered for the last one, in a directory with a campaign
offered() (
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    cd "$T" && _ixor
    printf '%s\n' "${COMPREPLY[@]}"
)
sorted() { printf '%s\n' "$@" | sort; }
# all_offered SHELL: all commands and options of both programs, and nothing else, are among what SHELL_words
# PROGRAM [COMMAND] prints
all_offered() {
    for program in ixor roxi; do
        # shellcheck disable=SC2046 # words
        same "$1: all commands of $program" "$(sorted $(commands_of $program) --help --version)" \
            "$("$1_words" $program | sort)"
        for command in $(commands_of $program); do
            # shellcheck disable=SC2046
            same "$1: all options of $program $command" \
                "$(sorted $(options_of $program "$command") $(letters_of $program "$command"))" \
                "$("$1_words" $program "$command" | sort)"
        done
    done
}
bash_words() { offered "$@" "${2:+-}"; }
all_offered bash
# what ROW: words and, after the colon, what is offered for the last of them (_: nothing before it)
while IFS=: read -r words want; do
    read -ra words <<<"$words"
    # shellcheck disable=SC2086
    same "bash: ${words[*]}" "$want" "$(offered "${words[@]/_/}" | xargs)"
done <<'END'
ixor ru:run
roxi matrix --format _:csv cluto npy phylip
roxi matrix --format np:npy
roxi matrix --format = c:csv cluto
roxi matrix --strategy gap --tr:
roxi matrix _:camp other
roxi rank --disturbed none ca:camp
roxi explain camp _:run0001 run0002
roxi explain --format markdown camp run0002:run0002
roxi baseline camp -o f:file
ixor label camp run0001 p:passed
ixor status camp o:other
ixor run --out _:camp other
ixor run --out camp --show:--show-output
ixor run --runs 2 -- printf fi:file
ixor run printf fi:file
ixor serve --runs _:
ixor none _:
END
offered ixor run -- print >"$T/out"
has "bash: ixor run -- COMMAND" '^printf$' "$T/out"
COMP_WORDS=(ixor run -- git com) COMP_CWORD=4
_command_offset() { COMPREPLY=("word $1"); }
_ixor
same "bash: the completion of COMMAND itself" "word 3" "${COMPREPLY[*]}"

# ---- zsh ----

if ! command -v zsh >/dev/null; then
    skip "zsh is not installed: its completion is not tried"
    exit 0
fi
# The functions of zsh's own completion print what they are given.
cat >"$T/given.zsh" <<'END'
_describe() { print -rl -- $items }
_arguments() { print -rl -- "$@" }
_call_program() { shift; "$@" }
while read -rA words; do
    CURRENT=$(($#words + 1))
    print -r -- "== $words"
    . $1
done
END
for program in ixor roxi; do
    echo $program
    for command in $(commands_of $program); do echo "$program $command"; done
done | zsh -f "$T/given.zsh" "$PWD/packaging/completion/ixor.zsh" >"$T/given" 2>"$T/err"
same "zsh: no complaints" "" "$(cat "$T/err")"
# given WORD...: what was given for them
given() { awk -v want="== $*" '/^== / { on = $0 == want; next } on' "$T/given"; }
zsh_words() { given "$@" | if [ $# = 1 ]; then sed 's/:.*//'; else sed -nE 's/^(--?[a-z-]+)=?\[.*/\1/p'; fi; }
all_offered zsh
# COMMAND, a tab, and the pattern of a line
while IFS=$'\t' read -r command line; do
    # shellcheck disable=SC2086 # two words
    given $command >"$T/out"
    has "zsh: $command: $line" "^$line\$" "$T/out"
done <<'END'
roxi matrix	--format=\[csv; cluto\\: .*\]:csv\|cluto\|npy\|phylip:\(csv cluto npy phylip\)
roxi explain	1:CAMPAIGN:_files -/
roxi explain	2:RUN\|--failed:_ixor_runs
ixor run	--show-output\[.*\]
ixor run	--runs=\[.*\]:N: 
ixor run	\(-\)1:command:_command_names -e
END
