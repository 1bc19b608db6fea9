/* SPDX-License-Identifier: Apache-2.0 */
package keeper.client;

import common.Journal;
import java.util.List;
import keeper.recipe.Membership;
import keeper.recipe.Session;
import keeper.recipe.SessionLost;
import keeper.recipe.Sessions;

/** Shows the others that this client is there, and writes down who else is. */
final class Presence implements Runnable {
    private final Sessions sessions;
    private final Membership membership;
    private final Journal journal;

    Presence(Sessions sessions, Membership membership, Journal journal) {
        this.sessions = sessions;
        this.membership = membership;
        this.journal = journal;
    }

    @Override
    public void run() {
        try {
            sessions.insist(this::watch);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(Session session) throws SessionLost, InterruptedException {
        membership.join(session);
        List<String> members = List.of();
        while (true) {
            members = membership.awaitOthers(session, members);
            journal.event("members", String.join(",", members));
        }
    }
}
