# SPDX-License-Identifier: Apache-2.0
# beside others
# The kernel's data about threads may be missing or be about other threads: hidepid, the /proc of
# another PID namespace. (No JVM starts without any /proc.) The agent then walks all threads, logs
# nothing and loses nothing. Skipped without the right to create namespaces.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/agent_lib.bash"

# some NAME: stops for some of the threads
some() { grep -c '"GetThreadListStackTraces"' "$T/$1.safepoints"; }

# enough NAME: packets were taken, and more than 5 stops were for some threads, unless the kernel tells
# of others
enough() { at_least 80 '^taken' "$T/$1.beat" && { [ "$1" = outer-proc ] || [ "$(some "$1")" -gt 5 ]; }; }

# within NAME [UNSHARE-OPTION]... -- COMMAND: a JVM with 40 resting threads and few running ones, in
# namespaces of its own in which COMMAND was run before, until there are enough packets
within() {
    local name=$1 options=() command
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    command=$2
    beat_start "$name" --every 10 --once
    rm -f "$T/in"
    mkfifo "$T/in"
    exec 8<>"$T/in"
    # With UsePerfData it would lock and remove other JVMs' files in /tmp, whose processes it does not see;
    # those JVMs then print a warning.
    # shellcheck disable=SC2016 # expanded by the shell within
    unshare --mount "${options[@]}" sh -c "$command"' && exec "$@"' sh \
        "$JAVA" "-agentpath:$AGENT=server=127.0.0.1:$PORT,log=$T/$name.ixl,connections=on" \
        "-Xlog:safepoint:file=$T/$name.safepoints" -XX:-UsePerfData -cp "$JAVA_CLASSES" Mixed 0 calm \
        >"$T/$name.out" 2>"$T/$name.err" <"$T/in" 8>&- &
    check "$name: packets are taken" wait_for 60 enough "$name"
    exec 8>&-
    wait $!
    same "$name: exit status" 0 $?
    grep -q "^hello" "$T/$name.beat" || beat_stop # it never came
    wait "$BEAT_PID"
    same_packets "$name: the log has what was reported" "$name" "$name"
    same "$name: the log is valid" "" "$(cat "$T/$name.txt.err")"
    same "$name: nothing is said" "" "$(grep -h ixor "$T/$name.out" "$T/$name.err")"
}

if ! unshare --mount --pid --fork true 2>"$T/denied"; then
    skip "namespaces are not permitted here"
    exit 0
fi
within as-it-is -- true
within hidepid -- 'mount -t proc -o hidepid=2 proc /proc'
within own-proc --pid --fork --mount-proc -- true
for name in as-it-is hidepid own-proc; do
    check "$name: the kernel tells: $(some $name) stops are for some threads" [ "$(some $name)" -gt 5 ]
    same "$name: and it does not hide calls" 0 "$(count_of $'^connections\t[0-9]*\t[13]' "$T/$name.txt")"
done
within outer-proc --pid --fork -- true
same "outer-proc: it tells of others: all stops are for all threads" 0 "$(some outer-proc)"
same "outer-proc: nobody is said to wait" 0 "$(count_of $'^wait\t' "$T/outer-proc.txt")"
same "outer-proc: each packet says that the kernel does not tell" \
    "$(count_of '^packet' "$T/outer-proc.txt")" \
    "$(count_of $'^connections\t[0-9]*\t[13]' "$T/outer-proc.txt")"
