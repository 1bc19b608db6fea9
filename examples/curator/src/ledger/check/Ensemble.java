/* SPDX-License-Identifier: Apache-2.0 */
package ledger.check;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ledger.node.Connections;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.client.FourLetterWordMain;

/** Three ZooKeeper servers in this JVM. */
final class Ensemble implements AutoCloseable {
    private static final int SERVERS = 3;
    private static final Pattern RECEIVED = Pattern.compile("Received: ([0-9]+)");

    private final TestingCluster cluster;

    Ensemble() throws Exception {
        cluster = new TestingCluster(SERVERS);
        cluster.start();
    }

    Connections connections() {
        return new Connections(cluster.getConnectString());
    }

    /** How many requests the servers have got from their clients. */
    long requests() throws Exception {
        long sum = 0;
        for (InstanceSpec server : cluster.getInstances()) {
            Matcher reply = RECEIVED.matcher(
                    FourLetterWordMain.send4LetterWord(server.getHostname(), server.getPort(), "srvr"));
            sum += reply.find() ? Long.parseLong(reply.group(1)) : 0;
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
