# SPDX-License-Identifier: Apache-2.0
# beside others
# one JDK: the agent's tests have the others
# The shop: a normal run; at the same time one with a silent fault and one whose stock service is
# killed; and its oracle, which must find what is written into the results of a good run.
. tests/support/lib.sh

for jar in derby derbynet derbyclient jetty9-server servlet-api; do
    [ -f /usr/share/java/$jar.jar ] || missing+=" $jar.jar"
done
if [ -n "${missing:-}" ]; then
    skip "the shop's runs:$missing not installed (libderby-java libderbyclient-java libjetty9-java)"
    exit 0
fi

# Nobody waits that long, and no normal run lasts so long; but on a busy computer nobody leaves early either.
run() { examples/shop/run.sh --requests 20 --patience 20000 "$@"; }
of() { sed -n "s/^$2=//p" "$T/$1/outcome.txt"; }

check "a normal run passes" run --dir "$T/normal" --seed 5 --limit 120000
# Seeds that strike early.
run --dir "$T/killed" --seed 25 --fault stock-kill >"$T/killed.out" 2>&1 &
run --dir "$T/rounded" --seed 31 --fault rounding >"$T/rounded.out" 2>&1
same "a run with wrong totals fails" 1 $?
wait $!
same "a run whose stock service is killed fails" 1 $?

same "the normal run's verdict" "passed, 0 faults" "$(of normal verdict), $(of normal faults) faults"
has "the verdict says which machine ended" '^reasons=Stock ended unasked \(137\)' "$T/killed/outcome.txt"
same "the fault is written down, with time and place" "Stock stock-kill process SIGKILL" \
    "$(sed -nE 's/^[0-9]{13}\t//; s/\t/ /gp' "$T/killed"/faults-*.log)"
has "totals are the only reason of the silent fault" '^reasons=[0-9]+ totals are wrong$' \
    "$T/rounded/outcome.txt"
has "which is written down once" $'^[0-9]{13}\tOrders\trounding\tqtp' "$T/rounded/faults-orders.log"
same "no process is left" "" "$(pgrep -f "dir=$T")"
same "the table of blame has a line for each fault" \
    "$(examples/shop/run.sh --list-faults | cut -f 1 | grep -vx none)" \
    "$(tail -n +2 examples/shop/blame.tsv | cut -f 1)"

# blamed CHECK FILE SED-EXPRESSION: what the oracle's check says of the normal run after the
# expression changed a file.
blamed() (
    dir=$T/doctored
    rm -rf "$dir" && cp -r "$T/normal" "$dir"
    sed -i -E "$3" "$dir/$2"
    . examples/common/run.bash
    . examples/shop/oracle.sh
    $1
    printf '%s' "${reasons[*]}"
)
for way in check_{replies,orders,totals,accounts,shelves,prices,histories}; do
    same "$way finds nothing in the normal run" "" "$(blamed $way log-load.txt '')"
done
same "a purchase twice is found" "1 orders were carried out more than once" \
    "$(blamed check_orders rows-purchase.txt '1p')"
same "a purchase that is missing is found" "1 accepted orders are missing" \
    "$(blamed check_orders rows-purchase.txt 1d)"
same "a wrong total is found" "1 totals are wrong" \
    "$(blamed check_totals rows-purchase.txt '1s/$/0/')"
same "a wrong account is found" "1 accounts differ from their purchases" \
    "$(blamed check_accounts rows-customer.txt '1s/$/1/')"
same "a wrong shelf is found" "1 shelves do not have what they should" \
    "$(blamed check_shelves rows-stock.txt '3s/$/9/')"
same "an old price is found" "1 times an old price was shown" \
    "$(blamed check_prices log-load.txt \
        '$a 0\tprice\t99 7 1 2 200 changed\n0\tview\t99 9000000000000000 9000000000000001 200 1 1')"
same "a history in disorder is found" "1 histories are out of order" \
    "$(blamed check_histories log-load.txt '$a 0\thistory\t1 1 2 200 9 8')"
