# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what is tested are the samples
# The samples with a rare failure: mended, they pass, and leave nothing behind. How often they fail otherwise is
# measured by bench/run.sh provoke_table.
. tests/support/lib.sh

mkdir "$T/tmp"
declare -A run=()
for sample in lease order wakeup; do
    TMPDIR=$T/tmp examples/$sample/run.sh mended >"$T/$sample" 2>&1 &
    run[$sample]=$!
done
for sample in lease order wakeup; do
    wait "${run[$sample]}"
    status=$?
    # A JDK's own warning: another JVM was just removing what a JVM with this process id had left in /tmp.
    sed -i '/Cannot use file .*hsperfdata_.* locked by another process/d' "$T/$sample"
    same "$sample: mended, it passes" "0 " "$status $(cat "$T/$sample")"
done
same "no directory is left" "" "$(ls "$T/tmp")"
