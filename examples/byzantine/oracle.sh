# SPDX-License-Identifier: Apache-2.0
# Judges a run by what its generals recorded, not by the injected faults; README.md has the
# specification. Read by run.sh, whose variables it uses.
# shellcheck shell=bash disable=SC2154

# shellcheck source=../common/oracle.bash disable=SC1091
. "$common/oracle.bash" || die "no oracle.bash in $common"

# Further reasons are only counted.
most_reasons=8

# chronicles: of all generals, each line preceded by the general's number.
chronicles() {
  local number file
  for number in "${!roles[@]}"; do
    file=$dir/chronicle-$(slug "${roles[number]}").txt
    [ ! -f "$file" ] || sed "s/^/$number\t/" "$file"
  done
}

# Clauses 2 to 5: what was said and decided.
check_rounds() {
  local complaint count=0
  while IFS= read -r complaint; do
    count=$((count + 1))
    [ "$count" -gt "$most_reasons" ] || blame "$complaint"
  done < <(awk -v attacks="$attacks" -f "$here/oracle.awk" "$dir/chronicles.txt")
  [ "$count" -le "$most_reasons" ] || blame "$((count - most_reasons)) more"
}

# Clause 6: every factor found is a real factor. `factor` is independent of the siege.
check_factors() {
  local target claimed
  while read -r target claimed; do
    [[ " $(factor "$target" | cut -d : -f 2) " == *" $claimed "* ]] || blame "$claimed is no prime factor of $target"
  done < <(sed -n 's/^.*\tattack \([0-9]*\)\tfactor \([0-9]*\)\t.*$/\1 \2/p' "$dir/chronicles.txt" | sort -u)
}

judge() {
  chronicles > "$dir/chronicles.txt"
  check_ends "${roles[@]}"
  check_rounds
  check_factors
  tell_outcome
  echo "taken=$(cut -f 3-6 "$dir/chronicles.txt" | grep $'^did\t.*\tfactor ' | cut -f 2-3 | sort -u | grep -c .)"
  echo "inquiries=$(sum_of inquiries)"
  echo "borrowed=$(sum_of borrowed)"
  echo "retries=$(sum_of retries)"
  echo "operations=$(sum_of operations)"
}
