# SPDX-License-Identifier: Apache-2.0
# What the run.sh of every sample system needs: options, starting and ending virtual machines, faults from outside.
# Sourced; README.md tells what a system sets before, and in which order to call. Starts no process but the machines.
# shellcheck shell=bash disable=SC2034,SC2154

common=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
umask 077
# shellcheck source-path=SCRIPTDIR source=chance.bash
. "$common/chance.bash" || exit 2

# A message says what, where and what to do; the status means that the harness could not do its
# work.
die() { printf '%s: %s\n' "${system:-run}/run.sh" "$1" >&2; exit 2; }

# slug TEXT: as part of a file name; same as Settings.slug().
slug() { local s=${1,,}; printf '%s' "${s// /-}"; }

# value_of KEY FILE: from a file of KEY=VALUE lines; nothing if the key or the file is missing.
value_of() { sed -n "s/^$1=//p" "$2" 2> /dev/null; }

usage() {
  cat <<END
usage: run.sh [OPTION...]
       run.sh --list-faults

One run of $system, judged by what its virtual machines left behind.
  --fault KIND      none (default) or one of --list-faults
  --probability P   0..1, of faults that have one, per socket read or write
  --seed N          decides what is hit, where and when (default 1)
  --dir RUNDIR      where the run's files go; made if need be, must be empty
                    (default: a new directory under \${TMPDIR:-/tmp}, kept)
  --classes DIR     compiled classes (default: build/examples/$system of this tree)
  --blind           exit 0 whatever the verdict
  --list-faults     KIND<TAB>DEFAULT PROBABILITY OR -<TAB>WHAT, a line a kind;
                    <TAB>apart behind it: campaigns have it only if it is named
$own_usage
RUNDIR/outcome.txt gets the verdict, RUNDIR/faults-*.log what was injected.
JAVA_HOME picks the JDK.
exit status: 0 passed, 1 failed, 2 the harness itself could not do its work
END
}

# fault_field N: from the line of $fault in the table of faults.
fault_field() { awk -F '\t' -v kind="$fault" -v n="$1" '$1 == kind { print $n }' <<< "$faults"; }

# take_options ARGUMENT...: sets fault, probability (0 where the fault has none), seed, dir, classes, blind, java and
# the system's own options; checks them all; makes the run's directory.
take_options() {
  local name known=" classes dir fault probability seed ${own_options[*]} "
  classes=$common/../../build/examples/$system
  dir='' fault=none probability='' seed=1 blind=no
  while [ $# -gt 0 ]; do
    name=${1#--} name=${name//-/_}
    case $1 in
      --help) usage; exit 0 ;;
      --list-faults) printf '%s\n' "$faults"; exit 0 ;;
      --blind) blind=yes; shift; continue ;;
    esac
    [[ $1 == --* && $known == *" $name "* ]] || die "unknown option $1 (see --help)"
    [ $# -ge 2 ] || die "$1 needs a value"
    printf -v "$name" '%s' "$2"
    shift 2
  done
  check_options
  make_directory
}

check_options() {
  local usual
  usual=$(fault_field 2)
  [ -n "$usual" ] || die "--fault: $fault is no kind of fault here (see --list-faults)"
  [[ $seed =~ ^(0|[1-9][0-9]{0,8})$ ]] || die "--seed: $seed is not a number of at most 9 digits"
  [ -n "$probability" ] || probability=$usual
  [ "$usual" != - ] || probability=0
  [[ $probability =~ ^(0(\.[0-9]+)?|1(\.0+)?)$ ]] || die "--probability: $probability is not in 0..1"
  [ -n "$(ls -A "$classes" 2> /dev/null)" ] || die "no classes in $classes; compile them first (make examples)"
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" > /dev/null || die "no $java; set JAVA_HOME or install a JDK"
}

make_directory() {
  if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/$system.XXXXXX") || die "no temporary directory; set TMPDIR"
  else
    mkdir -p "$dir" || die "--dir: cannot make $dir"
    [ -z "$(ls -A "$dir")" ] || die "--dir: $dir is not empty; name another one"
  fi
  dir=$(cd "$dir" && pwd) || die "--dir: cannot enter $dir"
}

# ---- time --------------------------------------------------------------------------------------

# A pipe that is never written: waiting for it sleeps without starting a process.
exec {never}<> <(:)

# pause MILLISECONDS: at least 1
pause() { read -r -t "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))" -u "$never" _ || true; }

# tick: sets now, milliseconds since 1970
tick() { now=$((${EPOCHREALTIME/[.,]/} / 1000)); }

# ---- virtual machines ---------------------------------------------------------------------------

# By role: process id, and exit status once it has ended (137: killed).
declare -A pid_of=() status_of=()
# Processes of the harness that wait to inject a fault.
watchers=()
java_options=(-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1)
class_path=''

# begin: from here on no process outlives this script, however it ends, and time is counted.
begin() {
  trap end_everything EXIT
  trap 'exit 143' TERM
  trap 'exit 130' INT
  trap 'exit 129' HUP
  tick
  begun=$now
}

