// SPDX-License-Identifier: Apache-2.0

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A test of two nodes in its own JVM, that asks them in turn, and gives up after two seconds. Hang N: for
 * request N the node forgets to commit, which takes no code of its own; 0: for none.
 */
public class Hang {
    static final int REQUESTS = 24;
    static final int LIMIT_MS = 2000;

    public static class Gate {
        private int committed;

        synchronized void await(int index) throws InterruptedException {
            while (committed < index)
                wait();
        }

        synchronized void commit(int index) {
            committed = Math.max(committed, index);
            notifyAll();
        }
    }

    public static class Node {
        private final Gate gate = new Gate();
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final ExecutorService workers;
        private final ExecutorService committer;

        Node(String name) throws IOException {
            workers = Executors.newSingleThreadExecutor(task -> daemon(task, name + "-worker-1"));
            committer = Executors.newSingleThreadExecutor(task -> daemon(task, name + "-commit-1"));
            daemon(this::read, name + "-reader-1").start();
        }

        private static Thread daemon(Runnable task, String name) {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        }

        Socket connect() throws IOException {
            return new Socket(server.getInetAddress(), server.getLocalPort());
        }

        private void read() {
            try (Socket client = server.accept()) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                for (;;) {
                    int index = in.readInt(), commits = in.readInt();
                    workers.execute(() -> answer(index, out));
                    committer.execute(() -> commit(index * commits));
                }
            } catch (IOException e) {
                // the test is over
            }
        }

        private void answer(int index, DataOutputStream out) {
            try {
                gate.await(index);
                out.writeInt(index);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void commit(int index) {
            try {
                Thread.sleep(30);
            } catch (InterruptedException e) {
                return;
            }
            gate.commit(index);
        }
    }

    public static class Test {
        private final Socket[] nodes = {new Node("n1").connect(), new Node("n2").connect()};

        Test() throws IOException {
        }

        private void ask(int request, int commits) throws IOException {
            Socket node = nodes[request % 2];
            node.setSoTimeout(LIMIT_MS);
            DataOutputStream out = new DataOutputStream(node.getOutputStream());
            out.writeInt(request);
            out.writeInt(commits);
            new DataInputStream(node.getInputStream()).readInt();
        }
    }

    public static void main(String[] args) throws IOException {
        int lost = Integer.parseInt(args[0]);
        Test test = new Test();
        for (int request = 1; request <= REQUESTS; request++)
            test.ask(request, Integer.signum(Math.abs(request - lost)));
    }
}
