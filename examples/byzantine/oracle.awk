# SPDX-License-Identifier: Apache-2.0
# Compares the chronicles of the four generals with the specification (README.md, clauses 2 to 6): a line for each
# violation. Input: GENERAL, MS, WHAT, ROUND and what belongs to it, with tabs between; variable attacks: how many
# rounds are attacks, before the round of the retreat.

BEGIN { FS = "\t"; generals = 4 }

$3 == "ordered" { ordered[$4] = $5 }
$3 == "sent" { sent[$4, $5, $6] = $7 }
$3 == "got" { hear($4, $5, $1, $6) }
$3 == "missed" { missed[$4, $5, $1] = 1 }
$3 == "decided" { decided[$4, $1] = $5; if ($4 > last) last = $4 }
$3 == "did" { did[$4, $1] = $5; result[$4, $1] = $6 }

END {
  if (last < attacks + 1) last = attacks + 1
  for (round = 1; round <= last; round++) {
    check_words(round)
    check_decisions(round)
    check_deeds(round)
  }
  check_presence()
}

function name(general) { return general == 0 ? "Commander" : "Lieutenant " substr("ABC", general, 1) }

function complain(round, text) { print "round " round ": " text }

# A message may come twice, but it must be the same one.
function hear(round, path, to, order) {
  if ((round, path, to) in got && got[round, path, to] != order)
    complain(round, name(to) " got '" got[round, path, to] "' and then '" order "' by way of " path)
  else
    got[round, path, to] = order
}

# What a lieutenant passes on: what he got in time, or else the default.
function known(round, general) {
  return ((round, "0", general) in got) && !((round, "0", general) in missed) ? got[round, "0", general] : "retreat"
}

# Every lieutenant hears all that the algorithm owes him, and nobody contradicts himself.
function check_words(round,   to, from) {
  for (to = 1; to < generals; to++) {
    if (!((round, to) in decided)) continue
    check_word(round, "0", 0, to, ordered[round])
    for (from = 1; from < generals; from++)
      if (from != to) check_word(round, "0" from, from, to, known(round, from))
  }
}

function check_word(round, path, from, to, truth,   order) {
  if (!((round, path, to) in got) || (round, path, to) in missed) {
    complain(round, name(to) " heard nothing from " name(from))
    return
  }
  order = got[round, path, to]
  if (order == truth) return
  if (sent[round, path, to] == truth)
    complain(round, "'" truth "' from " name(from) " came to " name(to) " as '" order "'")
  else
    complain(round, name(from) " told " name(to) " '" order "' instead of '" truth "'")
}

# All decide the same, and what the commander ordered.
function check_decisions(round,   one, two) {
  for (one = 0; one < generals; one++) {
    if (!((round, one) in decided)) continue
    if (round in ordered && decided[round, one] != ordered[round])
      complain(round, name(one) " decided '" decided[round, one] "', ordered was '" ordered[round] "'")
    for (two = one + 1; two < generals; two++)
      if ((round, two) in decided && decided[round, one] != decided[round, two])
        complain(round, name(one) " and " name(two) " decided differently")
  }
}

# Every general does what he decided, and attacks succeed.
function check_deeds(round,   general) {
  for (general = 0; general < generals; general++) {
    if (!((round, general) in did)) continue
    if (did[round, general] != decided[round, general])
      complain(round, name(general) " did not do what he decided")
    if (result[round, general] == "repulsed")
      complain(round, name(general) " was repulsed")
  }
}

# Every general goes through all rounds: the attacks and the retreat.
function check_presence(   general, round, count) {
  for (general = 0; general < generals; general++) {
    count = 0
    for (round = 1; round <= attacks + 1; round++) if ((round, general) in did) count++
    if (count < attacks + 1) print name(general) " went through " count " of " (attacks + 1) " rounds"
  }
}
