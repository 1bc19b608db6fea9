# SPDX-License-Identifier: Apache-2.0
# beside others
# JVMs in unusual environments: each IXOR_ variable missing, empty, long or garbage; no environment;
# another user, another root, process 1, no /proc, limits, closed streams, no room for a log. In all
# of them a JVM under ixor run prints and returns the same as without the agent, except for at most
# one line, and the catalogue does not record a crash. LIFETIMES (2): how many JVMs of each
# lifetime; if set, more environments of each kind are tested.
. "$ROOT/tests/support/lib.sh"
. "$ROOT/tests/support/environment_lib.bash"

open_place
camp=$PLACE/camp
sql() { sqlite3 -batch "$camp/campaign.db" "$1"; }
all=${LIFETIMES:-}

# ---- the points: a function each, which runs "$@" in that environment ----

# variable NAME HOW: declares a point
variables=(IXOR_KEY IXOR_ROLE IXOR_SERVER IXOR_EXECUTION)
hows=(missing long garbage)
[ -z "$all" ] || variables+=(IXOR_RUN IXOR_RUN_DIR XDG_RUNTIME_DIR HOME TMPDIR)
[ -z "$all" ] || hows+=(empty huge controls not-utf8 null-like)
value() {
    case $1 in
    empty) ;;
    long) printf 'x%.0s' {1..300} ;;
    huge) printf 'y%.0s' {1..65536} ;;
    garbage) printf 'no such thing, %%s%%n' ;;
    controls) printf 'a\tb\033[31mc\r\nd' ;;
    not-utf8) printf 'a\377\376b\300\200' ;;
    null-like) printf 'null' ;;
    esac
}
in_variable() { # VARIABLE HOW COMMAND...
    local name=$1 how=$2
    shift 2
    if [ "$how" = missing ]; then env -u "$name" "$@"; else env "$name=$(value "$how")" "$@"; fi
}
in_empty() { env -i ${JAVA_TOOL_OPTIONS:+"JAVA_TOOL_OPTIONS=$JAVA_TOOL_OPTIONS"} "$@"; }
in_path_only() { in_empty env PATH="$PATH" LANG=C "$@"; }
in_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
in_nobody_empty() { in_empty "$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
in_nobody_keyless() { in_nobody env -u IXOR_KEY "$@"; }
in_process_1() { unshare --pid --fork --mount-proc -- "$@"; }
in_no_proc() { unshare --mount -- sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$@"; }
in_no_tmp() { unshare --mount -- sh -c 'mount -t tmpfs -o ro none /tmp && exec "$@"' - "$@"; }
in_no_network() { unshare --net -- "$@"; }
# Another root, with the system's programs, the JDK and the agent, and nothing else.
in_chroot() {
    unshare --mount -- sh -c 'root=$1 place=$2 && shift 2 && mount -t tmpfs none "$root" &&
        for d in bin lib lib64 usr etc proc "$place"; do
            mkdir -p "$root/$d" && mount --rbind "/${d#/}" "$root/$d" || exit 99
        done && mkdir "$root/dev" && exec chroot "$root" "$@"' - "$PLACE/root" "$PLACE" "$@"
}
# The disk has no room left where logs go.
in_full_disk() {
    unshare --mount -- sh -c 'mount -t tmpfs -o size=4k none "$1" && head -c 4096 /dev/zero >"$1/full"
        shift && exec "$@"' - "$camp/runs/run0001" "$@"
}
in_read_only_logs() {
    unshare --mount -- sh -c 'mount -t tmpfs -o ro none "$1" && shift && exec "$@"' - \
        "$camp/runs/run0001" "$@"
}
in_tmpdir() { env TMPDIR=/no/such/place "$@"; }
in_cwd_gone() { (mkdir "$PLACE/gone.$BASHPID" && cd "$PLACE/gone.$BASHPID" && rmdir "$PWD" && "$@"); }
in_limit() { # OPTION VALUE COMMAND...
    (ulimit -S "$1" "$2" && ulimit -H "$1" "$2" && shift 2 && exec "$@")
}
# Processes and threads are counted by user, so each point has one of its own. (Where the JVM's own threads
# or descriptors just fit, the agent's are too many: such limits are left out.)
in_processes() { # N COMMAND...
    local user=$((61000 + $1))
    (ulimit -u "$1" && shift && exec setpriv --reuid=$user --regid=$user --clear-groups -- "$@")
}
in_no_input() { "$@" <&-; }
in_no_output() { "$@" >&-; }
in_no_errors() { "$@" 2>&-; }
in_no_streams() { "$@" <&- >&- 2>&-; }
in_full_streams() { "$@" >/dev/full 2>/dev/full; }
in_signals() { (trap '' PIPE XFSZ CHLD HUP && exec "$@"); }
in_nice() { nice -n 19 "$@"; }

points() {
    local name how
    point plain
    for name in "${variables[@]}"; do
        for how in "${hows[@]}"; do point variable "$name" "$how"; done
    done
    for name in empty path_only tmpdir cwd_gone no_input no_output no_errors no_streams full_streams \
        signals; do point $name; done
    for name in 16 20 24 32; do point limit -n $name; done
    for name in 4 16; do point limit -f $name; done # at 0 the JVM's own first line ends it
    for name in 2500000 4000000; do point limit -v $name; done
    point limit -s 256
    if needs setpriv --reuid=65534 --regid=65534 --clear-groups -- true; then
        for name in nobody nobody_empty nobody_keyless; do point $name; done
        point processes 200
    fi
    if needs unshare --mount -- mount -t tmpfs none /mnt; then
        for name in no_proc no_tmp chroot full_disk read_only_logs; do point $name; done
    fi
    if needs unshare --pid --fork --mount-proc -- true; then point process_1; fi
    if needs unshare --net -- true; then point no_network; fi
    [ -n "$all" ] || return 0
    for name in 18 28 48 64; do point limit -n $name; done
    for name in 8 32 64; do point limit -f $name; done
    for name in 1500000 3000000 6000000; do point limit -v $name; done
    for name in 100 150 500; do point processes $name; done
    point nice
}

# ---- running them ----

# The JVM prints on both streams and returns 3. It stays a little, for packets.
java_of() { echo "$PLACE/jdk/bin/java -XX:TieredStopAtLevel=1 -Xmx48m -Xshare:auto -XX:-UsePerfData \
-cp $PLACE/classes Exit exit 40"; }

if [ "${1:-}" = inside ]; then
    while read -ra words; do
        while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
        compare "${words[@]}" &
    done < <(points)
    wait
    exit 0
fi
# JVMs that live for 0 ms to a second beyond their start, and tell what they returned.
if [ "${1:-}" = lifetimes ]; then
    java=$(java_of)
    for ((i = 0; i < ${LIFETIMES:-2}; i++)); do
        for ms in 0 5 10 20 50 100 200 500 1000; do
            while [ "$(jobs -rp | wc -l)" -ge 3 ]; do wait -n; done
            { ${java% *} $ms >/dev/null 2>&1; echo $? >>"$PLACE/lived"; } &
        done
    done
    wait
    exit 0
fi
mkdir "$PLACE/results" "$PLACE/root"
export PLACE camp
for part in inside lifetimes; do
    timeout 900 "$PLACE/ixor" run --timeout 14m --agent "$PLACE/libixor.so" --out "$camp" --every 20ms -- \
        bash "$0" $part >"$T/out" 2>"$T/err"
    status=$?
    # In some environments no log can be written, and that data is missing makes the status 1.
    same "$part: the run is over" "$(grep -c '^ixor run: data is missing: 0 trace logs gone' "$T/err")" $status
    has "$part: it passed" 'run000[12] passed' "$T/err"
done
tell_points
same "short lives: all return what they should" 3 "$(sort -u "$PLACE/lived")"
lost=$(sql "select count(*) from vm where ended in ('vanished', 'silent')")
[ "$lost" = 0 ] || sql "select *, (select count(*) from snapshot where vm = vm.id) from vm
    where ended in ('vanished', 'silent')" >&2
check "no JVM is told to have crashed ($lost of $(sql 'select count(*) from vm'))" [ "$lost" = 0 ]
check "those that were sampled ended in order ($(sql "select group_concat(n || ' ' || ended, ', ')
    from (select count(*) n, ended from vm group by ended)"))" [ "$(sql 'select count(*) from vm')" -ge 10 ]
check "no output got into a log" test -z "$(grep -alrE '^(out|err) exit$' "$camp" --include='*.ixl')"
check "every log can be read" readable_logs "$camp"
