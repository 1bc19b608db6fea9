# SPDX-License-Identifier: Apache-2.0
# The truth about a campaign: a table with a line a run, what was injected and what came of it. Sourced by campaign.sh
# and casestudy.sh.
#
#   execution     its name in the catalogue
#   system, seed  run.sh of that system repeats the run's faults with that seed
#   fault         its kind; none: a normal run, the injector present
#   probability   of io, swap and the like, per operation; - none
#   injected      how many faults really were
#   first_ms      the first one's time after the run's start, milliseconds; - none
#   where         the machine (role) and place of the first one; - none
#   verdict       passed or failed, by the system's oracle from the outcome
#   reasons       of a failure
#   milliseconds  the run's length
#   load          user and system time of the run's processes, over its length times the number of processors
#   busy          the same of the whole machine: what else ran beside it
# shellcheck shell=bash disable=SC2034

truth_columns=(execution system seed fault probability injected first_ms where verdict reasons milliseconds load busy)

# truth_header: the table's first line.
truth_header() { local IFS=$'\t'; printf '%s\n' "${truth_columns[*]}"; }

# begin_truth FILE: makes the table if there is none.
begin_truth() { [ -s "$1" ] || truth_header > "$1"; }

# truth_line VALUE...: a line of the table. Blanks stand for what would break it, - for nothing.
truth_line() {
  local value line='' i=0
  for value in "$@"; do
    value=${value//[$'\t\n\r']/ }
    line+=${line:+$'\t'}${value:--}
    i=$((i + 1))
  done
  [ $i -eq ${#truth_columns[@]} ] || return 1
  printf '%s\n' "$line"
}
