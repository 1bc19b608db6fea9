#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make deb`: Debian packages of HEAD, or of these sources where they are no git clone, in build/deb.
# Needs no network and no privilege.
#   packaging/deb.sh VERSION
# Runs lintian where it is installed. DEB_BUILD_OPTIONS is dpkg-buildpackage's; without it (nocheck) the
# unit tests are not run. DEBFULLNAME and DEBEMAIL name the maintainer.
set -eu -o pipefail
cd "$(dirname "$0")/.."
version=$1
name=ixor-$version
maintainer="${DEBFULLNAME:-The authors of Ixor and Roxi} <${DEBEMAIL:-ixor@localhost.localdomain}>"
unset MAKEFLAGS MFLAGS MAKELEVEL # the build is not a part of this make

rm -rf build/deb
mkdir -p build/deb
if [ . -ef "$(git rev-parse --show-toplevel 2>/dev/null || echo /)" ]; then
    packaging/dist.sh "$version" >/dev/null
    ln -s "../$name.tar.gz" "build/deb/ixor_$version.orig.tar.gz"
    tar -xzf "build/$name.tar.gz" -C build/deb
else
    mkdir "build/deb/$name"
    tar -c --exclude=./build . | tar -x -C "build/deb/$name"
fi

cd "build/deb/$name"
cp -r packaging/debian debian
sed -i "s/@MAINTAINER@/$maintainer/" debian/control debian/copyright
cat >debian/changelog <<END
ixor ($version-1) unstable; urgency=medium

  * What has changed is in CHANGELOG.md.

 -- $maintainer  $(date -u -R -r CHANGELOG.md)
END
DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-nocheck} dpkg-buildpackage -us -uc -b
cd ..
rm -rf "$name"
if command -v lintian >/dev/null; then
    lintian --profile debian --allow-root --fail-on error,warning \
        --suppress-tags-from-file ../../packaging/lintian-suppressed ./*.changes
fi
ls "$PWD"/*.deb
