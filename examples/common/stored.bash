# SPDX-License-Identifier: Apache-2.0
# The stored campaigns (casestudy/NAME.tar.xz), unpacked. Sourced by tables.sh and alarms.sh, which have a function die
# and work in the tree's root.
# shellcheck shell=bash disable=SC2034

# unpack_stored NAME: sets dir to where it is; unpacked once, and again when the archive is another one.
unpack_stored() {
  local file=casestudy/$1.tar.xz
  dir=build/casestudy-stored/$1
  [ -r "$file" ] || die "no $file"
  if [ ! -d "$dir" ] || [ "$file" -nt "$dir" ]; then
    rm -rf "$dir"
    mkdir -p build/casestudy-stored
    examples/casestudy.sh --unpack "$file" "$dir" || exit 1
    touch "$dir"
  fi
}
