#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of the ZooKeeper system: three servers, three clients; judges what they wrote. Starts no other JVM.
# shellcheck disable=SC2034,SC2154  # variables from and for the files that it sources
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
# shellcheck source=../common/run.bash disable=SC1091
. "$here/../common/run.bash" || exit 2
# shellcheck source=oracle.sh disable=SC1091
. "$here/oracle.sh" || die "no oracle"

system=zookeeper
servers=('Server 1' 'Server 2' 'Server 3')
clients=('Client A' 'Client B' 'Client C')
roles=("${servers[@]}" "${clients[@]}")
faults=$(
  printf '%s\t%s\t%s\n' \
    none - 'the same classes, configuration and preloaded library; nothing goes wrong' \
    leader-kill - 'the server that leads the ensemble is killed (SIGKILL)' \
    follower-stall - 'a server that follows stands still for 2 to 8 s (SIGSTOP, SIGCONT)' \
    session-expiry - 'a client stands still for 0.5 to 2 s longer than its session lasts' \
    lock-held - 'a client leaves out the release of a lock' \
    slow-disk - 'each sync of one server, or of all, takes longer from some time on'
)
own_options=(increments limit)
own_usage='  --increments N    of each of 6 workers in each of 3 rounds (default 12)
  --limit MS        when a client ends that is not done (default 30000)'
increments=12 limit=30000
take_options "$@"
[[ $increments =~ ^[1-9][0-9]{0,3}$ ]] || die "--increments: $increments is not in 1..9999"
[[ $limit =~ ^[1-9][0-9]{3,5}$ ]] || die "--limit: $limit is not in 1000..999999"

# Milliseconds: a session without a sign of life (zoo.cfg's largest). A client has --limit for all its work: six times
# the five seconds of a normal run, because servers too may be left without a processor.
session=6000
counters=3 rounds=3

jars=/usr/share/java
for jar in zookeeper.jar slf4j-simple.jar; do
  [ -f $jars/$jar ] || die "no $jars/$jar; install Debian's libzookeeper-java"
done
library=$classes/libslowdisk.so
[ -f "$library" ] || die "no $library; compile it first (make examples)"
[[ $library != *[[:space:]:]* ]] || die "$library cannot be preloaded; let --classes name a path without blanks and ':'"
class_path=$classes:$jars/zookeeper.jar:$jars/slf4j-simple.jar
java_options+=(-Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.showDateTime=true
  -Dzookeeper.sasl.client=false)

# take_address: a loopback address of this run's own, so that its ports are free and runs can be beside each other.
# Names of threads contain it, so it should be the same from run to run: the first one that no other run has. The
# servers inherit the lock.
take_address() {
  local slot lock
  for slot in {1..250}; do
    { exec {lock}>> "/tmp/ixor-zookeeper-$UID-$slot.lock"; } 2> /dev/null || continue
    if flock -n "$lock"; then
      address=127.$((64 + UID % 128)).$((UID / 128 % 256)).$slot
      return
    fi
    exec {lock}>&-
  done
  die "250 runs hold a lock in /tmp/ixor-zookeeper-$UID-*.lock, or it cannot be written"
}

# start_server N
start_server() {
  local text
  mkdir -p "$dir/server-$1" || die "cannot make $dir/server-$1"
  echo "$1" > "$dir/server-$1/myid"
  text=$(cat "$here/zoo.cfg") || die "cannot read $here/zoo.cfg"
  text=${text//@ID@/$1}
  text=${text//@ADDRESS@/$address}
  printf '%s\n' "${text//@DIR@/"$dir"}" > "$dir/zoo-$1.cfg" || die "cannot write $dir/zoo-$1.cfg"
  LD_PRELOAD=$library SLOW_DISK=$dir/slow-disk-$1 \
    start "Server $1" org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo-$1.cfg"
}

# ask_mode N: sets mode to what server N says that it is: leader, follower; to nothing while it does not serve.
ask_mode() {
  local socket reply
  mode=''
  { exec {socket}<> "/dev/tcp/$address/2181$1"; } 2> /dev/null || return
  printf srvr >&"$socket"
  IFS= read -r -d '' -t 1 -u "$socket" reply
  exec {socket}>&-
  [[ $reply =~ Mode:\ ([a-z]+) ]] && mode=${BASH_REMATCH[1]}
}

# await_ensemble: waits until all three serve; sets leader and followers, as roles.
await_ensemble() {
  local number
  followers=()
  for number in 1 2 3; do
    until ask_mode $number; do
      runs "Server $number" || die "Server $number did not start; see $dir/err-server-$number.txt"
      pause 50
      tick
      [ $((now - begun)) -lt 180000 ] || die "no ensemble within 180 s; see $dir/err-server-*.txt"
    done
    if [ "$mode" = leader ]; then leader="Server $number"; else followers+=("Server $number"); fi
  done
}

start_client() {
  local defect=()
  [ "$1" != "$careless" ] || defect=("defect=lock-held@lock $forgotten" "defect-after=$forgets_after")
  start "$1" keeper.client.ClientMain role="$1" dir="$dir" limit=$limit fault=none probability=0 seed="$seed" \
    servers="$address:21811,$address:21812,$address:21813" session=$session clients=${#clients[@]} \
    counters=$counters rounds=$rounds increments="$increments" "${defect[@]}"
}

# Servers may have a disk each, or share one.
slow_disk() {
  local server slow=("${servers[@]}") delay
  draw 2
  if [ "$drawn" = 0 ]; then
    draw_one "${servers[@]}"
    slow=("$drawn")
  fi
  draw_from 50 500
  delay=$drawn
  draw_from "$earliest" "$latest"
  await_file "$working"
  pause "$drawn"
  for server in "${slow[@]}"; do
    echo "$delay" > "$dir/slow-disk-${server#Server }"
    log_fault "$server" slow-disk fsync "$delay ms longer each"
  done
}

# end_servers: asks them, which their exit status shows: 143. One that had ended before has not done as asked.
end_servers() {
  local role
  for role in "${servers[@]}"; do
    runs "$role" || continue
    asked[$role]=yes
    kill -TERM "${pid_of[$role]}"
    kill -CONT "${pid_of[$role]}"
  done 2> /dev/null
  tick
  await $(((now - begun) / 1000 + 10)) "${servers[@]}"
}

take_address
careless=nobody
if [ "$fault" = lock-held ]; then
  draw_one "${clients[@]}"; careless=$drawn
  draw $counters; forgotten=$drawn
  draw_from 1000 3000; forgets_after=$drawn
fi
declare -A asked=()

begin
for number in 1 2 3; do start_server $number; done
await_ensemble
for client in "${clients[@]}"; do start_client "$client"; done
# A fault strikes while all clients work: at a random time after the first barrier has been passed.
working=$dir/working-client-a earliest=200 latest=2700
case $fault in
  leader-kill) later kill_one "$working" $earliest $latest "$leader" ;;
  follower-stall) later stall_one "$working" $earliest $latest 2000 8000 "${followers[@]}" ;;
  session-expiry)
    later stall_one "$working" $earliest $latest $((session + 500)) $((session + 2000)) "${clients[@]}" ;;
  slow-disk) later slow_disk ;;
esac
# Ends clients that do not give up; on a busy computer one takes up to four times its limit
# (Watchdog).
tick
await $(((now - begun + 4 * limit) / 1000 + 5)) "${clients[@]}"
end_servers
end_all
conclude judge
