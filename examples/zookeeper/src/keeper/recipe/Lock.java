/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;

/**
 * The lock recipe of ZooKeeper's documentation: who wants it makes a node with the next number, and waits for the end
 * of the node before its own; the lowest holds the lock. For one thread at a time.
 */
public final class Lock {
    /** ZooKeeper's sequence numbers have ten digits. */
    private static final int DIGITS = 10;

    private final String path;
    private final String owner;
    private int attempts;

    public Lock(String path, String owner) {
        this.path = path;
        this.owner = owner;
    }

    /** The lock, held until it is released or the session is lost. */
    public final class Hold {
        private final Session session;
        private final String node;

        private Hold(Session session, String node) {
            this.session = session;
            this.node = node;
        }

        /** Grows from hold to hold, whoever holds. */
        public long token() {
            return number(node);
        }

        public void release() throws InterruptedException {
            try {
                session.makeAbsent(path + "/" + node);
            } catch (SessionLost e) {
                // Then the ensemble has released it. What was done under the lock is done.
            }
        }
    }

    public Hold acquire(Session session) throws SessionLost, InterruptedException {
        String own = enqueue(session);
        while (true) {
            Optional<String> before = before(session, own);
            if (before.isEmpty()) {
                return new Hold(session, own);
            }
            awaitEnd(session, before.get());
        }
    }

    /** The name tells whose attempt it is, so that it is found again if the reply was lost. */
    private String enqueue(Session session) throws SessionLost, InterruptedException {
        String prefix = owner + "-" + ++attempts + "-";
        return session.ask((zoo, again) -> {
            if (again) {
                Optional<String> made = zoo.getChildren(path, false).stream()
                        .filter(name -> name.startsWith(prefix)).findFirst();
                if (made.isPresent()) {
                    return made.get();
                }
            }
            return zoo.create(path + "/" + prefix, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE,
                    CreateMode.EPHEMERAL_SEQUENTIAL).substring(path.length() + 1);
        });
    }

    private Optional<String> before(Session session, String own) throws SessionLost, InterruptedException {
        List<String> queue = session.ask((zoo, again) -> zoo.getChildren(path, false));
        if (!queue.contains(own)) {
            throw new SessionLost(session.id());
        }
        return queue.stream().filter(name -> number(name) < number(own)).max(Comparator.comparingLong(Lock::number));
    }

    /** Or until something happens to the connection; the caller looks at the queue again in any case. */
    private void awaitEnd(Session session, String node) throws SessionLost, InterruptedException {
        CountDownLatch changed = new CountDownLatch(1);
        Stat there = session.ask((zoo, again) -> zoo.exists(path + "/" + node, event -> changed.countDown()));
        if (there != null) {
            changed.await();
        }
    }

    private static long number(String node) {
        return Long.parseLong(node.substring(node.length() - DIGITS));
    }
}
