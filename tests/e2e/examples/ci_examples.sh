#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# one JDK
# beside others
# The shell parts of examples/ci, taken out of the files and run as the CI systems run them, with a test
# that fails in its second run.
. tests/support/lib.sh

examples=$PWD/examples/ci
export RUNS=3 SHARD PATH=$PWD/$B:$PATH
unset GITHUB_STEP_SUMMARY

# block FILE N: the lines of the Nth `run: |`, which are indented more
block() {
    awk -v wanted="$2" '{ match($0, / */) }
        /^ *- run: \|$/ { block++; indent = RLENGTH + 2; next }
        RLENGTH <= indent { indent = 999 }
        block == wanted && RLENGTH > indent { print }' "$1"
}
# items FILE: the lines of `script:`, a list
items() { sed -n '/^ *script:$/,/^ *[a-z]*:/ s/^ *- //p' "$1"; }
# quoted FILE: what is between sh ''' and '''
quoted() { sed -n "/sh '''\$/,/^ *'''\$/p" "$1" | sed "/'''/d"; }

# begin NAME: an empty directory with the test, which becomes the current one
begin() {
    mkdir -p "$T/$1/target"
    cd "$T/$1" || exit
    cat >my-test.sh <<END
#!/bin/sh
'$JAVA' -cp '$JAVA_CLASSES' Until 300
[ "\$IXOR_RUN" != 2 ] || failure='<failure/>'
echo "<testsuite><testcase classname='a.B' name='c'>\$failure</testcase></testsuite>" >target/TEST-a.xml
END
    chmod +x my-test.sh
}
# ends STATUS SHELL...: the shell runs the text on its standard input
ends() {
    local want=$1 got=0
    shift
    cat >job
    "$@" job >out 2>err || got=$?
    cat job out err
    [ -s job ] && [ $got = "$want" ]
}

begin github
export GITHUB_STEP_SUMMARY=$PWD/step
check "GitHub: a run failed, so the job fails" ends 3 bash -e < <(block "$examples/github.yml" 1)
unset GITHUB_STEP_SUMMARY
has "the summary" '^### Ixor: 1 of 3 runs failed' step
check "the page is there" grep -q '</html>' ixor.html

begin gitlab
check "GitLab" ends 3 bash -e -o pipefail < <(items "$examples/gitlab.yml")
same "its report has the failure" run0002 "$(xmllint --xpath 'string(//testcase[failure]/@name)' ixor.xml)"
check "the page is there" grep -q '</html>' ixor.html

begin jenkins
check "Jenkins judges the report, so the step succeeds" ends 0 sh -xe < <(quoted "$examples/Jenkinsfile")
same "its report has the failure" run0002 "$(xmllint --xpath 'string(//testcase[failure]/@name)' ixor.xml)"
check "the page is there" grep -q '</html>' ixor.html

# compares KIND JOB JOB: makes a baseline of five runs, of which one failed, and compares other runs with
# it; whether these are unusual is chance.
compares() {
    begin "$1"
    local RUNS=5 status=0
    check "$1: good runs become a file" ends 0 bash -e -o pipefail <<<"$2"
    check "$1: a small one" test "$(stat -c %s good.ixb)" -lt 1000000
    rm -r good
    GITHUB_STEP_SUMMARY=$PWD/step bash -e -o pipefail <<<"$3" >out 2>err || status=$?
    check "$1: others are compared with it" grep -q '^[03]$' <<<"$status"
    has "$1: with the good ones among them" 'learned from 4' err
    has "$1: the summary says which are unusual" '^### Ixor: [1-5none]+ of 5 runs (is|are) unusual$' step
}
compares github-baseline "$(block "$examples/github-baseline.yml" 1)" "$(block "$examples/github-baseline.yml" 2)"
lines=$(items "$examples/gitlab-baseline.yml" | sed 's/^ *- //')
compares gitlab-baseline "$(head -n 2 <<<"$lines")" "$(tail -n +3 <<<"$lines")"

begin shards
for SHARD in shard-1 shard-2; do
    check "$SHARD records, and does not judge" ends 0 bash -e < <(block "$examples/github-shards.yml" 1)
    same "without keys" "" "$(find $SHARD -name '*key')"
done
mkdir shards
mv shard-1 shard-2 shards
check "the shards are judged as one campaign" ends 3 bash -e < <(block "$examples/github-shards.yml" 2)
has "of all runs" '^### Ixor: 2 of 6 runs failed' out
same "named after their shards" "shard-1-run0001 shard-1-run0002 shard-1-run0003 shard-2-run0001 shard-2-run0002 shard-2-run0003" \
    "$(sqlite3 -batch -noheader campaign/campaign.db 'SELECT name FROM execution ORDER BY id' | xargs)"
