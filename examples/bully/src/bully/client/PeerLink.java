/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Member;
import bully.algorithm.Message.Kind;
import bully.coordinator.Replicator;
import bully.coordinator.SearchState;
import bully.messaging.DeliveryException;
import bully.messaging.ServerLink;
import common.fault.Defect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Connects the replicator to the other clients, by way of the message server. */
record PeerLink(Post post, ServerLink link, Runnable finished) implements Replicator.Peers {
    @Override
    public List<SearchState> collect() {
        List<SearchState> copies = new ArrayList<>();
        for (Member member : others()) {
            try {
                copies.add((SearchState) post.request(Kind.STATE_REQUEST, member.name(), null).body());
            } catch (DeliveryException e) {
                post.note("copy of " + member.name() + " not to be had: " + e);
            }
        }
        return copies;
    }

    /** To all at once, so that one that is hard to reach does not hold up the others. */
    @Override
    public void spread(SearchState copy) throws InterruptedException {
        List<Callable<Object>> errands = new ArrayList<>();
        for (Member member : others()) {
            errands.add(Executors.callable(() -> post.send(Kind.STATE, member.name(), copy)));
        }
        ExecutorService couriers = Executors.newFixedThreadPool(Math.max(1, errands.size()));
        try {
            couriers.invokeAll(errands);
        } finally {
            dismiss(couriers);
        }
    }

    private static void dismiss(ExecutorService couriers) {
        if (!Defect.strikes("leak", "couriers")) {
            couriers.shutdown();
        }
    }

    @Override
    public boolean complete(SearchState copy) {
        try {
            link.publish(post.self().name(), copy);
        } catch (DeliveryException e) {
            return false;
        }
        for (Member member : others()) {
            post.send(Kind.FINISHED, member.name(), null);
        }
        finished.run();
        return true;
    }

    private List<Member> others() {
        List<Member> others = new ArrayList<>(post.members());
        others.removeIf(member -> member.name().equals(post.self().name()));
        return others;
    }
}
