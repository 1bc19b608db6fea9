#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of the Curator system: a JVM with JUnit, three servers and four nodes; judges what JUnit
# reports.
# shellcheck disable=SC2034,SC2154  # variables from and for the files that it sources
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
# shellcheck source=../common/run.bash disable=SC1091
. "$here/../common/run.bash" || exit 2
# shellcheck source=oracle.sh disable=SC1091
. "$here/oracle.sh" || die "no oracle"

system=curator
roles=(Cluster)
faults=$(
  printf '%s\t%s\t%s\n' \
    none - 'the same classes and preloaded library; nothing goes wrong' \
    lock-held - 'a worker does not release the second lock of a transfer' \
    lock-order - 'a node locks accounts in the order from, to' \
    deadlock - 'two nodes hold their own book while they tell the other one' \
    endless-term - 'a leader goes on waiting when its whole batch is booked, and does not resign' \
    lost-watch - 'an inbox is read once without leaving a watch' \
    busy-poll - 'an inbox is read again and again instead of waiting for its watch' \
    spin - 'a worker rounds a fee forever' \
    node-stop - 'a checkpoint waits for bookings that wait for the checkpoint' \
    slow-disk - 'each sync of one server, or of all, takes longer from some time on' \
    session-expiry - 'a node that has booked nothing for 60 ms closes its session' \
    reconnect-storm - 'a node opens the connection of its presence anew at each beat' \
    thread-leak - 'each transfer starts a timer, with a thread, that is not ended' \
    redelivery - 'a message that no auditor can read returns to the queue forever' \
    memory - 'a node keeps all statements of its accounts, of 20,000 lines each' \
    wrong-node - 'a leader gives the transfers to the wrong nodes' \
    lost-update - 'a node reads balances before it has the locks' \
    stale-cache - 'a node goes on with the fee that it read for another batch' \
    reorder - 'a node takes the tasks of its inbox in the order in which they are listed' \
    duplicate - 'a transfer is booked, but its task stays, and is booked again'
)
own_options=(batches limit)
own_usage='  --batches N       of 16 transfers each (default 4)
  --limit MS        when the nodes must be done (default 12000)'
batches=4 limit=12000
take_options "$@"
[[ $batches =~ ^[1-9][0-9]?$ ]] || die "--batches: $batches is not in 1..99"
[[ $limit =~ ^[1-9][0-9]{3,5}$ ]] || die "--limit: $limit is not in 1000..999999"

jars=/usr/share/java
class_path=$classes
for jar in curator-test curator-recipes curator-framework curator-client zookeeper zookeeper-jute slf4j-simple \
  junit-jupiter-api junit-jupiter-engine junit-platform-console junit-platform-reporting; do
  [ -f $jars/$jar.jar ] || die "no $jars/$jar.jar; install the packages that make/deps.sh list examples names"
  class_path+=:$jars/$jar.jar
done
library=$classes/libslowdisk.so
[ -f "$library" ] || die "no $library; compile it first (make examples)"
[[ $library != *[[:space:]:]* ]] || die "$library cannot be preloaded; let --classes name a path without blanks and ':'"

# trait FROM TO NODE...: these nodes show $fault from a random time on, FROM to TO-1 ms after the
# begin of the work.
trait() {
  draw_from "$1" "$2"
  shift 2
  local IFS=,
  java_options+=("-Dbank.trait=$fault@$*" "-Dbank.after=$drawn")
}

# Servers may have a disk each, or share one.
slow_disk() {
  local delay server thread='' where='all servers'
  draw 2
  if [ "$drawn" = 0 ]; then
    draw_one 1 2 3
    thread=SyncThread:$drawn where="Server $drawn"
  fi
  draw_from 50 500
  delay=$drawn
  draw_from 200 1000
  await_file "$dir/working"
  pause "$drawn"
  echo "$delay $thread" > "$dir/slow-disk"
  log_fault Cluster slow-disk "$where" "$delay ms longer each"
}

java_options=(-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
  -Dorg.slf4j.simpleLogger.defaultLogLevel=off -Dzookeeper.admin.enableServer=false -Dzookeeper.sasl.client=false
  "-Djava.io.tmpdir=$dir" "-Dbank.dir=$dir" "-Dbank.seed=$seed" "-Dbank.batches=$batches"
  "-Dbank.limit=$limit")
case $fault in
  none | slow-disk) ;;
  deadlock)
    draw_one '1 2' '1 3' '1 4' '2 3' '2 4' '3 4'
    read -r one other <<< "$drawn"
    trait 0 400 "$one" "$other" ;;
  # What must go on for a while to do harm.
  busy-poll | memory | lock-order)
    draw_one 1 2 3 4
    trait 0 400 "$drawn" ;;
  *)
    draw_one 1 2 3 4
    trait 200 1000 "$drawn" ;;
esac

begin
LD_PRELOAD=$library SLOW_DISK=$dir/slow-disk start Cluster org.junit.platform.console.ConsoleLauncher \
  --disable-banner --disable-ansi-colors --fail-if-no-tests --select-class bank.check.BankTest \
  --reports-dir "$dir/reports"
[ "$fault" != slow-disk ] || later slow_disk
# The limit may be four times as long on a busy computer (Patience), after a start that has none.
await $((4 * limit / 1000 + 60)) Cluster
end_all
conclude judge
