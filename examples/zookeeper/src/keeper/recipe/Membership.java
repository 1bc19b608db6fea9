/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

import java.util.List;

/** Who is there: a node for each member, as long as its session lasts. */
public final class Membership {
    private final String path;
    private final String member;

    public Membership(String path, String member) {
        this.path = path;
        this.member = member;
    }

    public void join(Session session) throws SessionLost, InterruptedException {
        session.makeMember(path + "/" + member);
    }

    /** Waits until the members are others than these; in order of names. */
    public List<String> awaitOthers(Session session, List<String> known) throws SessionLost, InterruptedException {
        return sorted(Children.await(session, path, names -> !sorted(names).equals(known)));
    }

    private static List<String> sorted(List<String> names) {
        return names.stream().sorted().toList();
    }
}
