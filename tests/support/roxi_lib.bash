# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of roxi: runs in the original's text layout.
# shellcheck shell=bash

# vm_files DIR PID: prints the path for the log of this process
vm_files() {
    mkdir -p "$1"
    echo "h-$2.txt" >>"$1/files.list"
    echo "$2.log" >"$1/h-$2.txt"
    echo "$1/$2.log"
}

# random_vm DIR PID ROLE SEED PACKETS MOST: a log of two threads with up to MOST frames each
random_vm() {
    awk -v pid="$2" -v role="$3" -v seed="$4" -v packets="$5" -v most="$6" 'BEGIN {
        srand(seed)
        for (p = 1; p <= packets; p++) {
            printf "%d\n%s\t\njvm\n%d\n%d\n2\n", pid, role, p, p
            for (t = 1; t <= 2; t++) {
                depth = int(rand() * (most + 1))
                printf "%08X\nworker%d\nmain\nsystem\n1\n5\n%d\n", t, t, depth
                for (f = 0; f < depth; f++) printf "%08X %d\n", 1 + int(rand() * 4), 1 + int(rand() * 3)
            }
            if (p > 1) { print "0\n0"; continue }
            print "4\n0000000A 00000001 f ()V\n0000000A 00000002 g ()V"
            print "0000000A 00000003 g (I)V\n0000000B 00000004 f ()V"
            print "2\n0000000A p.A A.java\n0000000B p.B B.java"
        }
    }' >"$(vm_files "$1" "$2")"
}

# small_vm DIR PID ROLE [LINE]...: two packets of one thread, at these lines of one method; the
# executing frame comes first. The line `packet` stands for the packet's number.
small_vm() {
    local dir=$1 pid=$2 role=$3 packet
    shift 3
    for packet in 1 2; do
        printf '%d\n%s\t\njvm\n%d\n%d\n1\n00000001\nmain\nmain\nsystem\n1\n5\n%d\n' "$pid" "$role" \
            $packet $packet $#
        printf '00000001 %d\n' "${@/packet/$packet}"
        [ $packet = 2 ] || printf '1\n0000000A 00000001 f ()V\n1\n0000000A p.A A.java\n'
        [ $packet = 1 ] || printf '0\n0\n'
    done >"$(vm_files "$dir" "$pid")"
}

# working_vm DIR PID ROLE WORK...: a log of one thread. WORK is `N METHOD...`: for N packets the thread
# is in these methods, package.Class.method, the entry frame first.
working_vm() {
    awk -v pid="$2" -v role="$3" '
    function number(method,   name, class) {
        if (method in methods) return methods[method]
        name = method
        sub(/.*\./, "", name)
        class = substr(method, 1, length(method) - length(name) - 1)
        if (!(class in classes)) {
            classes[class] = ++all_classes
            new_classes = new_classes sprintf("%08X %s S.java\n", all_classes, class)
        }
        methods[method] = ++all_methods
        new_methods = new_methods sprintf("%08X %08X %s ()V\n", classes[class], all_methods, name)
        return all_methods
    }
    BEGIN {
        for (w = 1; w < ARGC; w++) {
            depth = split(ARGV[w], word, " ") - 1
            for (n = word[1]; n > 0; n--) {
                packet++
                printf "%d\n%s\t\njvm\n%d\n%d\n1\n", pid, role, packet, packet
                printf "00000001\nmain\nmain\nsystem\n1\n5\n%d\n", depth
                for (f = depth + 1; f > 1; f--) printf "%08X 1\n", number(word[f])
                printf "%d\n%s%d\n%s", all_methods - old_methods, new_methods,
                    all_classes - old_classes, new_classes
                new_methods = new_classes = ""
                old_methods = all_methods
                old_classes = all_classes
            }
        }
    }' "${@:4}" >"$(vm_files "$1" "$2")"
}

# fails STATUS PATTERN ARGUMENT...: roxi fails with this status and message, prints nothing to
# stdout, and does not create $T/new
fails() {
    local want=$1 pattern=$2 status=0
    shift 2
    timeout 60 "$ROXI" "$@" >"$T/out" 2>"$T/err" || status=$?
    cat "$T/err"
    [ $status = "$want" ] && [ ! -s "$T/out" ] && [ ! -e "$T/new" ] &&
        grep -Eq -- "$pattern" "$T/err"
}

# python_with MODULE: prints a python3 that has the module
python_with() {
    local p
    for p in python3 /usr/bin/python3; do
        "$p" -c "import $1" 2>/dev/null && echo "$p" && return
    done
    return 1
}

# crowd_vm DIR PID ROLE THREADS PACKETS [NAME]: a log of so many threads; all but the first, whose
# name can be given, change between two methods at times of their own.
crowd_vm() {
    awk -v pid="$2" -v role="$3" -v threads="$4" -v packets="$5" -v name="${6:-main}" 'BEGIN {
        for (p = 1; p <= packets; p++) {
            printf "%d\n%s\t\njvm\n%d\n%d\n%d\n", pid, role, p, p, threads
            for (t = 1; t <= threads; t++)
                printf "%08X\n%s\nmain\nsystem\n1\n5\n2\n%08X 7\n%08X 9\n", t,
                    (t == 1 ? name : "worker " t), (t > 1 && int((p + t) / 5) % 2 ? 2 : 1), 3
            if (p > 1) { print "0\n0"; continue }
            print "3\n0000000A 00000001 work ()V\n0000000A 00000002 rest ()V\n0000000B 00000003 run ()V"
            print "2\n0000000A p.Work Work.java\n0000000B p.Main Main.java"
        }
    }' >"$(vm_files "$1" "$2")"
}
