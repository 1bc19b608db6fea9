# SPDX-License-Identifier: Apache-2.0
# Shared by the oracles of the sample systems. An oracle judges by what the JVMs left behind, never
# by the injected faults, which are only recorded next to the verdict. Sourced after run.bash, whose
# variables it uses.
# shellcheck shell=bash disable=SC2154

# Why the run failed; empty: it passed.
reasons=()
blame() { reasons+=("$1"); }

# state_of ROLE KEY: from what the JVM's Journal wrote at its end; nothing if it wrote nothing.
state_of() { value_of "$2" "$dir/state-$(slug "$1").txt"; }

# check_ends ROLE...: each must have exited with 0.
check_ends() {
  local role end
  for role in "$@"; do
    [ "${status_of[$role]}" -eq 0 ] && continue
    end=$(state_of "$role" end)
    blame "$role exited ${status_of[$role]} (${end:-no last words})"
  done
}

# sum_of KEY: the sum over the states of all JVMs.
sum_of() {
  local role sum=0 value
  for role in "${roles[@]}"; do
    value=$(state_of "$role" "$1")
    sum=$((sum + ${value:-0}))
  done
  printf '%s' $sum
}

# faults_in [ROLE]: how many faults were injected there, or in total.
faults_in() { cat "$dir"/faults-*.log 2> /dev/null | awk -F '\t' -v role="${1:-}" 'role == "" || $2 == role' | wc -l; }

# tell_outcome: the first lines of every outcome.txt. A system adds lines of its own.
tell_outcome() {
  local reason text='' role
  for reason in "${reasons[@]}"; do text+=${text:+; }$reason; done
  if [ ${#reasons[@]} -eq 0 ]; then echo verdict=passed; else echo verdict=failed; fi
  echo "reasons=$text"
  echo "fault=$fault"
  echo "seed=$seed"
  echo "probability=$probability"
  echo "faults=$(faults_in)"
  for role in "${roles[@]}"; do echo "faults_$(slug "$role")=$(faults_in "$role")"; done
  echo "milliseconds=$milliseconds"
}
