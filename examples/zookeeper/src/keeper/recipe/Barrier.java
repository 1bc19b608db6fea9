/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

/**
 * The double barrier of ZooKeeper's documentation: nobody is in before all have come, nobody is out before all have
 * gone. A member that has lost its session is out for the others.
 */
public final class Barrier {
    private static final String READY = "ready";

    private final String path;
    private final String member;
    private final int size;

    /** Of so many members; the path must not have been a barrier's before. */
    public Barrier(String path, String member, int size) {
        this.path = path;
        this.member = member;
        this.size = size;
    }

    public void enter(Session session) throws SessionLost, InterruptedException {
        session.makePresent(path, "");
        session.makeMember(path + "/" + member);
        Children.await(session, path, names -> names.size() >= size || names.contains(READY));
        // The first members may be on their way out before the last one sees that all were there.
        session.makePresent(path + "/" + READY, "");
    }

    public void leave(Session session) throws SessionLost, InterruptedException {
        session.makeAbsent(path + "/" + member);
        Children.await(session, path, names -> names.stream().allMatch(READY::equals));
    }
}
