# SPDX-License-Identifier: Apache-2.0
# long
# no JVM
# The figures in docs/why-measured.md of systems that the analysis had not seen are those of today.
. tests/support/lib.sh

# row NAME: the table's row with today's figures, "19 of 22 | 21 of 22 | ..."
row() {
    local name=$1
    examples/casestudy.sh --unpack "casestudy/heldout/$name.tar.xz" "$T/$name" 2>/dev/null || return
    [ -e "$T/$name/rules" ] && set -- --rules "$T/$name/rules" || set --
    "$ROXI" evaluate "$T/$name/campaign" "$@" --where "$T/$name/truth.tsv" --blame "$T/$name/blame.tsv" --json \
        >"$T/$name.json" || return
    sqlite3 :memory: "with f as (select json_extract(j, '\$.failed') n, json_extract(j, '\$.with_class') c,
            json_extract(j, '\$.orders.findings') f from (select readfile('$T/$name.json') j))
        select f ->> 'first' || ' of ' || n || ' | ' || (f ->> 'three') || ' of ' || n || ' | ' ||
            (f ->> 'class_three') || ' of ' || c || ' | ' || (f ->> 'class_five') || ' of ' || c || ' | ' ||
            (f ->> 'in_time') || ' of ' || (f ->> 'timed') from f"
}

for name in telegrams rental replicas market buildfarm desk hotel chat clinic messagelog depot till metrics auction sagas group bank stream news cluster game orders seats parcels schedulers confd reels freight ring mail iot claims leases meters; do
    case $name in
    rental) title='bike rental' ;;
    buildfarm) title='build farm' ;;
    desk) title='support desk' ;;
    messagelog) title='message log' ;;
    depot) title='file store' ;;
    till) title=payments ;;
    metrics) title='metrics store' ;;
    auction) title='auction house' ;;
    sagas) title='order workflows' ;;
    group) title='ordered group' ;;
    stream) title='stream engine' ;;
    news) title='news site' ;;
    cluster) title='document store' ;;
    game) title='board games' ;;
    orders) title='order pipeline' ;;
    seats) title='ticket sales' ;;
    parcels) title='parcel tracking' ;;
    schedulers) title='job schedulers' ;;
    confd) title='configuration service' ;;
    reels) title='media service' ;;
    freight) title='freight exchange' ;;
    ring) title='ring of replicas' ;;
    mail) title='mail relay' ;;
    iot) title=telemetry ;;
    claims) title='claims desk' ;;
    leases) title='store with leases' ;;
    meters) title='smart meters' ;;
    *) title=$name ;;
    esac
    said=$(grep -A 1 "^| $title, at first sight |" docs/why-measured.md | sed -n 's/^| now | \(.*\) |$/\1/p')
    check "$name: docs/why-measured.md has figures" test -n "$said"
    same "$name: they are today's" "$said" "$(row $name)"
done

# first NAME RUN: kind and role of the first findings
first() {
    "$ROXI" explain "$T/$1/campaign" "$2" --rules "$T/$1/rules" --json >"$T/run.json" || return
    sqlite3 :memory: "select group_concat(f.value ->> 'kind' || ' ' || (f.value ->> 'role'), ', ')
        from json_each(readfile('$T/run.json'), '\$.findings') f where f.key < 2"
}
same "both threads of a deadlock come first" 'deadlock Cards, deadlock Cards' "$(first bank run0015)"
same "a slow disk, not the JVM that waits for it" 'no-answer Accounts, only-here Accounts' "$(first bank run0025)"
same "a JVM that stands still, not the one that it has asked" Coordinator "$(first bank run0024 | sed 's/^[^ ]* \([^,]*\).*/\1/')"

# The catalogue lists the runs in another order.
ranked() { "$ROXI" rank "$T/stream/campaign" --rules "$T/stream/rules" 2>/dev/null | sort; }
ranked >"$T/ranked"
sqlite3 "$T/stream/campaign/campaign.db" "create temp table moved as
        select id, 1000 + row_number() over (order by (id * 7919) % 1009) as new from execution;
    pragma foreign_keys = off;
    update vm set execution = (select new from moved where moved.id = execution);
    update packet set execution = (select new from moved where moved.id = execution);
    update execution set id = (select new from moved where moved.id = execution.id)"
same "the order of the runs does not change their scores" "" "$(ranked | diff - "$T/ranked")"
