# SPDX-License-Identifier: Apache-2.0
# The directory of a campaign of the case study: put in order after an interruption, packed, unpacked. Sourced by
# casestudy.sh, whose variables and functions it uses: out, harmless, ixor, die, say, truth_header.
# shellcheck shell=bash disable=SC2034,SC2154

catalogue() { # SQL: rows have tabs between their values
  sqlite3 -batch -separator $'\t' -cmd '.timeout 10000' -cmd 'PRAGMA foreign_keys = ON' "$out/campaign/campaign.db" "$1"
}

# Allows one casestudy.sh at a time, and first waits for what a killed one left running.
lock_dir() {
  [ -d "$out" ] || die "no directory $out"
  exec 8> "$out/lock" || die "cannot write $out/lock"
  flock -n 8 || die "another casestudy.sh is at work in $out; wait for it, or choose another --out"
  flock -n "$out/run.lock" true && return
  say "waiting for what an interrupted run has left running"
  flock -w 300 "$out/run.lock" true || die "it does not end; see who holds it: fuser -v $out/run.lock"
}

# label_of FAULT VERDICT: the label for the catalogue.
label_of() {
  if [ "$1" != none ] && [ "$2" = passed ]; then printf '%s' "$harmless"; else printf '%s' "$2"; fi
}

# What runs with a fault count as that passed: as said now, else as said before, else passed.
settle_harmless() {
  [ -n "$harmless" ] || harmless=$(cat "$out/harmless" 2> /dev/null) || harmless=passed
  printf '%s\n' "$harmless" > "$out/harmless" || die "cannot write $out/harmless"
}

# Makes truth.tsv and the catalogue agree: a run is done if it is in both. What was interrupted is removed, and comes
# again; so is what a crash of the machine took from either. Sets done_seed, done_fault, done_verdict.
put_in_order() {
  local truth=$out/truth.tsv
  settle_harmless
  done_seed=() done_fault=() done_verdict=()
  if [ ! -f "$out/campaign/campaign.db" ]; then
    truth_header > "$truth" || die "cannot write $truth"
    return
  fi
  catalogue 'select name, verdict from execution order by id' > "$out/executions.part" ||
    die "cannot read $out/campaign/campaign.db"
  { whole_lines > "$truth.part" && mv "$truth.part" "$truth"; } || die "cannot write $truth"
  remove_half_runs
  read_truth
  rm -f "$out/executions.part"
}

# The lines of truth.tsv up to the first that is incomplete or has no run.
whole_lines() {
  truth_header
  [ ! -s "$out/truth.tsv" ] || awk -F '\t' -v columns="${#truth_columns[@]}" '
    FNR == 1 { file++ }
    file == 1 { known[$1] = 1; next }
    FNR == 1 { next }
    NF != columns || !($1 in known) { exit }
    { print }' "$out/executions.part" "$out/truth.tsv"
}

remove_half_runs() {
  local name _
  while IFS=$'\t' read -r name _; do
    ! grep -q "^$name"$'\t' "$out/truth.tsv" || continue
    say "$name was interrupted: removed, its turn comes again"
    catalogue "delete from execution where name = '$name'" || die "cannot remove $name from the catalogue"
    rm -rf "${out:?}/campaign/runs/$name" "${out:?}/facts/$name"
  done < "$out/executions.part"
  rm -rf "$out/at-hand"
}

# Into done_seed, done_fault and done_verdict; and gives the executions their verdicts where those differ.
read_truth() {
  local name run_seed fault verdict _ label n=0
  local -A labelled=()
  while IFS=$'\t' read -r name verdict; do labelled[$name]=$verdict; done < "$out/executions.part"
  while IFS=$'\t' read -r name _ run_seed fault _ _ _ _ verdict _; do
    done_seed[n]=$run_seed done_fault[n]=$fault done_verdict[n]=$verdict
    n=$((n + 1))
    label=$(label_of "$fault" "$verdict")
    [ "${labelled[$name]}" = "$label" ] || "$ixor" label "$out/campaign" "$name" "$label" || die "cannot label $name"
  done < <(tail -n +2 "$out/truth.tsv")
}

# pack FILE: the catalogue (written anew, without what was removed, and without the lengths of stops and the readings of
# clocks, which are half a million rows that roxi has no use for), the trace logs, the truth; no keys, no output of commands.
# The same directory gives the same bytes.
pack() {
  local file=$1 stage=$out/pack.part
  [ -f "$out/campaign/campaign.db" ] || die "no campaign in $out"
  put_in_order
  { rm -rf "$stage" && mkdir -p "$stage/campaign" && catalogue "vacuum into '$stage/campaign/campaign.db'" &&
    sqlite3 -batch "$stage/campaign/campaign.db" 'DELETE FROM snapshot; DELETE FROM clock; VACUUM'; } ||
    die "cannot write $stage"
  (
    set -o pipefail
    cd "$out" || exit 1
    { printf '%s\n' truth.tsv plan.tsv settings harmless
      find campaign/runs -name '*.ixl' | LC_ALL=C sort
      find facts -type f | LC_ALL=C sort; } |
      tar -c --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rw,go=r --no-recursion -C pack.part \
        campaign/campaign.db -C .. -T - |
      xz -9
  ) > "$file.part" || { rm -f "$file.part"; die "cannot pack $out"; }
  rm -rf "$stage"
  mv "$file.part" "$file" || die "cannot write $file"
  say "$file: $(stat -c %s "$file") bytes, sha256 $(sha256sum < "$file" | cut -d ' ' -f 1)"
}

# unpack FILE DIR
unpack() {
  local file=$1 dir=$2 sums
  [ -r "$file" ] || die "cannot read $file"
  sums=$(dirname "$file")/SHA256SUMS
  if grep -qF "  $(basename "$file")" "$sums" 2> /dev/null; then
    (cd "$(dirname "$file")" && sha256sum --check --quiet --ignore-missing SHA256SUMS) ||
      die "$file is not what $sums says; get it again"
  fi
  [ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
  { rm -rf "$dir.part" && mkdir -p "$dir.part" && tar -x --xz --no-same-owner -f "$file" -C "$dir.part"; } ||
    die "cannot unpack $file"
  [ ! -e "$dir" ] || rmdir "$dir"
  mv "$dir.part" "$dir" || die "cannot write $dir"
}
