# SPDX-License-Identifier: Apache-2.0
# Completion of ixor and roxi in bash: commands, options, their values, arguments. The programs say
# themselves what there is (IX_COMPLETE in schema/commandline/options.h).
# shellcheck shell=bash

# _ixor_offer WORD CANDIDATES: those of the candidates, a line each, that begin with the word
_ixor_offer() { mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1"); }

# _ixor_files WORD KIND: -f files, -d directories
_ixor_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$2" -- "$1")
}

# _ixor_value WORD NAME CAMPAIGN: what is called NAME in --help
_ixor_value() {
    local run runs=
    case $2 in
    *RUN*)
        for run in "$3"/runs/*/; do
            run=${run%/}
            runs+=${run##*/}$'\n'
        done
        [ ! -d "$3/runs" ] || _ixor_offer "$1" "$runs"
        ;;
    *[!a-z0-9\|-]*)
        case $2 in
        *CAMPAIGN* | *DIR* | C | GOOD) _ixor_files "$1" -d ;;
        *FILE* | *PATH* | *LOG* | *DUMPS* | GLOB | BLAME | TRUTH) _ixor_files "$1" -f ;;
        esac
        ;;
    ?*[a-z]*) _ixor_offer "$1" "${2//|/$'\n'}" ;;
    esac
}

_ixor() {
    local program=${COMP_WORDS[0]/#\~/$HOME} word=${COMP_WORDS[COMP_CWORD]} option i
    local IFS=$' \t\n' args='' item value _ campaign='' place=0
    local -a names=()
    local -A values=()
    COMPREPLY=()
    if [ "$COMP_CWORD" -le 1 ]; then
        _ixor_offer "$word" "$("$program" --complete 2>/dev/null | cut -f 1)"
        return
    fi
    while IFS=$'\t' read -r item value _; do
        case $item in
        -*) names+=("$item") values[$item]=$value ;;
        *) args=$value ;;
        esac
    done < <("$program" "${COMP_WORDS[1]}" --complete 2>/dev/null)

    # Words before this one: arguments are counted, options and their values are not. Bash makes three
    # words of --option=value.
    option=
    for ((i = 2; i < COMP_CWORD; i++)); do
        item=${COMP_WORDS[i]}
        if [ "$item" = = ] && [ -n "${values[${COMP_WORDS[i - 1]}]-}" ]; then
            option=${COMP_WORDS[i - 1]}
        elif [ -n "$option" ]; then
            option=
        elif [ "$item" = -- ] || [[ $item != -* && $args == COMMAND* ]]; then
            [ "$item" != -- ] || i=$((i + 1))
            [[ $args == COMMAND* ]] && _ixor_command "$i"
            return
        elif [[ $item == -* ]]; then
            [ "${values[$item]:--}" = - ] || option=$item
        else
            place=$((place + 1))
            [ -n "$campaign" ] || campaign=$item
        fi
    done
    if [ -n "$option" ]; then
        [ "$word" != = ] || word=
        _ixor_value "$word" "${values[$option]}" "$campaign"
    elif [[ $word == -* ]]; then
        _ixor_offer "$word" "${names[*]}"
    elif [[ $args == COMMAND* ]]; then
        _ixor_command "$COMP_CWORD"
    else
        # The last argument that --help names may be one of many.
        read -ra names <<<"$args"
        [ "$place" -lt ${#names[@]} ] || place=$((${#names[@]} - 1))
        [ "$place" -lt 0 ] || _ixor_value "$word" "${names[place]//[\[\].]/}" "$campaign"
    fi
}

# _ixor_command PLACE: another command's line begins at this word
_ixor_command() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [ "$1" = "$COMP_CWORD" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    else
        _ixor_files "${COMP_WORDS[COMP_CWORD]}" -f
    fi
}

complete -F _ixor ixor roxi
