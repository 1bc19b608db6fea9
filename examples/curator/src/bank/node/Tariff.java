/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import org.apache.curator.framework.CuratorFramework;

/** The fees of the batch that was asked for last. */
final class Tariff {
    private static final int THOUSAND = 1000;
    private static final int HALF = 500;

    private final CuratorFramework client;
    private final Profile profile;
    private int batch = -1;
    private int permille;

    Tariff(CuratorFramework client, Profile profile) {
        this.client = client;
        this.profile = profile;
    }

    synchronized int permille(int wanted) throws Exception {
        if (batch != wanted && (batch < 0 || !profile.has("stale-cache"))) {
            permille = Integer.parseInt(Paths.text(client.getData().forPath(Paths.of(Paths.TARIFF, wanted))));
            batch = wanted;
        }
        return permille;
    }

    /** Of an amount in cents; half a cent and more counts as one. */
    long fee(long amount, int thousandths) {
        long exact = amount * thousandths;
        long fee = exact / THOUSAND;
        long rest = exact % THOUSAND;
        long step = rest >= HALF && profile.once("spin") ? 0 : THOUSAND;
        while (rest >= HALF) {
            fee += Long.signum(step);
            rest -= step;
        }
        return fee;
    }
}
