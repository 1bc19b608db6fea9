/* SPDX-License-Identifier: Apache-2.0 */
package bank.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import bank.node.Paths;
import bank.plan.Plan;
import bank.plan.Transfer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;

/** What the nodes have left in the ensemble. */
record Outcome(int batches, List<Integer> audited, List<Long> balances, List<List<Entry>> entries) {

    /** A booking: the transfer, the fee that was taken, and the node that did it. */
    record Entry(Transfer transfer, long fee, int node) {
        static Entry parse(String text) {
            String[] part = text.split(" ");
            int last = part.length - 1;
            return new Entry(Transfer.parse(text), Long.parseLong(part[last - 1]), Integer.parseInt(part[last]));
        }
    }

    static Outcome read(CuratorFramework client) throws Exception {
        List<Long> balances = new ArrayList<>();
        List<List<Entry>> entries = new ArrayList<>();
        for (int account = 0; account < Plan.ACCOUNTS; account++) {
            balances.add(Long.parseLong(data(client, Paths.of(Paths.ACCOUNTS, account))));
            entries.add(entries(client, Paths.of(Paths.ENTRIES, account)));
        }
        List<Integer> audited = client.getChildren().forPath(Paths.AUDITED).stream().map(Integer::valueOf).sorted()
                .toList();
        return new Outcome(client.getChildren().forPath(Paths.BATCHES).size(), audited, balances, entries);
    }

    private static List<Entry> entries(CuratorFramework client, String path) throws Exception {
        List<Entry> entries = new ArrayList<>();
        List<String> names = new ArrayList<>(client.getChildren().forPath(path));
        names.sort(Comparator.naturalOrder());
        for (String name : names) {
            entries.add(Entry.parse(data(client, Paths.of(path, name))));
        }
        return entries;
    }

    private static String data(CuratorFramework client, String path) throws Exception {
        return Paths.text(client.getData().forPath(path));
    }

    /** The sessions of all nodes, one for work and one to be seen; 0 where there is none. */
    static List<Long> sessions(CuratorFramework client) throws Exception {
        List<Long> sessions = new ArrayList<>();
        for (String parent : List.of(Paths.SESSIONS, Paths.MEMBERS)) {
            for (int node = 1; node <= Plan.NODES; node++) {
                Stat stat = client.checkExists().forPath(Paths.of(parent, node));
                sessions.add(stat == null ? 0 : stat.getEphemeralOwner());
            }
        }
        return sessions;
    }
}
