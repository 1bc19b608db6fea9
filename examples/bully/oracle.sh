# SPDX-License-Identifier: Apache-2.0
# Judges a run of Bully by what its machines wrote: the specification in README.md, clause by clause. Read by run.sh.
# shellcheck shell=bash disable=SC2154

# shellcheck source=../common/oracle.bash disable=SC1091
. "$common/oracle.bash"

clients=('Client A' 'Client B' 'Client C')

# Clause 2: at the end there is one coordinator.
check_agreement() {
  local role
  agreed=$(state_of "${clients[0]}" coordinator)
  for role in "${clients[@]:1}"; do
    [ "$(state_of "$role" coordinator)" = "$agreed" ] || blame "$role and ${clients[0]} do not agree on the coordinator"
  done
  [ -n "$agreed" ] || blame "${clients[0]} knows no coordinator"
}

# Clause 4: nobody takes over. The first election makes one coordinator; each loss of a member, which the message
# server wrote down, may cost a change to another one and back.
check_takeovers() {
  local role list losses changes
  losses=$(state_of "${roles[0]}" lost | tr ',' '\n' | grep -c .)
  takeovers=0
  for role in "${clients[@]}"; do
    list=$(state_of "$role" coordinators)
    changes=$(tr ',' '\n' <<< "$list" | grep -c .)
    [ "$changes" -le "$takeovers" ] || takeovers=$changes
    [ "$changes" -le $((1 + 2 * losses)) ] ||
      blame "$role saw $changes coordinators (${list//,/, }) with $losses members lost"
  done
}

# Clause 4: a client keeps its priority for life, according to the message server's registration
# log.
check_priorities() {
  local name member=$'^[0-9]*\tregistered\tMember\\[name=\\(.*\\), priority=\\(.*\\)\\]$'
  while read -r name; do
    blame "$name registered with more than one priority"
  done < <(sed -n "s/$member/\\1\t\\2/p" "$dir/log-message-server.txt" | sort -u | cut -f 1 | uniq -d)
}

# Clause 3: all numbers, and correct results. `factor` is independent of the search.
check_results() {
  if [ ! -f "$dir/results.txt" ]; then
    blame "no results"
    return
  fi
  seq 100000000000001 2 $((100000000000001 + 2 * (numbers - 1))) | factor |
    awk -F '[: ]+' '{ print $1, (NF == 2 ? "prime" : "composite") }' > "$dir/expected.txt"
  cmp -s "$dir/expected.txt" "$dir/results.txt" ||
    blame "$(diff "$dir/expected.txt" "$dir/results.txt" | grep -c '^[<>]') lines of the results are wrong"
}

judge() {
  check_ends "${roles[@]}" # clause 1: no machine breaks; clause 3: in time
  check_agreement
  check_takeovers
  check_priorities
  check_results
  tell_outcome
  echo "elections=$(sum_of elections)"
  echo "coordinators=$takeovers"
  echo "coordinator=$agreed"
  echo "retries=$(sum_of retries)"
  echo "operations=$(sum_of operations)"
}
