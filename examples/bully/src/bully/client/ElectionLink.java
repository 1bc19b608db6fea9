/* SPDX-License-Identifier: Apache-2.0 */
package bully.client;

import bully.algorithm.Election;
import bully.algorithm.Member;
import bully.algorithm.Message.Kind;
import bully.coordinator.Coordinator;
import java.util.List;

/** Connects the election to this client's post and its coordinator. */
record ElectionLink(Post post, Coordinator coordinator) implements Election.Network {
    @Override
    public List<Member> members() {
        return post.members();
    }

    @Override
    public void send(Kind kind, Member to) {
        post.send(kind, to.name(), null);
    }

    @Override
    public void elected() {
        coordinator.takeOffice();
    }

    @Override
    public void follow(Member member) {
        coordinator.leaveOffice();
    }
}
