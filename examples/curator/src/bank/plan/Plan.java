/* SPDX-License-Identifier: Apache-2.0 */
package bank.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What a run has to do: batches of transfers, each with a fee of its own, as the seed decides. */
public final class Plan {
    public static final int ACCOUNTS = 8;
    public static final int NODES = 4;
    public static final long OPENING = 1_000_000;
    private static final int EACH = 2;
    private static final int LEAST_AMOUNT = 101;
    private static final int MOST_AMOUNT = 9999;
    private static final int MOST_PERMILLE = 60;

    private final List<List<Transfer>> batches = new ArrayList<>();
    private final List<Integer> permilles = new ArrayList<>();

    public Plan(long seed, int count) {
        Random random = new Random(seed);
        int id = 0;
        int permille = 1;
        for (int batch = 0; batch < count; batch++) {
            permille = 1 + (permille + random.nextInt(MOST_PERMILLE - 2)) % (MOST_PERMILLE - 1);
            permilles.add(permille);
            List<Transfer> transfers = new ArrayList<>();
            for (int from : order(random)) {
                int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                transfers.add(new Transfer(++id, batch, from, to, random.nextInt(LEAST_AMOUNT, MOST_AMOUNT)));
            }
            batches.add(transfers);
        }
    }

    private static List<Integer> order(Random random) {
        List<Integer> accounts = new ArrayList<>();
        for (int number = 0; number < ACCOUNTS * EACH; number++) {
            accounts.add(number % ACCOUNTS);
        }
        Collections.shuffle(accounts, random);
        return accounts;
    }

    public int size() {
        return batches.size();
    }

    public List<Transfer> batch(int number) {
        return batches.get(number);
    }

    public List<Transfer> transfers() {
        return batches.stream().flatMap(List::stream).toList();
    }

    /** The fee of a batch, in thousandths of the amount; never that of the batch before. */
    public int permille(int batch) {
        return permilles.get(batch);
    }

    /** The node whose workers book what leaves this account. */
    public static int owner(int account) {
        return account % NODES + 1;
    }

    /** Half a cent and more counts as one. */
    public static long fee(long amount, int permille) {
        return (amount * permille + 500) / 1000;
    }
}
