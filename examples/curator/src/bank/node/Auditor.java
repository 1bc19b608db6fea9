/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import bank.plan.Transfer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;

/** Each booking is announced in a queue, from which some node takes it and ticks it off. */
final class Auditor implements QueueConsumer<String>, QueueSerializer<String> {
    private final CuratorFramework client;
    private final DistributedQueue<String> queue;
    private final Profile profile;

    Auditor(CuratorFramework client, NodeThreads threads, Profile profile) {
        this.client = client;
        this.profile = profile;
        queue = QueueBuilder.builder(client, this, this, Paths.AUDIT).lockPath(Paths.AUDIT_LOCKS)
                .threadFactory(threads.factory("audit")).buildQueue();
    }

    void start() throws Exception {
        queue.start();
    }

    void close() throws java.io.IOException {
        queue.close();
    }

    void announce(Transfer transfer) throws Exception {
        String text = transfer.text();
        queue.put(profile.once("redelivery") ? text.replace(' ', ';') : text);
    }

    @Override
    public void consumeMessage(String message) throws Exception {
        Transfer transfer = Transfer.parse(message);
        try {
            client.create().forPath(Paths.of(Paths.AUDITED, transfer.id()));
        } catch (KeeperException.NodeExistsException e) {
            // An announcement can come twice.
        }
    }

    @Override
    public void stateChanged(CuratorFramework changed, ConnectionState state) {
        // The queue goes on by itself.
    }

    @Override
    public byte[] serialize(String item) {
        return Paths.bytes(item);
    }

    @Override
    public String deserialize(byte[] bytes) {
        return Paths.text(bytes);
    }
}
