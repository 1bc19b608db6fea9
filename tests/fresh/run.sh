#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the project on a fresh machine: a clone of HEAD in a Debian root that has only git, make and the
# package manager.
#   tests/fresh/run.sh [build|deb|demo|check|absent]...     default: build deb demo absent
#   build   `make` names missing packages and installs nothing; the command that it prints is enough for
#           make and make install; make uninstall leaves no file behind
#   deb     `make deb`; the packages are installed on another fresh machine and used there
#   demo    `make demo` as the first command
#   check   `make check` without the optional packages; FRESH_TESTS: kinds of tests, as TESTS of make check
#   absent  check, then all optional packages installed and each removed in turn: the test that uses it
#           is skipped, and nothing fails
# Skipped without root, debootstrap (make deps-fresh) or a Debian mirror in apt's configuration.
# The root is made once and kept, with downloaded packages, in ${XDG_CACHE_HOME:-~/.cache}/ixor-fresh;
# after FRESH_DAYS (default 30) it is made again. Changes go to an overlay that is discarded.
# Prints what tests/run.sh prints. The output of each command stays in build/fresh.
set -u
cd "$(dirname "$0")/../.." || exit
TOP=$PWD
LOGS=$TOP/build/fresh
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/ixor-fresh
SUITE=bookworm
BASE=$CACHE/$SUITE
passed=0 failed=0 skipped=0

ok() { echo "ok $*" && passed=$((passed + 1)); }
not_ok() { echo "not ok $*" && failed=$((failed + 1)); }
skip() { echo "skip $*" && skipped=$((skipped + 1)); }
check() {
    local what=$1
    shift
    if "$@"; then ok "$what"; else not_ok "$what"; fi
}
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
    exit
}
leave() { skip "a fresh machine: $*"; finish; }

# ---- the root ----

# The Debian sources in this host's apt configuration, as "URI SUITE COMPONENT".
sources() {
    apt-get indextargets 'Created-By: Packages' --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' |
        sed -n "s/^Debian \(.* $SUITE.*\)/\1/p" | sort -u
}

