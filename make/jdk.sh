#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the home of the JDK to build with: JAVA_HOME, else the home of the javac on the PATH.
# Prints nothing and fails if there is none with JVMTI headers.
#   jdk.sh all    prints every JDK of this machine from 17 on, one per line, the default one first
default_jdk() {
    if [ -n "$JAVA_HOME" ]; then
        echo "$JAVA_HOME"
    elif javac=$(command -v javac); then
        dirname "$(dirname "$(readlink -f "$javac")")"
    fi
}

usable() {
    [ -n "$1" ] && [ -x "$1/bin/javac" ] && [ -f "$1/include/jvmti.h" ]
}

# A JDK whose release file has no version may be any version.
from_17() {
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null)
    [ "${version:-17}" -ge 17 ]
}

first=$(default_jdk)
if [ "$1" = all ]; then
    for home in "$first" /usr/lib/jvm/*; do
        usable "$home" && from_17 "$home" && readlink -f "$home"
    done | awk '!seen[$0]++'
    exit 0
fi
usable "$first" || exit 1
echo "$first"
