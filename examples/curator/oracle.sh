# SPDX-License-Identifier: Apache-2.0
# Judges a run by the tests that JUnit says have failed, not by what was injected; README.md has the
# specification. Read by run.sh, whose variables it uses.
# shellcheck shell=bash disable=SC2154

# shellcheck source=../common/oracle.bash disable=SC1091
. "${BASH_SOURCE[0]%/*}/../common/oracle.bash" || exit 2

# failed_tests: a line for each, its name and the message's first 100 characters, from JUnit's report.
failed_tests() {
  local report=$dir/reports/TEST-junit-jupiter.xml
  sed -n 's/^<testcase name="\([^"(]*\).*/test \1/p; s/^<\(failure\|error\) message="\([^"]*\).*/message \2/p' \
    "$report" |
    sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g; s/ ==> / /' | awk '
      $1 == "test" { name = $2 }
      $1 == "message" { print name ": " substr($0, 9, 100) }'
}

judge() {
  local failed
  [ -f "$dir/working" ] || die "the cluster did not start; see $dir/out-cluster.txt"
  case ${status_of[Cluster]} in
    0) ;;
    1)
      while IFS= read -r failed; do blame "$failed"; done < <(failed_tests)
      [ ${#reasons[@]} -gt 0 ] || die "JUnit failed, but none of its tests; see $dir/err-cluster.txt" ;;
    *) blame "JUnit exited ${status_of[Cluster]}" ;;
  esac
  tell_outcome
  local figure
  for figure in work requests megabytes; do echo "$figure=$(state_of Cluster $figure)"; done
}
