#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# own build
# no JVM
# A JAVA_HOME that is not a JDK: make reports it and leaves the system's packages alone. The package
# manager is a stand-in that only records its calls.
. tests/support/lib.sh

mkdir -p "$T/bin" "$T/jre/bin"
for name in apt-get sudo; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/called"\n' $name "$T" >"$T/bin/$name"
    chmod +x "$T/bin/$name"
done
for home in "$T/nothing" "$T/jre"; do
    PATH=$T/bin:$PATH JAVA_HOME=$home make/deps.sh install build >"$T/out" 2>"$T/err"
    same "${home##*/}: stops" 1 $?
    has "${home##*/}: names it" "JAVA_HOME.*$home" "$T/err"
    same "${home##*/}: in one line" 1 "$(wc -l <"$T/err")"
    check "${home##*/}: nothing is installed" test ! -e "$T/called"
    rm -f "$T/called"
done

ln -s "$JAVA_HOME" "$T/a jdk"
same "a JDK's path may have blanks" "$T/a jdk" "$(JAVA_HOME="$T/a jdk" make/jdk.sh)"
check "and headers are found there" env PATH="$T/bin:$PATH" JAVA_HOME="$T/a jdk" \
    make -s B="$T/b" "$T/b/obj/agent/capture/capture.o"
