# SPDX-License-Identifier: Apache-2.0
# Judges a run by the specification in README.md, from the rows that the database had in the end and
# the replies that the customers got, not by what was injected. Read by run.sh, whose variables it
# uses.
# shellcheck shell=bash disable=SC2154

# shellcheck source=../common/oracle.bash disable=SC1091
. "${BASH_SOURCE[0]%/*}/../common/oracle.bash" || exit 2

# records WHAT: what the customers wrote down of it; fields between blanks.
records() { awk -F '\t' -v what="$1" '$2 == what { print $3 }' "$dir/log-load.txt" 2> /dev/null; }

# blame_if TEXT: blames if there is one.
blame_if() { [ -z "$1" ] || blame "$1"; }

# Clause 1: every server serves until it is asked to end.
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

# Clause 2: each request gets a good reply in time. A record is WHAT STATUS TEXT.
check_replies() {
  blame_if "$(records bad | awk '{ bad[$1]++; all++ } END {
    if (all) {
      printf "%d requests without a good reply:", all
      n = split("order view history search recommend price", whats)
      for (i = 1; i <= n; i++) if (whats[i] in bad) printf " %s %d", whats[i], bad[whats[i]]
    } }')"
}

# Clause 3: an order is there once, and at the price that its customer was told.
# order: TOKEN CUSTOMER ITEM QUANTITY DISCOUNT BEGIN END STATUS accepted TOTAL
check_orders() {
  blame_if "$(records order | awk '
    FILENAME == ARGV[1] { rows[$2]++; total[$2] = $8; next }
    $8 == 200 && !($1 in rows) { missing[$1] }
    $8 == 200 && $1 in rows && $10 != total[$1] { other[$1] }
    $8 == 409 && $1 in rows { refused[$1] }
    END {
      for (token in rows) if (rows[token] > 1) again++
      if (again) printf "%d orders were carried out more than once, ", again
      if (length(missing)) printf "%d accepted orders are missing, ", length(missing)
      if (length(other)) printf "%d orders cost something else than was told, ", length(other)
      if (length(refused)) printf "%d refused orders were carried out, ", length(refused)
    }' "$dir/rows-purchase.txt" - | sed 's/, $//')"
}

# Clause 4: a purchase costs price times quantity less the discount, half a cent counting as one.
check_totals() {
  blame_if "$(awk -F '\t' '
    $8 != int(($6 * $5 * (100 - $7) + 50) / 100) { wrong++ }
    END { if (wrong) printf "%d totals are wrong", wrong }' "$dir/rows-purchase.txt")"
}

# Clause 5: what a customer has spent is the sum of the purchases.
check_accounts() {
  blame_if "$(awk -F '\t' '
    FILENAME == ARGV[1] { sum[$3] += $8; next }
    $2 != sum[$1] + 0 { wrong++ }
    END { if (wrong) printf "%d accounts differ from their purchases", wrong }' \
    "$dir/rows-purchase.txt" "$dir/rows-customer.txt")"
}

# Clause 6: nothing vanishes from a shelf, and no shelf has less than nothing.
check_shelves() {
  blame_if "$(awk -F '\t' '
    FILENAME == ARGV[1] { sold[$4] += $5; next }
    $2 < 0 || $2 != $3 + $4 - sold[$1] { wrong++ }
    END { if (wrong) printf "%d shelves do not have what they should", wrong }' \
    "$dir/rows-purchase.txt" "$dir/rows-stock.txt")"
}

# Clause 7: who looks at an item after its price has changed sees the new price, or a newer one.
# price: ITEM CENTS BEGIN END STATUS TEXT; view: ITEM BEGIN END STATUS CENTS TAG
check_prices() {
  blame_if "$({ records price | sed 's/^/price /'; records view | sed 's/^/view /'; } | awk '
    $1 == "price" && $6 == 200 { n++; item[n] = $2; cents[n] = $3; from[n] = $4; to[n] = $5 }
    $1 == "view" && $5 == 200 {
      last = 0; fine = 0
      for (i = 1; i <= n; i++) if (item[i] == $2) {
        if (to[i] < $3) last = i
        else if (from[i] <= $4 && cents[i] == $6) fine = 1
      }
      if (last && cents[last] != $6 && !fine) old++
    }
    END { if (old) printf "%d times an old price was shown", old }')"
}

# Clause 8: a history begins with the oldest purchase. history: CUSTOMER BEGIN END STATUS ID...
check_histories() {
  blame_if "$(records history | awk '
    $4 == 200 && $5 != "nothing" {
      for (i = 6; i <= NF; i++) if ($i + 0 <= $(i - 1) + 0) { wrong++; next }
    }
    END { if (wrong) printf "%d histories are out of order", wrong }')"
}

judge() {
  check_servers
  check_ends Load
  check_replies
  if [ -f "$dir/rows-stock.txt" ]; then
    check_orders
    check_totals
    check_accounts
    check_shelves
    check_prices
    check_histories
  else
    blame "the database could not be read at the end"
  fi
  tell_outcome
  echo "orders=$(records order | wc -l)"
  echo "requests=$(for what in order view history search recommend price; do
    records $what
  done | wc -l)"
}
