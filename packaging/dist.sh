#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make dist`: the sources of HEAD as build/ixor-VERSION.tar.gz, the same bytes for the same commit.
#   packaging/dist.sh VERSION
set -eu -o pipefail
cd "$(dirname "$0")/.."
name=ixor-$1

[ . -ef "$(git rev-parse --show-toplevel 2>/dev/null || echo /)" ] || {
    echo "make dist: this is no git clone: an unpacked release is what make dist would make" >&2
    exit 1
}
[ -z "$(git status --porcelain)" ] ||
    echo "make dist: changes that are not committed are left out" >&2
mkdir -p build
# -n: without the time and a name. Files get the time of the commit.
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"build/$name.tar.gz.new"
mv "build/$name.tar.gz.new" "build/$name.tar.gz"
echo "build/$name.tar.gz"
