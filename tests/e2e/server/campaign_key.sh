# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: what runs here is the server
# A campaign's keys: where they are stored, who can read them, who may join and who not;
# certificates.
. tests/support/lib.sh
. tests/support/server_lib.bash
AGENT=$PWD/build/libixor.so

camp=$T/camp
unset IXOR_KEY
sampled() { [ "$(sql "select count(*) from snapshot join vm on vm = vm.id where role = '$1'")" -ge 3 ]; }
mode() { stat -c %a "$1" 2>/dev/null; }
# serve [OPTION...]: on any free port
serve() { : >"$T/err" && serve_on 127.0.0.1:0 --every 20ms "$@"; }
stop() {
    kill -INT $server
    wait $server
}
# jvm ROLE OPTIONS: a JVM that runs for a second or two; its words go to $T/ROLE.err
jvm() {
    "$JAVA" "-agentpath:$AGENT=server=$address,role=$1,log=$T/%r-%p.ixl$2" -cp "$JAVA_CLASSES" \
        Until 60000 "$T/stop-$1" >"$T/$1.out" 2>"$T/$1.err" &
    last=$!
}
gone() {
    touch "$T/stop-$1"
    wait $last
    same "$1: the application ends as it would have" 0 $?
}
quiet() { same "$1: nothing is said" "" "$(cat "$T/$1.err")"; }
# A copy of the program with the agent beside it, as `make` and `make install` leave them.
mkdir "$T/bin" && cp "$IXOR" "$AGENT" "$T/bin" && IXOR=$T/bin/ixor

