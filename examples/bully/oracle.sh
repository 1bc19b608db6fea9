# Judges a run by what its machines wrote, not by what was injected. Read by run.sh, whose variables it uses.
# shellcheck shell=bash disable=SC2154

# value_of KEY FILE
value_of() { sed -n "s/^$1=//p" "$2" 2> /dev/null; }

# Clause 1: communication is reliable, no machine breaks. Clause 3: in time.
check_machines() {
  local i end
  for i in "${!roles[@]}"; do
    if [ "${statuses[i]}" -ne 0 ]; then
      end=$(value_of end "$dir/state-$(slug "${roles[i]}").txt")
      reasons+=("${roles[i]} exited ${statuses[i]} (${end:-no last words})")
    fi
  done
}

# Clause 2: in the end, one coordinator.
check_agreement() {
  local i
  agreed=$(value_of coordinator "$dir/state-client-a.txt")
  for i in 2 3; do
    [ "$(value_of coordinator "$dir/state-$(slug "${roles[i]}").txt")" = "$agreed" ] ||
      reasons+=("${roles[i]} and Client A do not agree on the coordinator")
  done
  [ -n "$agreed" ] || reasons+=("Client A knows no coordinator")
}

# Clause 4: nobody takes over. The first election makes one coordinator; each loss of a member, which the message
# server wrote down, may cost a change to another one and back.
check_takeovers() {
  local i list losses changes
  losses=$(value_of lost "$dir/state-message-server.txt" | tr ',' '\n' | grep -c .)
  for i in 1 2 3; do
    list=$(value_of coordinators "$dir/state-$(slug "${roles[i]}").txt")
    changes=$(printf '%s\n' "$list" | tr ',' '\n' | grep -c .)
    [ "$changes" -le "$takeovers" ] || takeovers=$changes
    [ "$changes" -le $((1 + 2 * losses)) ] ||
      reasons+=("${roles[i]} saw $changes coordinators (${list//,/, }) with $losses members lost")
  done
}

# Clause 3: all numbers, and rightly. `factor` knows nothing of the search.
check_results() {
  if [ ! -f "$dir/results.txt" ]; then
    reasons+=("no results")
    return
  fi
  seq 100000000000001 2 $((100000000000001 + 2 * (numbers - 1))) | factor |
    awk -F '[: ]+' '{ print $1, (NF == 2 ? "prime" : "composite") }' > "$dir/expected.txt"
  cmp -s "$dir/expected.txt" "$dir/results.txt" ||
    reasons+=("$(diff "$dir/expected.txt" "$dir/results.txt" | grep -c '^[<>]') lines of the results are wrong")
}

sum_of() { # KEY: over the machines
  local i sum=0 value
  for i in "${!roles[@]}"; do
    value=$(value_of "$1" "$dir/state-$(slug "${roles[i]}").txt")
    sum=$((sum + ${value:-0}))
  done
  printf '%s' $sum
}

faults_of() { # ROLE: what the harness wrote down
  local name
  name=$(slug "$1")
  if [ "$1" = "$leaver" ]; then
    grep -c $'\tleaving\t' "$dir/log-$name.txt"
  else
    grep -c . "$dir/faults-$name.log" 2> /dev/null || [ -f "$dir/faults-$name.log" ] || echo 0
  fi
}

judge() {
  local reasons=() takeovers=0 agreed='' i text='' count total=0
  check_machines
  check_agreement
  check_takeovers
  check_results
  for i in "${!reasons[@]}"; do text+=${text:+; }${reasons[i]}; done
  if [ ${#reasons[@]} -eq 0 ]; then echo verdict=passed; else echo verdict=failed; fi
  echo "reasons=$text"
  echo "fault=$fault"
  echo "seed=$seed"
  echo "probability=$injected_probability"
  for i in "${!roles[@]}"; do
    count=$(faults_of "${roles[i]}")
    echo "faults_$(slug "${roles[i]}")=$count"
    total=$((total + count))
  done
  echo "faults=$total"
  echo "elections=$(sum_of elections)"
  echo "coordinators=$takeovers"
  echo "coordinator=$agreed"
  echo "retries=$(sum_of retries)"
  echo "operations=$(sum_of operations)"
  echo "milliseconds=$millis"
}
