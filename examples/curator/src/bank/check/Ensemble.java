/* SPDX-License-Identifier: Apache-2.0 */
package bank.check;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import bank.node.Connections;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.client.FourLetterWordMain;

/** Three ZooKeeper servers in this JVM. */
final class Ensemble implements AutoCloseable {
    private static final int SERVERS = 3;
    /** For clients, elections and the quorum. */
    private static final int PORTS = 3;
    private static final Pattern RECEIVED = Pattern.compile("Received: ([0-9]+)");

    private final TestingCluster cluster;

    Ensemble() throws Exception {
        cluster = new TestingCluster(servers());
        cluster.start();
    }

    /** Each with three ports that nobody has, all of them different. */
    private static List<InstanceSpec> servers() throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int port = 0; port < SERVERS * PORTS; port++) {
                sockets.add(new ServerSocket(0));
            }
            List<InstanceSpec> servers = new ArrayList<>();
            for (int server = 0; server < SERVERS; server++) {
                servers.add(new InstanceSpec(null, sockets.get(PORTS * server).getLocalPort(),
                        sockets.get(PORTS * server + 1).getLocalPort(),
                        sockets.get(PORTS * server + 2).getLocalPort(), true, server + 1));
            }
            return servers;
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
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
