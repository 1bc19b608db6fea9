#!/usr/bin/env bash
# One run of Bully: starts its four JVMs, waits for them, judges what they wrote. Starts no other JVM.
set -u
umask 077

usage() {
  cat <<'EOF'
usage: run.sh [--classes DIR] [--dir RUNDIR] [--fault none|io|swap|priority]
              [--probability P] [--seed N] [--numbers N] [--blind]

  --classes DIR     compiled classes (default: build/examples/bully of this tree)
  --dir RUNDIR      where the run's files go; made if need be, must be empty
                    (default: a new directory under ${TMPDIR:-/tmp}, kept)
  --fault KIND      none (default); io: a socket read or write fails;
                    swap: two of its bytes change places;
                    priority: a client leaves and comes back with priority 200
  --probability P   of io and swap, per read or write (default 0.01)
  --seed N          decides which operations are hit, who leaves (default 1)
  --numbers N       how many numbers to test (default 1000)
  --blind           exit 0 whatever the verdict

RUNDIR/outcome.txt gets the verdict, key=value. JAVA_HOME picks the JDK.
exit status: 0 passed, 1 failed, 2 the harness itself could not do its work
EOF
}

die() { printf 'run.sh: %s\n' "$1" >&2; exit 2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
classes=$here/../../build/examples/bully
dir='' fault=none probability=0.01 seed=1 numbers=1000 blind=no
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --blind) blind=yes; shift; continue ;;
    --classes|--dir|--fault|--probability|--seed|--numbers)
      [ $# -ge 2 ] || die "$1 needs a value"
      declare "${1#--}=$2"; shift 2 ;;
    *) die "unknown option $1 (see --help)" ;;
  esac
done
case $fault in none|io|swap|priority) ;; *) die "--fault: $fault is not none, io, swap or priority" ;; esac
[[ $seed =~ ^[0-9]{1,9}$ ]] || die "--seed: $seed is not a number of at most 9 digits"
[[ $numbers =~ ^[1-9][0-9]{0,5}$ ]] || die "--numbers: $numbers is not in 1..999999"
[[ $probability =~ ^(0(\.[0-9]+)?|1)$ ]] || die "--probability: $probability is not in 0..1"
[ -f "$classes/bully/client/ClientMain.class" ] || die "no classes in $classes; compile them first (README.md)"
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" > /dev/null || die "no $java"
if [ -z "$dir" ]; then
  dir=$(mktemp -d "${TMPDIR:-/tmp}/bully.XXXXXX") || die "no temporary directory"
else
  mkdir -p "$dir" || die "cannot make $dir"
  [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
fi
dir=$(cd "$dir" && pwd) || die "cannot enter $dir"

# A normal run takes four to five seconds. The machines end themselves after three times that; the harness ends
# what cannot even do so.
limit=15000
patience=20
roles=('Message Server' 'Client A' 'Client B' 'Client C')
pids=()

slug() { local s=${1,,}; printf '%s' "${s// /-}"; }

# shellcheck disable=SC2317  # reached by the trap
stop_all() {
  local left
  trap - EXIT
  mapfile -t left < <(jobs -pr)
  [ ${#left[@]} -eq 0 ] || kill -KILL "${left[@]}" 2> /dev/null
  wait 2> /dev/null
}
trap stop_all EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

# A fault is nothing but arguments: these three, and who is to leave and when.
injected=none injected_probability=0 leaver=none
case $fault in
  io|swap) injected=$fault injected_probability=$probability ;;
  priority) leaver=${roles[1 + seed % 2]} ;;
esac

# start ROLE CLASS [ARGUMENT...]
start() {
  local role=$1 class=$2 name
  shift 2
  name=$(slug "$role")
  IXOR_ROLE=$role exec "$java" -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$classes" "$class" \
    role="$role" dir="$dir" limit=$limit fault=$injected probability=$injected_probability seed="$seed" "$@" \
    > "$dir/out-$name.txt" 2> "$dir/err-$name.txt"
}

begun=${EPOCHREALTIME/[.,]/}
start "${roles[0]}" bully.messaging.MessageServerMain &
pids+=($!)
for i in 1 2 3; do
  promote=-1
  [ "${roles[i]}" != "$leaver" ] || promote=1000
  start "${roles[i]}" bully.client.ClientMain priority=$((10 * i)) clients=3 numbers="$numbers" promote=$promote &
  pids+=($!)
done

while [ -n "$(jobs -pr)" ] && [ $((${EPOCHREALTIME/[.,]/} - begun)) -lt $((patience * 1000000)) ]; do
  sleep 0.05
done
statuses=()
for pid in "${pids[@]}"; do
  kill -KILL "$pid" 2> /dev/null
  wait "$pid" 2> /dev/null
  statuses+=($?)
done
# shellcheck disable=SC2034  # for the oracle
millis=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000))

# shellcheck source=oracle.sh disable=SC1091
. "$here/oracle.sh" || die "no oracle"
judge > "$dir/outcome.part" || die "cannot write $dir/outcome.part"
mv "$dir/outcome.part" "$dir/outcome.txt" || die "cannot write $dir/outcome.txt"
verdict=$(value_of verdict "$dir/outcome.txt")
printf '%s: %s %s\n' "$verdict" "$dir/outcome.txt" "$(value_of reasons "$dir/outcome.txt")"
[ $blind = yes ] || [ "$verdict" = passed ] || exit 1
exit 0