# shellcheck disable=SC2317  # reached by the trap
end_everything() {
  local left
  trap - EXIT
  mapfile -t left < <(jobs -pr)
  [ ${#left[@]} -eq 0 ] || kill -KILL "${left[@]}" 2> /dev/null
  wait 2> /dev/null
}

# start ROLE CLASS [ARGUMENT...]: starts a JVM; its output goes to out-SLUG.txt and err-SLUG.txt.
start() {
  local role=$1 name
  name=$(slug "$role")
  shift
  IXOR_ROLE=$role exec "$java" "${java_options[@]}" -cp "${class_path:-$classes}" "$@" \
    > "$dir/out-$name.txt" 2> "$dir/err-$name.txt" &
  pid_of[$role]=$!
}

runs() { kill -0 "${pid_of[$1]}" 2> /dev/null; }

# await SECONDS [ROLE...]: waits until these (default: all) have ended, or this long after `begin`.
await() {
  local role end=$((begun + $1 * 1000))
  shift
  [ $# -gt 0 ] || set -- "${roles[@]}"
  for role in "$@"; do
    while tick && runs "$role" && [ "$now" -lt $end ]; do pause 50; done
  done
}

# await_limit MS [ROLE...]: the same, as long as machines with this limit can take to give up: on a busy computer four
# times the limit (Watchdog), and a while to start. Ends what cannot even give up.
await_limit() { await $((4 * $1 / 1000 + 15)) "${@:2}"; }

# await_file FILE: waits until it exists. For watchers, which end with the run.
await_file() { until [ -e "$1" ]; do pause 20; done; }

# end_all: kills the remaining processes that must not keep running; sets status_of and
# milliseconds, the length of the run.
end_all() {
  local role
  [ ${#watchers[@]} -eq 0 ] || kill -KILL "${watchers[@]}" 2> /dev/null
  for role in "${!pid_of[@]}"; do
    kill -KILL "${pid_of[$role]}" 2> /dev/null
    wait "${pid_of[$role]}" 2> /dev/null
    status_of[$role]=$?
  done
  wait 2> /dev/null
  tick
  milliseconds=$((now - begun))
}

# ---- faults from outside ------------------------------------------------------------------------

# log_fault ROLE KIND WHERE DETAIL: what the harness did, and when; FaultLog writes the same for
# faults inside a JVM.
log_fault() {
  tick
  printf '%s\t%s\t%s\t%s\t%s\n' "$now" "$@" >> "$dir/faults-harness.log"
}

# kill_vm ROLE: kills it at once. One that has ended is left alone, and nothing is logged.
kill_vm() { kill -KILL "${pid_of[$1]}" 2> /dev/null && log_fault "$1" "$fault" process SIGKILL; }

# stall_vm ROLE MILLISECONDS: stops it for this long.
stall_vm() {
  kill -STOP "${pid_of[$1]}" 2> /dev/null || return
  log_fault "$1" "$fault" process "SIGSTOP for $2 ms"
  pause "$2"
  kill -CONT "${pid_of[$1]}" 2> /dev/null
}

# later FUNCTION [ARGUMENT...]: runs it in parallel to the run, which ends it.
later() {
  "$@" &
  watchers+=($!)
}

# kill_one FILE FROM TO ROLE...: kills one of the roles, drawn, at a drawn time of FROM..TO-1 ms after FILE is there.
kill_one() {
  local file=$1 millis
  draw_from "$2" "$3"
  millis=$drawn
  shift 3
  draw_one "$@"
  await_file "$file"
  pause "$millis"
  kill_vm "$drawn"
}

# kill_all FILE FROM TO ROLE...: like kill_one, but kills all of them, as a loss of power does.
kill_all() {
  local file=$1 role
  draw_from "$2" "$3"
  shift 3
  await_file "$file"
  pause "$drawn"
  for role in "$@"; do kill_vm "$role"; done
}

# stall_one FILE FROM TO LEAST MOST ROLE...: like kill_one, but stops it for a drawn time of LEAST..MOST-1 ms.
stall_one() {
  local file=$1 millis length
  draw_from "$2" "$3"
  millis=$drawn
  draw_from "$4" "$5"
  length=$drawn
  shift 5
  draw_one "$@"
  await_file "$file"
  pause "$millis"
  stall_vm "$drawn" "$length"
}

# ---- verdict ------------------------------------------------------------------------------------

# conclude FUNCTION: its output (oracle.bash) becomes outcome.txt, complete or not at all; ends the
# script.
conclude() {
  local verdict
  "$1" > "$dir/outcome.part" || die "cannot write $dir/outcome.part"
  mv "$dir/outcome.part" "$dir/outcome.txt" || die "cannot write $dir/outcome.txt"
  verdict=$(value_of verdict "$dir/outcome.txt")
  printf '%s: %s %s\n' "$verdict" "$dir/outcome.txt" "$(value_of reasons "$dir/outcome.txt")"
  [ "$blind" = yes ] || [ "$verdict" = passed ] || exit 1
  exit 0
}
