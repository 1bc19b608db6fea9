#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# long
# own build
# no JVM
# Code with two variants for an optional library compiles in both, whatever is installed; the
# variant with the library only where it is.
. tests/support/lib.sh

# compiles WHAT DIRECTORY MAKE-ARGUMENT...
compiles() {
    local what=$1 dir=$T/$2
    shift 2
    check "$what" nice make -s B="$dir" WERROR=1 "$@"
}
units() { echo "$T/$1/obj/tests/unit/roxi/distance/test_roxi_peers.o $T/$1/obj/bench/peers.o"; }
# One of the two sources of roxi/mpi: its object
mpi_object() { [ -f "roxi/mpi/$1.c" ] && echo "obj/roxi/mpi/$1.o"; }

# shellcheck disable=SC2046 # two words
compiles "without parasail, without edlib" none PEERS= $(units none)
for pair in parasail-1:PARASAIL edlib-1:EDLIB; do
    library=${pair%-*}
    if pkg-config --exists "${pair%:*}"; then
        # shellcheck disable=SC2046
        compiles "with $library alone" "$library" PEERS="$pair" $(units "$library")
        has "$library is compared with" "HAVE_${pair#*:}" "$T/$library/gen/peers.h"
    else
        skip "$library is not installed: not compiled with it"
    fi
done
if pkg-config --exists parasail-1 edlib-1; then
    # shellcheck disable=SC2046
    compiles "with both" both $(units both)
else
    skip "parasail or edlib is not installed: not compiled with both"
fi
compiles "without Open MPI" single "$T/single/$(mpi_object single)"
if pkg-config --exists ompi-c; then
    compiles "with Open MPI" mpi MPI=1 "$T/mpi/$(mpi_object open_mpi)"
else
    skip "Open MPI is not installed: not compiled with it"
fi
