#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of the shop: a database, a stock service, two web servers, and customers; judges what they
# wrote. Starts no other JVM.
# shellcheck disable=SC2034,SC2154  # variables from and for the files that it sources
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
# shellcheck source=../common/run.bash disable=SC1091
. "$here/../common/run.bash" || exit 2
# shellcheck source=oracle.sh disable=SC1091
. "$here/oracle.sh" || die "no oracle"

system=shop
servers=(Stock Front Orders Database)
roles=(Database Stock Orders Front Load)
faults=$(
  printf '%s\t%s\t%s\n' \
    none - 'the same classes and the same questions; nothing goes wrong' \
    leaked-connection - 'a database connection is not given back when a history is empty' \
    kept-lock - 'the recount does not commit: rows of the stock stay locked' \
    slow-query - 'recommendations: a join lacks one of its conditions' \
    lock-order - 'a refill locks the shelf before it asks the order service' \
    endless-retry - 'an order for a sold-out item is repeated forever' \
    spinning-parser - 'a search with a quotation mark that is not closed is parsed forever' \
    stock-kill - 'the stock service is killed (SIGKILL)' \
    orders-stall - 'the order service stands still for 1 to 2 s (SIGSTOP, SIGCONT)' \
    single-thread - 'the stock service has one thread for all connections' \
    lost-reply - 'an order waits for a receipt that nobody prints' \
    thread-leak - 'the threads of a page of recommendations are not ended' \
    growing-cache - 'decoded pictures are kept for each visit, not for each item' \
    slow-log - 'each line of the access log is forced to the disk, under a lock' \
    lost-update - 'what a customer has spent is read without a lock before it is written' \
    stale-cache - 'a changed price does not replace the one that was cached' \
    duplicate-order - 'an order that comes again under the same token is carried out again' \
    wrong-order - 'a history is sorted by token, not by time' \
    rounding - 'half a cent is dropped'
)
own_options=(shoppers requests patience limit)
own_usage='  --shoppers N      customers at the same time (default 6)
  --requests N      of each of them (default 40)
  --patience MS     how long a customer waits for a reply (default 5000)
  --limit MS        when a machine ends that is not done (default 25000)'
shoppers=6 requests=40 patience=5000 limit=25000
take_options "$@"
[[ $shoppers =~ ^[1-9][0-9]?$ ]] || die "--shoppers: $shoppers is not in 1..99"
[[ $requests =~ ^[1-9][0-9]{0,3}$ ]] || die "--requests: $requests is not in 1..9999"
[[ $patience =~ ^[1-9][0-9]{2,5}$ ]] || die "--patience: $patience is not in 100..999999"
[[ $limit =~ ^[1-9][0-9]{3,5}$ ]] || die "--limit: $limit is not in 1000..999999"

class_path=$classes
jars=/usr/share/java
for jar in derby{,net,client} jetty9-{server,http,io,util} servlet-api; do
  [ -f $jars/$jar.jar ] ||
    die "no $jars/$jar.jar; install libderby-java, libderbyclient-java and libjetty9-java"
  class_path+=:$jars/$jar.jar
done
java_options+=(-Dorg.eclipse.jetty.LEVEL=WARN -Dsun.net.http.retryPost=false)
declare -A port=([Database]=21901 [Stock]=21902 [Orders]=21903 [Front]=21904)

# take_address: a loopback address that no other run uses while this one lives, hence free ports.
# Jetty puts its port into names of threads, so ports are the same in all runs. All machines inherit
# the lock.
take_address() {
  local number lock
  for number in {1..250}; do
    { exec {lock}>> "/tmp/ixor-shop-$UID-$number.lock"; } 2> /dev/null || continue
    if flock -n "$lock"; then
      address=127.$((64 + UID % 128)).$((UID / 128 % 256)).$number
      return
    fi
    exec {lock}>&-
  done
  die "all of /tmp/ixor-shop-$UID-*.lock are locked by other runs, or cannot be written"
}

# machine ROLE CLASS [ARGUMENT...]
machine() {
  local arguments=("${@:3}")
  [ "$1" != "$culprit" ] || arguments+=(switch="$fault" switch-from="$from")
  start "$1" "shop.$2" role="$1" dir="$dir" limit="$limit" seed="$seed" address="$address" \
    port="${port[$1]:-0}" database-port="${port[Database]}" "${arguments[@]}"
}

# switch ROLE FROM TO: the fault is a condition in this machine, which holds from a drawn time on
# that it is asked for, FROM to TO-1.
switch() {
  culprit=$1
  draw_from "$2" "$3"
  from=$drawn
}

# end_servers: asks one after the other, so that none misses another before its own end. The exit
# status shows that it was asked: 143.
end_servers() {
  local role
  for role in "${servers[@]}"; do
    runs "$role" || continue
    asked[$role]=yes
    kill -TERM "${pid_of[$role]}" 2> /dev/null
    kill -CONT "${pid_of[$role]}" 2> /dev/null
    tick
    await $(((now - begun) / 1000 + 10)) "$role"
  done
}

culprit=none from=0
case $fault in
  leaked-connection) switch Orders 0 4 ;;
  kept-lock) switch Stock 2 10 ;;
  slow-query) switch Orders 0 20 ;;
  lock-order) switch Stock 3 12 ;;
  endless-retry) switch Front 0 2 ;;
  spinning-parser) switch Front 0 3 ;;
  single-thread) switch Stock 0 1 ;;
  lost-reply) switch Orders 0 6 ;;
  thread-leak) switch Front 0 4 ;;
  growing-cache) switch Front 0 8 ;;
  slow-log) switch Front 10 100 ;;
  lost-update) switch Orders 5 25 ;;
  stale-cache) switch Front 0 3 ;;
  duplicate-order) switch Orders 0 6 ;;
  wrong-order) switch Orders 0 10 ;;
  rounding) switch Orders 0 40 ;;
esac

declare -A asked=()
take_address
begin
machine Database database.DatabaseMain
machine Stock stock.StockMain orders-port="${port[Orders]}"
machine Orders orders.OrdersMain stock-port="${port[Stock]}"
machine Front front.FrontMain orders-port="${port[Orders]}"
machine Load load.LoadMain front-port="${port[Front]}" shoppers="$shoppers" requests="$requests" \
  patience="$patience"
case $fault in
  stock-kill) later kill_one "$dir/working" 200 1500 Stock ;;
  orders-stall) later stall_one "$dir/working" 200 1500 1000 2000 Orders ;;
esac
await_limit "$limit" Load
end_servers
end_all
conclude judge
