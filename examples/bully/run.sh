#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of Bully: starts its four JVMs, waits for them, judges what they wrote. Starts no other JVM.
# shellcheck disable=SC2034,SC2154  # variables from and for the files that it sources
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
# shellcheck source=../common/run.bash disable=SC1091
. "$here/../common/run.bash" || exit 2
# shellcheck source=oracle.sh disable=SC1091
. "$here/oracle.sh" || die "no oracle"

system=bully
roles=('Message Server' 'Client A' 'Client B' 'Client C')
faults=$(
  printf '%s\t%s\t%s\n' \
    none - 'the same classes, sockets and injector; nothing goes wrong' \
    io 0.001 'a read or write of a socket throws an IOException' \
    swap 0.001 'two bytes that a socket reads or writes are swapped' \
    priority - 'Client A or B leaves, comes back with priority 200, runs the recovery step' \
    kill - 'a machine is killed (SIGKILL)' \
    power - 'all machines are killed at once' \
    stall - 'a machine stands still for 1 to 3 s (SIGSTOP, SIGCONT)' \
    lost-wakeup - 'a notify is left out: a thread waits forever' \
    deadlock - 'two threads of the coordinator take two locks in opposite order' \
    slow - 'each request takes 100 to 300 ms longer, at the message server or the coordinator' \
    leak - 'the coordinator never ends the threads that spread its state'
)
# Call stacks cannot show this kind of fault (docs/case-study.md, What leaves no trace).
faults+=$'\nwrong-number\t-\ta client calls the first number of each task composite if it is prime, and vice versa\tapart'
own_options=(numbers limit)
own_usage='  --numbers N       how many numbers to test (default 1000)
  --limit MS        when a machine that has not ended gives up (default 15000)'
numbers=1000
# A normal run takes four to five seconds; the specification allows three times that.
limit=15000
take_options "$@"
[[ $numbers =~ ^[1-9][0-9]{0,5}$ ]] || die "--numbers: $numbers is not in 1..999999"
[[ $limit =~ ^[1-9][0-9]{3,5}$ ]] || die "--limit: $limit is not in 1000..999999"

# defect ROLE KIND@PLACE FROM TO [MILLIS]: ROLE makes a mistake from a random time in its life on,
# FROM to TO-1 ms after its start.
defect() {
  draw_from "$3" "$4"
  culprit=$1
  defect_arguments=(defect="$2" defect-after="$drawn" defect-millis="${5:-0}")
}

injected=none culprit=none defect_arguments=()
case $fault in
  io | swap) injected=$fault ;;
  priority)
    draw_one 'Client A' 'Client B'
    defect "$drawn" priority@career 1000 3000
    ;;
  # Client C, of the highest priority, coordinates unless something happens.
  lost-wakeup)
    draw 3
    case $drawn in
      0) defect 'Client C' lost-wakeup@election 0 1 ;;
      1) defect 'Client C' lost-wakeup@replicator 1000 3500 ;;
      2) defect 'Message Server' lost-wakeup@publication 0 2000 ;;
    esac
    ;;
  deadlock) defect 'Client C' deadlock@replicator 1000 3000 ;;
  slow)
    draw_from 100 300
    millis=$drawn
    draw_one 'Message Server/slow@call' 'Client C/slow@answer'
    defect "${drawn%/*}" "${drawn#*/}" 500 3500 "$millis"
    ;;
  leak) defect 'Client C' leak@couriers 500 2500 ;;
  wrong-number)
    draw_one 'Client A' 'Client B' 'Client C'
    defect "$drawn" wrong-number@findings 500 3500
    ;;
esac

# machine ROLE CLASS [ARGUMENT...]
machine() {
  local arguments=("${@:3}")
  [ "$1" != "$culprit" ] || arguments+=("${defect_arguments[@]}")
  start "$1" "$2" role="$1" dir="$dir" limit="$limit" fault="$injected" probability="$probability" seed="$seed" \
    "${arguments[@]}"
}

begin
machine "${roles[0]}" bully.messaging.MessageServerMain
for i in 1 2 3; do
  machine "${roles[i]}" bully.client.ClientMain priority=$((10 * i)) clients=3 numbers="$numbers"
done
case $fault in
  kill) later kill_one "$dir/log-client-c.txt" 500 3500 "${roles[@]}" ;;
  power) later kill_all "$dir/log-client-c.txt" 500 3500 "${roles[@]}" ;;
  stall) later stall_one "$dir/log-client-c.txt" 500 3500 1000 3000 "${roles[@]}" ;;
esac
await_limit "$limit"
end_all
conclude judge
