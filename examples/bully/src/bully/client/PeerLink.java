package bully.client;

import bully.algorithm.Member;
import bully.algorithm.Message.Kind;
import bully.coordinator.Replicator;
import bully.coordinator.SearchState;
import bully.messaging.DeliveryException;
import bully.messaging.ServerLink;
import java.util.ArrayList;
import java.util.List;

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

    @Override
    public void spread(SearchState copy) {
        for (Member member : others()) {
            post.send(Kind.STATE, member.name(), copy);
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
