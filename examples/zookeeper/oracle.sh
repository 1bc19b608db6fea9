# SPDX-License-Identifier: Apache-2.0
# Judges a run by the specification in README.md, from what its machines wrote and how they ended, not by what was
# injected. Read by run.sh, whose variables it uses.
# shellcheck shell=bash disable=SC2154

# shellcheck source=../common/oracle.bash disable=SC1091
. "${BASH_SOURCE[0]%/*}/../common/oracle.bash" || exit 2

# Clause 1: every server serves until it is asked to stop.
check_servers() {
  local role
  for role in "${servers[@]}"; do
    if [ "${asked[$role]:-no}" = no ]; then
      blame "$role ended unasked (${status_of[$role]})"
    elif [ "${status_of[$role]}" -ne 143 ]; then
      blame "$role did not end when asked (${status_of[$role]})"
    fi
  done
}

# Clause 3: one session from beginning to end.
check_sessions() {
  local role list count
  for role in "${clients[@]}"; do
    list=$(state_of "$role" sessions)
    count=$(tr ',' '\n' <<< "$list" | grep -c .)
    [ "$count" -eq 1 ] || blame "$role had $count sessions"
  done
}

# slowest_request: in ms, as reported by the clients. Recorded but not judged: a busy computer makes
# any server slow.
slowest_request() {
  local role
  for role in "${clients[@]}"; do state_of "$role" slowest; done | sort -n | tail -n 1
}

# records WHAT: what all clients logged of it; fields between blanks.
records() { cut -f 2,3 "$dir"/log-client-?.txt 2> /dev/null | awk -F '\t' -v what="$1" '$1 == what { print $2 }'; }

# Clause 4: no two clients believe they hold a lock at the same time; tokens increase in the order
# of holding. A record is LOCK TOKEN FROM TO OWNER, times in ns.
check_locks() {
  local text
  text=$(records held | sort -k 1,1n -k 3,3n | awk '
    NR > 1 && $1 == lock && $3 < until { overlaps++ }
    NR > 1 && $1 == lock && $2 <= token { disorder++ }
    { if ($1 != lock || $4 > until) until = $4; lock = $1; token = $2 }
    END {
      if (overlaps) printf "%d times two held a lock at the same time", overlaps
      if (disorder) printf "%s%d times a lock went to an earlier token", overlaps ? ", " : "", disorder
    }')
  [ -z "$text" ] || blame "$text"
  [ "$(records conflict | wc -l)" -eq 0 ] || blame "a counter was written by somebody without the lock"
}

# Clause 5: no client passes a barrier before all have arrived. A record is NAME COME THROUGH, times
# in ns.
check_barriers() {
  local text
  text=$(records barrier | awk -v rounds="$rounds" -v clients="${#clients[@]}" '
    {
      if ($2 > last[$1]) last[$1] = $2
      if (!count[$1]++ || $3 < first[$1]) first[$1] = $3
    }
    END {
      for (round = 1; round <= rounds; round++)
        for (side = 0; side < 2; side++) {
          name = round (side ? "-out" : "-in")
          if (count[name] != clients) missing++
          else if (first[name] < last[name]) early++
        }
      if (missing) printf "%d barriers were not crossed by all", missing
      if (early) printf "%s%d barriers were crossed before all had come", missing ? ", " : "", early
    }')
  [ -z "$text" ] || blame "$text"
}

# Clause 6: every addition is counted exactly once: all clients read the same counters, which equal
# what they believe they added and were supposed to add.
check_counters() {
  local number role seen believed sum=0 wanted
  for ((number = 0; number < counters; number++)); do
    seen=$(state_of "${clients[0]}" counter_$number)
    believed=''
    for role in "${clients[@]}"; do
      believed+=,$(state_of "$role" believed_$number)
      [ "$(state_of "$role" counter_$number)" = "$seen" ] ||
        blame "$role does not read counter $number as ${clients[0]} does"
    done
    [ "$(parts_of "$believed")" = "$(parts_of "$seen")" ] || blame "counter $number is not what its users added"
    sum=$((sum + $(parts_of "$seen" | awk -F = '{ sum += $2 } END { print sum + 0 }')))
  done
  wanted=$((${#clients[@]} * 2 * rounds * increments))
  [ $sum -eq $wanted ] || blame "$sum of $wanted additions are in the counters"
}

# parts_of A1=3,B2=4: a line each, sorted
parts_of() { tr ',' '\n' <<< "$1" | sed '/^$/d' | sort; }

judge() {
  check_servers
  check_ends "${clients[@]}" # clause 2: no client breaks, all are done in time
  check_sessions
  check_locks
  check_barriers
  check_counters
  tell_outcome
  echo "leader=$leader"
  echo "slowest=$(slowest_request)"
  echo "holds=$(records held | wc -l)"
}
