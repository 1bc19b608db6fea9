/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.util.ArrayList;
import java.util.List;
import bank.plan.Plan;
import bank.plan.Transfer;

/** The statements of the accounts that a node owns, as they would be sent to the customers. */
final class Statements {
    private static final int PAGE = 20;
    private static final int ALL = 20_000;

    private final Profile profile;
    private final List<List<String>> pages = new ArrayList<>();

    Statements(Profile profile) {
        this.profile = profile;
        for (int account = 0; account < Plan.ACCOUNTS; account++) {
            pages.add(new ArrayList<>());
        }
    }

    /** Makes the account's statement new, and drops the one before. */
    void update(Transfer transfer, long balance) {
        boolean everything = profile.has("memory");
        String page = render(transfer, balance, everything ? ALL : PAGE);
        List<String> kept = pages.get(transfer.from());
        synchronized (kept) {
            if (!everything) {
                kept.clear();
            }
            kept.add(page);
        }
    }

    private static String render(Transfer transfer, long balance, int lines) {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < lines; line++) {
            text.append(String.format("%6d %8d %8d %12d%n", line, transfer.id(), transfer.amount(), balance));
        }
        return text.toString();
    }
}