make_base() {
    local mirror new=$CACHE/new
    [ -z "$(find "$BASE" -maxdepth 0 -mtime "-${FRESH_DAYS:-30}" 2>/dev/null)" ] || return 0
    mirror=$(sources | awk -v suite=$SUITE '$2 == suite { print $1; exit }')
    [ -n "$mirror" ] || { apt-get update >/dev/null && mirror=$(sources |
        awk -v suite=$SUITE '$2 == suite { print $1; exit }'); }
    [ -n "$mirror" ] || leave "apt has no mirror of $SUITE here"
    echo "# making a root of $SUITE from $mirror"
    rm -rf "$new"
    debootstrap --variant=minbase --include=git,make,ca-certificates $SUITE "$new" "$mirror" \
        >"$LOGS/debootstrap.log" 2>&1 || {
        tail -n 5 "$LOGS/debootstrap.log"
        leave "debootstrap could not make one"
    }
    sources | sed 's/^/deb /' >"$new/etc/apt/sources.list"
    # Like a container image, which has no package lists before the first apt-get update.
    rm -rf "$new"/var/lib/apt/lists/* "$new"/var/cache/apt/archives/*.deb
    rm -rf "$BASE" && mv "$new" "$BASE" && touch "$BASE"
}

# in_root ROOT COMMAND...: with its own mounts, processes, devices and temporary files; the network and
# downloaded packages are shared. pivot_root, because with chroot alone a nested mount namespace would show
# the host's paths.
in_root() {
    local root=$1
    shift
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
        ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
        ${no_proxy:+"no_proxy=$no_proxy"} ROOT="$root" DEBS="$CACHE/debs" \
        unshare --mount --pid --fork --kill-child sh -c '
            mount --make-rprivate / &&
            mount --bind "$DEBS" "$ROOT/var/cache/apt/archives" &&
            mount -t proc proc "$ROOT/proc" &&
            mount -t sysfs -o ro sysfs "$ROOT/sys" &&
            mount --rbind /dev "$ROOT/dev" &&
            mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm" &&
            mount -t tmpfs -o mode=755 tmpfs "$ROOT/run" &&
            cd "$ROOT" && pivot_root . . && umount -l . && unset ROOT DEBS && exec chroot . "$@"' sh "$@" </dev/null
}

# Overlays that are mounted now; the trap removes them.
mounted=()
undo() {
    local i
    for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do
        umount "${mounted[i]}/root" && rm -rf "${mounted[i]}"
    done
    mounted=()
}
trap undo EXIT
trap 'exit 130' INT TERM

# over LOWER: sets $over to a new directory with root/, a writable overlay of LOWER.
over() {
    over=$(mktemp -d "$CACHE/over.XXXXXX") && mkdir "$over"/{upper,work,root} &&
        mount -t overlay overlay -o "lowerdir=$1,upperdir=$over/upper,workdir=$over/work" \
            "$over/root" || { rm -rf "$over"; return 1; }
    mounted+=("$over")
}

# newcomer: sets $root to a fresh machine with the clone in /root/ixor
newcomer() {
    over "$BASE" || leave "no overlay can be mounted here"
    root=$over/root
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    # Every installed Debian and every container has this file; debootstrap leaves it to others.
    printf '127.0.0.1\tlocalhost\n::1\tlocalhost\n' >"$root/etc/hosts"
    # The host's way to the mirror, such as a proxy.
    apt-config dump | grep -E '^Acquire::(https?|ftp|Retries|Check-Valid-Until|Check-Date)[: ]' \
        >"$root/etc/apt/apt.conf.d/90host"
    git clone -q --no-hardlinks "$TOP" "$root/root/ixor" || leave "the tree cannot be cloned"
}

# try NAME COMMAND...: runs it in the clone; the output goes to $LOGS/NAME.
try() {
    local name=$1 status began=$SECONDS
    shift
    in_root "$root" sh -c 'cd /root/ixor && exec "$@"' sh "$@" >"$LOGS/$name" 2>&1
    status=$?
    printf '# %s: %d:%02d min\n' "$name" $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
    return $status
}

# tried NAME COMMAND...: the same as a check
tried() {
    if try "$@"; then
        ok "$1"
    else
        not_ok "$1"
        tail -n 40 "$LOGS/$1" | sed 's/^/    | /'
        return 1
    fi
}

packages() { in_root "$root" dpkg-query -W -f '${Package}\n'; }

# ---- what is tried ----

try_build() {
    local command before
    newcomer
    before=$(packages)
    if try nothing-there make; then not_ok "make fails"; else ok "make fails"; fi
    check "and installs nothing" test "$before" = "$(packages)"
    check "with one command" test "$(grep -c '^    ' "$LOGS/nothing-there")" = 1
    command=$(sed -n 's/^    //p' "$LOGS/nothing-there")
    tried command sh -c "$command" || return
    tried make make
    tried install make install DESTDIR=/tmp/at PREFIX=/usr
    tried installed sh -c '/tmp/at/usr/bin/ixor --version && /tmp/at/usr/bin/roxi --version'
    tried uninstall make uninstall DESTDIR=/tmp/at PREFIX=/usr
    check "no file is left behind" test -z "$(find "$root/tmp/at" ! -type d)"
    check "nothing in the clone has changed" test -z "$(git -C "$root/root/ixor" status --porcelain)"
    undo
}

try_deb() {
    newcomer
    tried deb make deb || return
    rm -rf "$LOGS/debs" && mkdir "$LOGS/debs" && cp "$root"/root/ixor/build/deb/*.deb "$LOGS/debs"
    undo
    newcomer
    cp -r "$LOGS/debs" "$root/debs"
    printf '%s\n' 'class Nap { public static void main(String[] a) throws Exception { Thread.sleep(1000); } }' \
        >"$root/root/Nap.java"
    tried apt-install sh -c 'apt-get update && apt-get install -y --no-install-recommends openjdk-17-jdk-headless \
        /debs/ixor_*.deb /debs/ixor-agent_*.deb /debs/roxi_*.deb /debs/libixor-junit-java_*.deb' || return
    tried deb-run ixor run --runs 2 --out /root/campaign -- java /root/Nap.java
    tried deb-rank roxi rank /root/campaign
    check "ixor and roxi have man pages and completion" test -s "$root/usr/share/man/man1/ixor.1.gz" -a \
        -s "$root/usr/share/man/man1/roxi.1.gz" -a -s "$root/usr/share/bash-completion/completions/roxi"
    tried apt-purge apt-get purge -y ixor ixor-agent roxi libixor-junit-java
    check "no file of the packages is left behind" test -z "$(find "$root/usr" -name '*ixor*' -o -name '*roxi*')"
    undo
}

try_demo() {
    newcomer
    tried demo make demo
    check "it names runs" grep -q 'The most unusual runs' "$LOGS/demo"
    undo
}

# Leaves the machine mounted.
try_check() {
    newcomer
    tried check make check TESTS="${FRESH_TESTS:-}"
    tail -n 1 "$LOGS/check" | sed 's/^/# /'
    check "without the optional packages some tests are skipped" \
        grep -qE '^[0-9]+ passed, 0 failed, [1-9][0-9]* skipped$' "$LOGS/check"
    check "nothing in the clone has changed" test -z "$(git -C "$root/root/ixor" status --porcelain)"
}

# Optional packages: the test that uses each, and the command that rebuilds it.
uses='
libopenmpi-dev          e2e  roxi_mpi         rm -rf build/mpi
openmpi-bin             e2e  roxi_mpi         :
python3-scipy           e2e  roxi_clustering  :
r-base-core             e2e  roxi_clustering  :
graphviz                e2e  roxi_export      :
protobuf-compiler       e2e  roxi_export      :
python3-jsonschema      e2e  roxi_export      :
libparasail-dev         unit test_roxi_peers  make build/tests/test_roxi_peers build/asan/tests/test_roxi_peers
libedlib-dev            unit test_roxi_peers  make build/tests/test_roxi_peers build/asan/tests/test_roxi_peers
zsh                     e2e  completion       :
chromium                e2e  viewer_page      :
chromium-driver         e2e  viewer_page      :
maven                   e2e  agent_maven      :
libsurefire-java        e2e  agent_maven      :
libmaven-compiler-plugin-java e2e agent_maven :
libmaven-resources-plugin-java e2e agent_maven :
gradle                  e2e  agent_gradle     :
'

optional() { { make/deps.sh list peers; make/deps.sh list mpi; make/deps.sh list build; } | sort | uniq -u; }

skips() { awk '/ passed, / { n = $(NF - 1) } END { print n + 0 }' "$LOGS/$1"; }

try_absent() {
    local package phase test again all before
    local -A with=() # skips of each test with all packages: some are for others
    tried peers make deps-peers || return
    all=$root
    for package in $(optional); do
        read -r _ phase test again <<<"$(grep "^$package " <<<"$uses")"
        [ -n "$phase" ] || { not_ok "absent: no test is known for $package"; continue; }
        if [ -z "${with[$test]:-}" ]; then
            [ "$phase" = unit ] && before=$again || before=:
            # shellcheck disable=SC2016 # expanded inside
            tried "with-$test" sh -c 'eval "$1" && tests/run.sh "$2" --only "$3"' sh "$before" "$phase" "$test"
            with[$test]=$(skips "with-$test")
        fi
        over "$all" || { skip "absent: no overlay of an overlay"; return; }
        root=$over/root
        # shellcheck disable=SC2016 # expanded inside
        tried "absent-$package" sh -c '
            dpkg --purge --force-depends "$1" && eval "$2" && tests/run.sh "$3" --only "$4"' \
            sh "$package" "$again" "$phase" "$test" &&
            check "$package: more is skipped than with it" \
                test "$(skips "absent-$package")" -gt "${with[$test]}"
        umount "$over/root" && rm -rf "$over" && unset 'mounted[-1]'
        root=$all
    done
}

# ---- ----

what=("$@")
[ ${#what[@]} -gt 0 ] || what=(build deb demo absent)
[ "$(id -u)" = 0 ] || leave "needs root"
command -v debootstrap >/dev/null && command -v unshare >/dev/null && command -v apt-get >/dev/null ||
    leave "debootstrap is not here (make deps-fresh)"
umask 022
mkdir -p "$LOGS" "$CACHE/debs/partial"
exec 9>"$CACHE/lock"
flock -n 9 || leave "another one is running"
make_base
SECONDS=0
for one in "${what[@]}"; do
    case $one in
    build | deb | demo) "try_$one" ;;
    check) try_check && undo ;;
    absent) try_check && try_absent; undo ;;
    *) echo "tests/fresh/run.sh: '$one': expected build, deb, demo, check or absent" >&2; exit 2 ;;
    esac
done
finish
