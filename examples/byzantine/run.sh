#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of Byzantine: starts its four JVMs, waits for them, judges what they wrote. Starts no other JVM.
# shellcheck disable=SC2034,SC2154  # variables from and for the files that it sources
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
# shellcheck source=../common/run.bash disable=SC1091
. "$here/../common/run.bash" || exit 2
# shellcheck source=oracle.sh disable=SC1091
. "$here/oracle.sh" || die "no oracle"

system=byzantine
# In the order of their numbers: general 0 is the commander.
roles=(Commander 'Lieutenant A' 'Lieutenant B' 'Lieutenant C')
lieutenants=("${roles[@]:1}")
faults=$(
  printf '%s\t%s\t%s\n' \
    none - 'the same classes, sockets and injector; nothing goes wrong' \
    io 0.001 'a read or write of a socket throws an IOException' \
    swap 0.001 'two bytes that a socket reads or writes are swapped' \
    disloyal-silent - 'a lieutenant does not pass orders on to one or both of the others' \
    disloyal-lying - 'a lieutenant passes on another order to one or both of the others' \
    disloyal-commander - 'the commander gives different orders' \
    kill - 'a general is killed (SIGKILL)' \
    stall - 'a general stands still for 1 to 3 s (SIGSTOP, SIGCONT)' \
    lost-wakeup - 'the scribe of a general is not woken: what must be written down waits forever' \
    deadlock - 'a soldier tells the board with the siege locked, while the board asks the siege' \
    slow - 'each line of a chronicle takes 100 to 300 ms longer' \
    leak - 'a general does not end the timers of its sentry, each with a thread'
)
own_options=(attacks limit)
own_usage='  --attacks N       how many targets to attack before the retreat (default 4)
  --limit MS        when a machine that has not ended gives up (default 15000)'
attacks=4
# A normal run takes about four seconds; the thesis allows three times that.
limit=15000
take_options "$@"
[[ $attacks =~ ^([1-9]|[1-9][0-9])$ ]] || die "--attacks: $attacks is not in 1..99"
[[ $limit =~ ^[1-9][0-9]{3,5}$ ]] || die "--limit: $limit is not in 1000..999999"

# defect KIND@PLACE FROM TO MILLIS ROLE...: one of the ROLEs, chosen at random, makes a mistake from
# a random time in its life on, FROM to TO-1 ms after its start.
defect() {
  draw_from "$2" "$3"
  defect_arguments=(defect="$1" defect-after="$drawn" defect-millis="$4")
  shift 4
  draw_one "$@"
  culprit=$drawn
}

injected=none culprit=none defect_arguments=()
case $fault in
  io | swap) injected=$fault ;;
  disloyal-commander) defect disloyal-commander@council 1500 3000 0 Commander ;;
  disloyal-*) defect "$fault@council" 1500 3000 0 "${lieutenants[@]}" ;;
  lost-wakeup) defect lost-wakeup@chronicle 1500 3000 0 "${roles[@]}" ;;
  # How long the siege stays locked: each of the others sends a ping, which reads the board, every
  # 100 ms.
  deadlock) defect deadlock@siege 1500 3000 400 "${roles[@]}" ;;
  slow)
    draw_from 100 300
    defect slow@scribe 1500 3000 "$drawn" "${roles[@]}"
    ;;
  leak) defect leak@hourglass 1000 2500 0 "${roles[@]}" ;;
esac

begin
for role in "${roles[@]}"; do
  arguments=()
  [ "$role" != "$culprit" ] || arguments=("${defect_arguments[@]}")
  start "$role" byzantine.general.GeneralMain role="$role" dir="$dir" limit="$limit" fault="$injected" \
    probability="$probability" seed="$seed" generals=${#roles[@]} traitors=1 attacks="$attacks" "${arguments[@]}"
done
case $fault in
  kill) later kill_one "$dir/mustered" 0 3000 "${roles[@]}" ;;
  stall) later stall_one "$dir/mustered" 0 3000 1000 3000 "${roles[@]}" ;;
esac
await_limit "$limit"
end_all
conclude judge
