# SPDX-License-Identifier: Apache-2.0
# beside others
# Classes that are unloaded while their methods are sampled, with each garbage collector: nothing
# crashes, -Xcheck:jni is silent, and every frame shows the method that was executing.
#   CLASSES_SECONDS (default 2): how long for each collector.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# frames NAME: prints what is in the log's stacks: "PACKETS FRAMES GENERATED UNLOADED CONFUSED". The
# generated classes and their methods bear a number, the methods also their place in the stack,
# where they have no other frames between them: a method of another class would be seen.
frames() {
    "$LOGCAT" "$T/$1.ixl" 2>"$T/$1.txt.err" | awk -F'\t' '
        $1 == "packet" { packets++ }
        $1 == "thread" {
            count = split($11, f, " ")
            want = ""
            for (i = 1; i <= count; i++) {
                frames++
                if (f[i] ~ /^<unloaded>/) {
                    unloaded++
                    want = ""
                } else if (f[i] ~ /^(g\.G|H)[0-9]+(\/0x[0-9a-f]+)?\.m[0-9]+_[0-9]+\(\)V:/) {
                    generated++
                    class = f[i]
                    sub(/\.m[0-9]+_.*/, "", class)
                    number = class
                    sub(/\/.*/, "", number)
                    gsub(/[^0-9]/, "", number)
                    place = f[i]
                    sub(/.*_/, "", place)
                    sub(/\(.*/, "", place)
                    line = number % 2 ? 100 + place : -1
                    expected = class ".m" number "_" place "()V:" line
                    if (f[i] != expected || (want != "" && want != class "_" place)) {
                        confused++
                        if (confused <= 5) print "confused: " substr($11, 1, 400) >"/dev/stderr"
                    }
                    want = place > 0 ? class "_" place - 1 : class "_<clinit>"
                } else {
                    if (want != "" && f[i] ~ /^(g\.G|H)[0-9]/) {
                        class = f[i]
                        sub(/\.<clinit>\(\)V:-1$/, "_<clinit>", class)
                        if (class != want) confused++
                    } else if (want != "") {
                        confused++
                    }
                    want = ""
                }
            }
        }
        END { printf "%d %d %d %d %d\n", packets, frames, generated, unloaded, confused }'
}

# classes NAME [JVM-OPTION]...: Classes sampled every 5 ms
classes() {
    local name=$1 packets all generated unloaded confused
    shift
    beat_start "$name" --every 5 --once
    jvm "$name" role=x -Xcheck:jni -Xshare:auto -XX:MaxMetaspaceSize=64m "$@" Classes \
        "$((${CLASSES_SECONDS:-2} * 1000))"
    same "$name: exit status" 0 $?
    wait "$BEAT_PID"
    quiet "$name: nothing is said" "$T/$name.out" "$T/$name.err"
    read -r packets all generated unloaded confused < <(frames "$name")
    same "$name: the log is valid and whole" "" "$(cat "$T/$name.txt.err")"
    same "$name: every packet that was reported is in it" "$(count_of '^taken' "$T/$name.beat")" \
        "$packets"
    check "$name: classes were unloaded ($(tr '\n' ' ' <"$T/$name.out"))" \
        test "$(sed -n 's/^unloaded //p' "$T/$name.out")" -ge 200
    check "$name: their frames were seen ($generated)" test "$generated" -ge 50
    same "$name: every frame is of the method that was executed" 0 "$confused"
    check "$name: few of $generated frames came too late ($unloaded)" \
        test "$unloaded" -le "$generated"
}

classes Serial -XX:+UseSerialGC -Xmx48m
classes Parallel -XX:+UseParallelGC -Xmx48m
classes G1 -XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent -Xmx48m
classes Z -XX:+UseZGC -Xmx128m
