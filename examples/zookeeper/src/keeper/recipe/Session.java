/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAccumulator;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * One session with the ensemble. It outlives lost connections: what was asked is asked again. It does not outlive its
 * time-out; what is held in it is held by nobody from then on, so that whoever holds something asks by the session in
 * which it is held.
 */
public final class Session {
    /** Requests to the ensemble. */
    @FunctionalInterface
    public interface Request<T> {
        /** With {@code again}, an earlier attempt may have been carried out though its reply did not come. */
        T send(ZooKeeper keeper, boolean again) throws KeeperException, InterruptedException;
    }

    private final ZooKeeper keeper;
    private final LongAccumulator slowest;

    private Session(ZooKeeper keeper, LongAccumulator slowest) {
        this.keeper = keeper;
        this.slowest = slowest;
    }

    /**
     * Waits until there is a server; the machine's watchdog bounds that. {@code slowest} gets how long each request
     * took, in nanoseconds.
     */
    static Session open(String servers, int timeoutMillis, LongAccumulator slowest) throws InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper keeper = new ZooKeeper(servers, timeoutMillis, event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            connected.await();
            return new Session(keeper, slowest);
        } catch (IOException e) {
            throw new IllegalStateException("no client for " + servers, e);
        }
    }

    /** Asks until there is a reply. An error that the request does not handle itself is a defect of the caller. */
    public <T> T ask(Request<T> request) throws SessionLost, InterruptedException {
        long asked = System.nanoTime();
        boolean again = false;
        while (true) {
            try {
                return request.send(keeper, again);
            } catch (KeeperException.ConnectionLossException e) {
                again = true;
            } catch (KeeperException.SessionExpiredException e) {
                throw new SessionLost(id());
            } catch (KeeperException e) {
                throw new IllegalStateException(e);
            } finally {
                slowest.accumulate(System.nanoTime() - asked);
            }
        }
    }

    /** Makes a node that stays, with this text, unless it is there. */
    public void makePresent(String path, String text) throws SessionLost, InterruptedException {
        makePresent(path, text, CreateMode.PERSISTENT);
    }

    /** The same, of a node that is there as long as the session. */
    void makeMember(String path) throws SessionLost, InterruptedException {
        makePresent(path, "", CreateMode.EPHEMERAL);
    }

    private void makePresent(String path, String text, CreateMode mode) throws SessionLost, InterruptedException {
        ask((zoo, again) -> {
            try {
                return zoo.create(path, text.getBytes(StandardCharsets.UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
            } catch (KeeperException.NodeExistsException e) {
                return path;
            }
        });
    }

    /** Makes sure that the node is not there. */
    void makeAbsent(String path) throws SessionLost, InterruptedException {
        ask((zoo, again) -> {
            try {
                zoo.delete(path, -1);
            } catch (KeeperException.NoNodeException e) {
                // It went before: with an earlier attempt, or with an earlier session.
            }
            return path;
        });
    }

    boolean isLost() {
        return !keeper.getState().isAlive();
    }

    /** As the servers write it in their logs. */
    String id() {
        return "0x" + Long.toHexString(keeper.getSessionId());
    }

    void close() throws InterruptedException {
        keeper.close();
    }
}
