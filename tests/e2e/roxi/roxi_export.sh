#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# no JVM
# also asan
# export in every format with the real binary, read by other programs: jq, gzip, and where installed
# (make deps-peers) python3 with jsonschema, protoc, go tool pprof and dot.
. tests/support/lib.sh
. tests/support/roxi_lib.bash

# vm DIR PID ROLE: three packets; names with blanks, ';', quotes, a line end, beyond the BMP
vm() {
    local packet
    for packet in 1 2 3; do
        printf '%d\n%s\t\nOpenJDK 17, Linux\n%d\n%d\n2\n' "$2" "$3" $packet $((packet * 1000))
        printf '00000001\nmain\nmain\nsystem\n1\n5\n2\n00000002 %d\n00000001 7\n' $packet
        printf '00000002\na;b "c"\\n\xf0\x9f\x98\x80 7\nmain\nsystem\n2\n657\n1\n00000003 -3\n'
        if [ $packet = 1 ]; then
            printf '%s\n' 3 '00000020 00000001 run ()V' '00000020 00000002 do\sit;& (I)V' \
                '00000021 00000003 <x>"\\\\ ()V' 2 "00000020 a.B\$C B.java" '00000021 n.S \e'
        else
            printf '0\n0\n'
        fi
    done >"$(vm_files "$1" "$2")"
}

# without WHAT: says that a comparison is left out
without() { skip "$1 is not installed: not compared"; }

for run in 1 2; do
    vm "$T/in/run$run" 1 server
    vm "$T/in/run$run" 2 'Client A'
done
"$ROXI" import "$T/camp" "$T"/in/run* 2>"$T/err" || not_ok "import: $(cat "$T/err")"
camp=$T/camp
as() { "$ROXI" export "$camp" --format "$@"; } # FORMAT OPTION...

# ---- collapsed ----

smile=$'\xf0\x9f\x98\x80'
same "collapsed" "Client_A;main;a.B\$C.run;a.B\$C.do_it:& 6
Client_A;a:b_\"c\"\\x0A${smile}_7;n.S.<x>\"\\\\ 6
server;main;a.B\$C.run;a.B\$C.do_it:& 6
server;a:b_\"c\"\\x0A${smile}_7;n.S.<x>\"\\\\ 6" "$(as collapsed)"
same "collapsed: one execution, lines, no threads" "a.B\$C.run:7;a.B\$C.do_it:&:1 2
n.S.<x>\"\\\\ 6
a.B\$C.run:7;a.B\$C.do_it:&:2 2
a.B\$C.run:7;a.B\$C.do_it:&:3 2" "$(as collapsed -e run2 --lines --no-threads)"
same "collapsed: one role and packet" 2 "$(as collapsed --role server --packet 2 |
    awk '{ n += $NF } END { print n / NR }')"

# ---- json ----

as json -o "$T/json"
same "json: what it is" "roxi-export 1 $camp json" \
    "$(jq -r '"\(.format) \(.version) \(.campaign) \(.options.format)"' "$T/json")"
same "json: everything is there" "2 4 12 24" "$(jq -r '[.executions[].vms[]] as $v |
    "\(.executions | length) \($v | length) \([$v[].snapshots[]] | length) \(
     [$v[].snapshots[].threads[]] | length)"' "$T/json")"
same "json: stacks once" "5 frames, 7 stacks" \
    "$(jq -r '"\(.frames | length) frames, \(.stacks | length) stacks"' "$T/json")"
# The same counts as collapsed has, put together from numbers.
jq -r '. as $all | def name: $all.methods[$all.frames[.][0]] as $m | $all.classes[$m[0]][0] + "." + $m[1];
    def stack: if . < 2 then [] else $all.stacks[.] as $s | ($s[0] | stack) + [$s[1] | name] end;
    .executions[].vms[] | .role as $role | .threads as $threads | .snapshots[].threads[] |
    [$role, $threads[.[0]].name] + (.[2] | stack) | tojson' "$T/json" | sort | uniq -c |
    awk '{ print $1 }' >"$T/counts"
same "json: counts as collapsed has them" "6 6 6 6" "$(paste -sd' ' "$T/counts")"

# ---- speedscope ----

as speedscope -e run1 -o "$T/speedscope"
same "speedscope: a profile for each thread, of three packets" "4 3" \
    "$(jq -r '"\(.profiles | length) \(.profiles | map(.endValue) | unique[])"' "$T/speedscope")"
same "speedscope: weights are as many as samples, frames are there" true "$(jq \
    '(.shared.frames | length) as $n | [.profiles[] | (.samples | length) == (.weights | length) and
     (.weights | add) == .endValue and ([.samples[][]] | max) < $n] | all' "$T/speedscope")"
