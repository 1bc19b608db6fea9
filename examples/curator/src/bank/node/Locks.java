/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.ArrayList;
import java.util.List;
import bank.plan.Plan;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** The accounts' locks, which all nodes share. */
final class Locks {
    private final List<InterProcessMutex> mutexes = new ArrayList<>();
    private final Profile profile;

    Locks(CuratorFramework client, Profile profile) {
        this.profile = profile;
        for (int account = 0; account < Plan.ACCOUNTS; account++) {
            mutexes.add(new InterProcessMutex(client, Paths.of(Paths.LOCKS, account)));
        }
    }

    /** Locks both accounts, the lower number first. */
    void acquire(int from, int to) throws Exception {
        boolean ordered = from < to || profile.has("lock-order");
        int first = ordered ? from : to;
        mutexes.get(first).acquire();
        try {
            mutexes.get(ordered ? to : from).acquire();
        } catch (Exception e) {
            mutexes.get(first).release();
            throw e;
        }
    }

    void release(int from, int to) throws Exception {
        try {
            mutexes.get(from).release();
        } finally {
            if (!profile.once("lock-held")) {
                mutexes.get(to).release();
            }
        }
    }
}
