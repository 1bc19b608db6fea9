# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server, and the way to it
# JVMs in containers, by what docs/containers.md says: namespaces of their own for files, processes, network and
# host name, /tmp of their own, another user. The agent comes in by a mount, the key by the environment, and the log
# goes out over the connection.
. tests/support/lib.sh
. tests/support/server_lib.bash
camp=$T/camp
tag=c$$

if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --uts --fork true 2>/dev/null ||
    ! ip netns add $tag-s 2>/dev/null; then
    skip "containers of namespaces need root"
    exit 0
fi
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null
    for n in s c; do ip netns del $tag-$n 2>/dev/null; done' EXIT
ip netns add $tag-c
ip -n $tag-s link add eth0 type veth peer name eth0 netns $tag-c
ip -n $tag-s addr add 10.9.4.1/24 dev eth0
ip -n $tag-c addr add 10.9.4.2/24 dev eth0
for n in s c; do
    ip -n $tag-$n link set lo up
    ip -n $tag-$n link set eth0 up
done

# container AGENT COMMAND...: with the agent at that path. Its root has the system's programs, the JDK in /jdk,
# classes in /app, and /shared, all but that read-only. The command is no child of root.
mkdir -m 777 "$T/shared" && mkdir "$T/root" && chmod 755 "$T"
cat >"$T/inside" <<'END'
root=$1 agent=$2
shift 2
take() { mkdir -p "$root$2" && mount --rbind "$1" "$root$2" && mount -o "remount,bind,$3" "$root$2"; }
mount --make-rprivate / && mount -t tmpfs -o mode=755 none "$root" || exit 120
for dir in /bin /lib /lib64; do
    if [ -L $dir ]; then ln -s "$(readlink $dir)" "$root$dir"; elif [ -d $dir ]; then take $dir $dir ro; fi
done
take /usr /usr ro && take /etc /etc ro && take "$JDK" /jdk ro && take "$CLASSES" /app ro &&
    take "$SHARED" /shared rw && take /dev /dev rw && mkdir -p "$root/proc" "$root/tmp" &&
    mount -t proc proc "$root/proc" && mount -t tmpfs -o mode=1777 none "$root/tmp" &&
    mkdir -p "$root${agent%/*}" && touch "$root$agent" && mount --bind "$FROM" "$root$agent" &&
    hostname box || exit 121
exec chroot "$root" setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
END
export JDK=$JAVA_HOME CLASSES=$JAVA_CLASSES SHARED=$T/shared FROM=$AGENT
cat >"$T/container" <<END
exec unshare --mount --pid --uts --ipc --fork --kill-child sh "$T/inside" "$T/root" "\$@"
END

# ---- ixor serve on the host, the JVM behind another interface ----

ip netns exec $tag-s "$IXOR" serve --out "$camp" --listen 0.0.0.0:0 --every 50ms --agent "$AGENT" >"$T/serve" \
    2>"$T/serve.err" &
server=$!
check "the server listens" wait_for 20 grep -q '^listening' "$T/serve"
port=$(sed -n 's/^listening on .*://p' "$T/serve")
key=$(cat "$camp/agent.key")
ip netns exec $tag-c sh "$T/container" /ixor/libixor.so env -i IXOR_KEY="$key" IXOR_ROLE=Boxed \
    JAVA_TOOL_OPTIONS="-agentpath:/ixor/libixor.so=server=10.9.4.1:$port,log=/tmp/%r-%p.ixl" \
    /jdk/bin/java -cp /app Until 100000 /shared/end >"$T/boxed" 2>&1 &
boxed=$!
enough() { [ "$(sql 'select count(*) from snapshot')" -ge 5 ]; }
check "a JVM in a container is sampled" wait_for 60 enough
touch "$T/shared/end"
wait $boxed
same "it ends as it would" 0 $?
same "the agent says nothing" "Picked up ready" "$(cut -d ' ' -f 1,2 "$T/boxed" | xargs)"
check "its log has come out" wait_for 20 is "box Boxed orderly collected 1" \
    "select host || ' ' || role || ' ' || ended || ' ' || log_state || ' ' || log_whole from vm"
check "into the campaign" test -f "$camp/$(sql 'select log_copy from vm')"
kill $server
wait $server
same "the server ends" 0 $?
check "roxi reads it" "$ROXI" report "$camp"

# ---- ixor run, which starts the container in its own network (docker run --network host) ----

cat >"$T/run" <<END
exec sh "$T/container" "$AGENT" env -i IXOR_KEY="\$IXOR_KEY" IXOR_EXECUTION="\$IXOR_EXECUTION" IXOR_RUN_DIR=/tmp \
    JAVA_TOOL_OPTIONS="\$JAVA_TOOL_OPTIONS" "\$@"
END
camp=$T/run-camp
ip netns exec $tag-s "$IXOR" run --out "$camp" --every 50ms --agent "$AGENT" -- sh "$T/run" /jdk/bin/java -cp /app \
    Until 1000+ >"$T/out" 2>&1
same "ixor run of a container passes" 0 $?
same "its log has come out, too" "box orderly collected passed" "$(sql "select host || ' ' || ended || ' ' ||
    log_state || ' ' || verdict from vm, execution")"