export XDG_RUNTIME_DIR=$T/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
serve
same "the campaign's key is its user's alone" 600 "$(mode "$camp/key")"
same "and so is the agents'" 600 "$(mode "$camp/agent.key")"
port=${address##*:}
for place in "$XDG_RUNTIME_DIR/ixor" "/tmp/ixor-$(id -u)"; do
    same "left for JVMs of the same user: ${place%-*}" "700 600" \
        "$(mode "$place") $(mode "$place/$port")"
done
key=$(cat "$camp/agent.key")
cat /proc/[0-9]*/cmdline >"$T/lines" 2>/dev/null
same "no key is on a command line" 0 "$(grep -ac "${key#ixor-agent-}" "$T/lines")"
jvm Plain ""
check "a JVM without a word about keys is sampled" wait_for 20 sampled Plain
gone Plain
quiet Plain
XDG_RUNTIME_DIR=/nowhere jvm Elsewhere ""
check "nor does it need a variable" wait_for 20 sampled Elsewhere
gone Elsewhere
cp "$camp/agent.key" "$T/copy"
XDG_RUNTIME_DIR=/nowhere IXOR_KEY=ixor-agent-$(printf '%064d' 9) jvm File ",key=$T/copy"
check "a copied key does as well" wait_for 20 sampled File
gone File

# Strangers: another campaign's JVM, and one who only knows the port.
rm "$XDG_RUNTIME_DIR/ixor/$port" "/tmp/ixor-$(id -u)/$port"
before=$(sql 'select count(*) from vm')
IXOR_KEY=ixor-agent-$(printf '%064d' 9) jvm Stranger ""
check "another campaign's JVM is turned away" wait_for 10 grep -qE '(has not|does not have) this campaign.s key' "$T/err"
check "it says so in one line" wait_for 10 grep -q 'does not accept this JVM.s key' "$T/Stranger.err"
gone Stranger
same "one line" 1 "$(wc -l <"$T/Stranger.err")"
exec 9<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.1\r\n\r\n' >&9 2>/dev/null
check "so is who speaks no TLS" wait_for 10 grep -q 'does not speak TLS 1.3' "$T/err"
exec 9>&-
same "nothing of them is kept" "$before" "$(sql 'select count(*) from vm')"
stop
same "no key is left at the end" "" "$(ls "$XDG_RUNTIME_DIR/ixor/$port" "/tmp/ixor-$(id -u)/$port" 2>/dev/null)"

# The same campaign has the same key; children get it through the environment alone.
serve
same "the key stays" "$key" "$(cat "$camp/agent.key")"
stop
"$IXOR" run --out "$camp" --show-output -- sh -c 'echo "$IXOR_KEY"; echo "$JAVA_TOOL_OPTIONS"; exit 1' \
    >"$T/run.out" 2>"$T/run.err"
same "children of ixor run have it" "$key" "$(sed -n 1p "$T/run.out")"
same "but not where java prints it" 0 "$(sed -n 2p "$T/run.out" | grep -c 'ixor-agent-')"

# Keys that are not sound are not used, wherever the server is to listen.
refused() { # refused DESCRIPTION PATTERN
    "$IXOR" serve --out "$camp" --listen 0.0.0.0:0 >"$T/out" 2>"$T/err"
    same "$1: exit status" 1 $?
    has "$1: what to do" "$2" "$T/err"
}
chmod 640 "$camp/key"
refused "a key that others can read" 'is open to other users \(mode 0640\); close it with chmod'
chmod 600 "$camp/key"
cp "$camp/agent.key" "$camp/key"
refused "another kind of key" "is the agent key; expected the campaign key"
: >"$camp/key"
refused "an empty key" "is not a valid campaign key; expected ixor-campaign- and 64"
rm "$camp/key" && mkdir "$camp/key"
refused "a directory" "is not a file"
rmdir "$camp/key"
serve
check "a key that was deleted is another one" [ "$(cat "$camp/agent.key")" != "$key" ]
stop

# Certificates of a small authority.
certificate() { # certificate NAME SUBJECT-ALTERNATIVE-NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj "/CN=$1" \
        -addext "subjectAltName=$2" -addext 'basicConstraints=critical,CA:FALSE' \
        -CA "$T/ca.pem" -CAkey "$T/ca.key" -keyout "$T/$1.key" -out "$T/$1.pem" 2>>"$T/openssl" ||
        sign "$@"
}
# OpenSSL 3.0's req cannot sign for others.
sign() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" \
        -addext "subjectAltName=$2" -keyout "$T/$1.key" -out "$T/$1.csr" 2>>"$T/openssl" &&
        openssl x509 -req -in "$T/$1.csr" -CA "$T/ca.pem" -CAkey "$T/ca.key" -CAcreateserial \
            -copy_extensions copy -days 1 -out "$T/$1.pem" 2>>"$T/openssl"
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=authority \
    -keyout "$T/ca.key" -out "$T/ca.pem" 2>>"$T/openssl"
certificate server IP:127.0.0.1
certificate host DNS:some.host
serve --tls-cert "$T/server.pem" --tls-key "$T/server.key" --tls-ca "$T/ca.pem"
ours=",cert=$T/host.pem,certkey=$T/host.key,ca=$T/ca.pem"
jvm Certified "$ours"
check "a JVM with a certificate and the key is sampled" wait_for 20 sampled Certified
gone Certified
quiet Certified
jvm Bare ""
check "one without a certificate is not" wait_for 10 grep -q 'each other.s certificates' "$T/Bare.err"
gone Bare
jvm Wrong "$ours,key=$T/copy" # of the key that was deleted; the right one lies where it looks next
check "the key is asked for as well" wait_for 10 grep -qE '(has not|does not have) this campaign.s key' "$T/err"
gone Wrong
collect() { "$IXOR" collect --server "$address" --key "$camp/agent.key" "$@" "$log" >"$T/sent" 2>&1; }
log=$(echo "$T"/Certified-*.ixl)
files=(--tls-cert "$T/host.pem" --tls-key "$T/host.key" --tls-ca "$T/ca.pem")
check "ixor collect with a certificate is let in" collect "${files[@]}"
has "and heard" "^$log: (stored|the server has it)$" "$T/sent"
collect
same "without one it is not: exit status" 1 $?
has "and told what to do" "wants certificates; give --tls-cert" "$T/sent"
address=127.1:${address##*:} collect "${files[@]}"
same "the server's certificate must be for the name given: exit status" 1 $?
has "and this is said" "each other.s certificates" "$T/sent"
"$IXOR" collect --server "$address" "${files[@]:0:2}" "$log" >"$T/sent" 2>&1
same "ixor collect, one file of three: exit status" 2 $?
has "ixor collect, one file of three: what it says" 'go together' "$T/sent"
same "nobody else got in" "Certified" "$(sql "select distinct role from vm where role in
    ('Certified', 'Bare')")"
stop
"$IXOR" serve --out "$camp" --listen 127.0.0.1:0 --tls-cert "$T/server.pem" >"$T/out" 2>"$T/err"
same "one file of three: exit status" 2 $?
has "one file of three: what it says" 'go together' "$T/err"
jvm Two ",cert=$T/host.pem"
wait $last
check "one option of three" grep -q "^ixor: options 'cert', 'certkey' and 'ca' go together" "$T/Two.err"
