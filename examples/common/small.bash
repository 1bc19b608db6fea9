# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh of the samples with a rare failure (../lease, ../order, ../wakeup): small JVMs in a
# directory of their own, $dir, which is the run's if `ixor run` has given one.
# shellcheck shell=bash
dir=${IXOR_RUN_DIR:-$(mktemp -d)}
[ -n "${IXOR_RUN_DIR:-}" ] || trap 'rm -r "$dir"' EXIT

# small_jvm ROLE CLASS ARG...: in the foreground; CLASS with its package, which is the sample's name
small_jvm() {
    IXOR_ROLE=$1 "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
        -Xmx32m -cp "build/examples/${2%%.*}" "${@:2}"
}
