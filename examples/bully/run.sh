#!/usr/bin/env bash
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
    swap 0.001 'two bytes of what a socket reads or writes change places' \
    priority - 'Client A or B leaves, comes back with priority 200, runs the recovery step' \
    kill - 'a machine is killed (SIGKILL)' \
    stall - 'a machine stands still for 1 to 3 s (SIGSTOP, SIGCONT)'
)
own_options=(numbers)
own_usage='  --numbers N       how many numbers to test (default 1000)'
numbers=1000
take_options "$@"
[[ $numbers =~ ^[1-9][0-9]{0,5}$ ]] || die "--numbers: $numbers is not in 1..999999"

# A normal run takes four to five seconds. The machines end themselves after three times that; the harness ends
# what cannot even do so.
limit=15000
patience=20

injected=none leaver=none
case $fault in
  io|swap) injected=$fault ;;
  priority) draw_one 'Client A' 'Client B'; leaver=$drawn ;;
esac

# machine ROLE CLASS [ARGUMENT...]
machine() {
  start "$1" "$2" role="$1" dir="$dir" limit=$limit fault="$injected" probability="$probability" seed="$seed" "${@:3}"
}

begin
machine "${roles[0]}" bully.messaging.MessageServerMain
for i in 1 2 3; do
  promote=-1
  [ "${roles[i]}" != "$leaver" ] || promote=1000
  machine "${roles[i]}" bully.client.ClientMain priority=$((10 * i)) clients=3 numbers="$numbers" promote=$promote
done
case $fault in
  kill) later kill_one "$dir/registry.port" 500 4000 "${roles[@]}" ;;
  stall) later stall_one "$dir/registry.port" 500 4000 1000 3000 "${roles[@]}" ;;
esac
await $patience
end_all
conclude judge
