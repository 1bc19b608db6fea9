/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Member;
import common.Journal;
import common.fault.Defect;

/**
 * A client's membership: it joins, stays or comes back, and may be told to come back as someone more important.
 *
 * <p>The last is against the specification. Whether and when it happens is an argument ({@link Defect}), so a client
 * that behaves runs the same lines up to the decision.
 */
final class Career {
    /** What a client must be able to do with its membership. */
    interface Membership {
        void join(Member identity);

        void leave();
    }

    /** Between leaving and coming back. */
    private static final long ABSENCE_MILLIS = 250;

    private final Membership membership;
    private final Journal journal;
    private final Member ambition;
    private boolean promoted;

    Career(Membership membership, Member ambition, Journal journal) {
        this.membership = membership;
        this.ambition = ambition;
        this.journal = journal;
    }

    /** To be called now and then by the worker. */
    void consider() throws InterruptedException {
        if (!promoted && Defect.strikes("priority", "career")) {
            promote();
        }
    }

    private void promote() throws InterruptedException {
        promoted = true;
        journal.event("leaving", "to come back as " + ambition);
        membership.leave();
        Thread.sleep(ABSENCE_MILLIS);
        membership.join(ambition);
    }
}