cat >"$T/schema.json" <<'END'
{"type": "object", "required": ["$schema", "shared", "profiles"], "properties": {
 "$schema": {"enum": ["https://www.speedscope.app/file-format-schema.json"]},
 "name": {"type": "string"}, "exporter": {"type": "string"},
 "shared": {"type": "object", "required": ["frames"], "properties": {"frames": {"type": "array",
  "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
   "file": {"type": "string"}, "line": {"type": "number"}}}}}},
 "profiles": {"type": "array", "items": {"type": "object",
  "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
  "properties": {"type": {"enum": ["sampled"]}, "name": {"type": "string"},
   "unit": {"enum": ["none"]}, "startValue": {"type": "number"}, "endValue": {"type": "number"},
   "samples": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
   "weights": {"type": "array", "items": {"type": "number"}}}}}}}
END
if python=$(python_with jsonschema); then
    check "speedscope: fits the schema" "$python" -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
        "$T/speedscope" "$T/schema.json"
else
    without "python3-jsonschema"
fi

# ---- pprof ----

as pprof -o "$T/pprof.pb.gz"
check "pprof: is gzip" gzip -t "$T/pprof.pb.gz"
same "pprof: the same bytes each time" "$(sha256sum <"$T/pprof.pb.gz")" "$(as pprof | sha256sum)"
cat >"$T/profile.proto" <<'END'
syntax = "proto3";
package perftools.profiles;
message Profile {
  repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
  repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9;
  int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
  repeated int64 comment = 13;
}
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
message Label { int64 key = 1; int64 str = 2; }
message Mapping {
  uint64 id = 1; int64 filename = 5; bool has_functions = 7; bool has_filenames = 8;
  bool has_line_numbers = 9;
}
message Location { uint64 id = 1; uint64 mapping_id = 2; repeated Line line = 4; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; }
END
if command -v protoc >/dev/null; then
    gzip -dc "$T/pprof.pb.gz" | protoc -I "$T" --decode=perftools.profiles.Profile profile.proto \
        >"$T/pprof.txt" 2>"$T/err"
    same "pprof: protoc reads it" "0 $(wc -c <"$T/err")" "$? 0"
    same "pprof: knows all fields" 0 "$(grep -cE '^ *[0-9]+:' "$T/pprof.txt")"
    same "pprof: samples" 16 "$(grep -c '^sample {' "$T/pprof.txt")"
    same "pprof: snapshots of threads" 24 \
        "$(awk '/^  value:/ { n += $2 } END { print n }' "$T/pprof.txt")"
else
    without protoc
fi
if command -v go >/dev/null; then
    HOME=$T go tool pprof -top "$T/pprof.pb.gz" >"$T/top" 2>"$T/err" || cat "$T/err" >>"$T/top"
    has "pprof: go tool pprof reads it" 'Showing nodes accounting for 24, 100% of 24 total' "$T/top"
    has "pprof: its functions" '^ +12 50\.00% .* a\.B\$C\.do it;&$' "$T/top"
    has "pprof: its program is the campaign" '^File: camp$' "$T/top"
    HOME=$T go tool pprof -tags "$T/pprof.pb.gz" >"$T/tags" 2>/dev/null
    has "pprof: its labels" ' role: Total 24' "$T/tags"
else
    without "go tool pprof"
fi

# ---- jstack ----

as jstack -e run1 --role server -o "$T/jstack"
same "jstack: three dumps of two threads" "3 6" \
    "$(grep -c '^Full thread dump OpenJDK 17, Linux:$' "$T/jstack") $(grep -c \
        '^   java.lang.Thread.State: ' "$T/jstack")"
# As programs that analyse dumps have it: name, number, daemon, prio, os_prio, tid, nid, the rest.
line='^"(.*)" (#[0-9]+ )?(daemon )?prio=[0-9]+ (os_prio=-?[0-9]+ )?tid=0x[0-9a-f]+ nid=0x[0-9a-f]+ .+$'
same "jstack: all threads are as others read them" 6 "$(grep -cE "$line" "$T/jstack")"
has "jstack: a thread" '^"main" #1 prio=5 tid=0x0{15}1 nid=0x1 runnable$' "$T/jstack"
has "jstack: quotes in a name" "^\"a;b 'c'\\\\x0A$smile 7\" #2 prio=5" "$T/jstack"
has "jstack: a state" '^   java.lang.Thread.State: WAITING \(parked\)$' "$T/jstack"
has "jstack: a frame" $'^\tat a\\.B\\$C\\.run\\(B\\.java:7\\)$' "$T/jstack"
has "jstack: a native frame" $'^\tat n\\.S\\.<x>"\\\\\\\\\\(Native Method\\)$' "$T/jstack"

# ---- dot ----

as dot -o "$T/dot"
has "dot: a node" '^  n[0-9]+ \[label="a\.B\$C\\ndo it;&amp;\\n12 of 12 \(50\.0%\)"\];$' "$T/dot"
has "dot: nothing left out" '^// 24 snapshots of threads\. .* 0 nodes' "$T/dot"
as dot --max-nodes 3 --no-threads -o "$T/dot3"
same "dot: three nodes and the edge between two of them" "3 1" \
    "$(grep -c 'label=.* of ' "$T/dot3") $(grep -c -- '->' "$T/dot3")"
