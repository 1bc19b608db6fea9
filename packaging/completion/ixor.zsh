#compdef ixor roxi
# SPDX-License-Identifier: Apache-2.0
# Completion of ixor and roxi in zsh: commands, options, their values, arguments. The programs say
# themselves what there is (IX_COMPLETE in schema/commandline/options.h).

# Sets reply to what _arguments shall do for something that --help calls $1.
_ixor_action() {
    case $1 in
    *RUN*) reply=_ixor_runs ;;
    *CAMPAIGN*|*DIR*|C|GOOD) reply='_files -/' ;;
    *FILE*|*PATH*|*LOG*|*DUMPS*|GLOB|BLAME|TRUTH) reply=_files ;;
    *[^a-z0-9\|-]*) reply=' ' ;; # a number, a name
    *) reply="(${1//\|/ })" ;;
    esac
}

# The campaign is the first word that is a directory with runs.
_ixor_runs() {
    local word
    for word in ${words[2,-1]}; do
        if [[ -d $word/runs ]]; then
            compadd -- $word/runs/*(N/:t)
            return
        fi
    done
}

_ixor() {
    local program=${~words[1]} command=$words[2] line item value help reply
    local -a lines items specs
    if (( CURRENT == 2 )); then
        lines=(${(f)"$(_call_program commands $program --complete 2>/dev/null)"})
        for line in $lines; do items+=("${line%%$'\t'*}:${line##*$'\t'}"); done
        _describe command items
        return
    fi
    lines=(${(f)"$(_call_program options $program $command --complete 2>/dev/null)"})
    for line in $lines; do
        IFS=$'\t' read -r item value help <<<$line
        help=${${help//(#m)[\[\]\\:]/\\$MATCH}}
        if [[ $item != -* ]]; then
            _ixor_operands $value
        elif [[ $value == - ]]; then
            specs+=("${item}[$help]")
        else
            _ixor_action $value
            [[ $item == --* ]] && item+==
            specs+=("${item}[$help]:${value//:/\\:}:$reply")
        fi
    done
    shift words
    (( CURRENT-- ))
    _arguments -S : $specs
}

# Appends the arguments that --help names to specs; the last one may be one of many.
_ixor_operands() {
    local name place=0
    local -a names=(${=1//[\[\].]/})
    [[ $1 == - ]] && return
    if [[ $1 == COMMAND* ]]; then
        specs+=('(-)1:command:_command_names -e' '*:: :_normal')
        return
    fi
    for name in $names; do
        (( place++ ))
        _ixor_action $name
        specs+=("$place:$name:$reply")
    done
    specs+=("*:$name:$reply")
}

setopt localoptions extendedglob
_ixor "$@"