as dot --max-nodes 2 -o "$T/dot2"
has "dot: what was left out" '7 nodes, of at most 12 snapshots each; 12 snapshots executed' "$T/dot2"
if command -v dot >/dev/null; then
    check "dot: Graphviz reads it" dot -Tsvg "$T/dot" -o "$T/svg"
    same "dot: and draws all nodes" "$(grep -c 'label=.* of ' "$T/dot")" \
        "$(grep -c 'class="node"' "$T/svg")"
else
    without Graphviz
fi

# ---- where they come from ----

as collapsed -e run1 -o "$T/side-data" --provenance "$T/side"
same "provenance: of an export" "roxi-provenance 1 export collapsed run1 2" "$(jq -r \
    '"\(.format) \(.version) \(.command) \(.options.format) \(.options.execution) \(
      .inputs[0].logs | length)"' "$T/side")"
check "provenance: the logs are there" test -f "$(jq -r '.inputs[0].logs[0]' "$T/side")"
origin() { sed -nE "s|^($1)(\{.*\})\$|\2|p" "$2" | jq -r '"\(.roxi) \(.options.format)"'; }
version=$("$ROXI" --version)
same "provenance: in dot" "${version#roxi } dot" "$(origin '// ' "$T/dot")"
same "provenance: in jstack" "${version#roxi } jstack" "$(origin 'roxi: ' "$T/jstack")"
same "provenance: in speedscope" "${version#roxi } speedscope" \
    "$(jq -r '.roxi | "\(.roxi) \(.options.format)"' "$T/speedscope")"
check "provenance: of text" "$ROXI" export "$camp" -e run1 --format text -o "$T/text" \
    --provenance "$T/text-side"
same "provenance: of text, written" text "$(jq -r .options.format "$T/text-side")"

# ---- what does not fit, or is not there ----

check "no format" fails 2 'a format is needed' export "$camp"
check "a format that is not there" fails 2 "'x' is none of collapsed.json." \
    export "$camp" --format x
check "lines where they are anyway" fails 2 '--lines is for --format collapsed' \
    export "$camp" --format json --lines
check "nodes of what is no graph" fails 2 '--max-nodes is for --format dot' \
    export "$camp" --format json --max-nodes 3
check "no nodes" fails 2 "--max-nodes: '0' is not a number from 1 to" export "$camp" --format dot --max-nodes 0
check "a packet that is no number" fails 2 "--packet: '-1'" export "$camp" --format json --packet=-1
check "text of one role" fails 2 'writes a whole run' \
    export "$camp" --format text -e run1 -o "$T/none" --role server
check "the same file twice" fails 2 'name the same file' \
    export "$camp" --format dot -o "$T/none" --provenance "$T/none"
check "an execution that is not there" fails 1 "has no run 'run9'" \
    export "$camp" --format dot -e run9
check "a role that is not there" fails 1 "has no JVM with the role 'x'" export "$camp" --format dot --role x
check "a packet that is not there" fails 1 'has no snapshot with packet number 9' \
    export "$camp" --format json --packet 9 -e run1 -o "$T/none"
check "a directory that is not there" fails 1 'cannot write' \
    export "$camp" --format dot -o "$T/none/x"
check "a full device" fails 1 'No space left' export "$camp" --format pprof -o /dev/full
check "a directory instead of a file" fails 1 'it is a directory' export "$camp" --format dot -o "$T"
same "nothing was made" "" "$(find "$T" -name 'none*')"

# A log that is damaged counts up to there, one that is missing not at all; both are said.
cp -r "$camp" "$T/hurt"
log=$T/hurt/runs/run1/h-1.ixl
truncate -s $(($(stat -c %s "$log") - 3)) "$log"
rm "$T/hurt/runs/run2/h-2.ixl"
"$ROXI" export "$T/hurt" --format json -o "$T/hurt.json" 2>"$T/err"
same "damaged logs are exported" 0 $?
has "the torn one is said" 'run run1: .*h-1\.ixl' "$T/err"
has "the missing one, too" 'run run2: Client A is left out: .*h-2\.ixl.* No such file' "$T/err"
same "what is whole is there" "3 2 0 3" \
    "$(jq -r '[.executions[].vms[].snapshots | length] | join(" ")' "$T/hurt.json")"
same "and what is wrong" "2" \
    "$(jq '[.executions[].vms[].problem | select(. != null)] | length' "$T/hurt.json")"
printf 'no log at all\n' >"$log"
rm "$T/hurt/runs/run1/h-2.ixl"
check "nothing left to export" fails 1 "has no snapshots" export "$T/hurt" --format collapsed -e run1
sqlite3 "$T/hurt/campaign.db" 'PRAGMA foreign_keys=1; DELETE FROM execution'
check "no executions" fails 1 'has no runs yet' export "$T/hurt" --format json
