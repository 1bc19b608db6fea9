/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Load, with threads whose waits the agent's facts describe: of each kind EACH threads that read from
 * a socket, that enter a monitor, and that wait for a lock. The first argument is EACH, the others
 * are Load's.
 */
public class Waiting {
    private static void start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void readers(int count) throws IOException {
        ServerSocket server = new ServerSocket(0, count, InetAddress.getLoopbackAddress());
        for (int i = 0; i < count; i++) {
            Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket accepted = server.accept(); // nothing is ever written to it
            start("reads-" + i, () -> {
                try {
                    client.getInputStream().read();
                    accepted.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private static void own(Object monitor, ReentrantLock lock, CountDownLatch owned) {
        synchronized (monitor) {
            lock.lock();
            owned.countDown();
            while (true) {
                LockSupport.park();
            }
        }
    }

    private static void enter(Object monitor) {
        synchronized (monitor) {
            throw new IllegalStateException("its owner never leaves it");
        }
    }

    private static void lockers(int count) throws InterruptedException {
        Object monitor = new Object();
        ReentrantLock lock = new ReentrantLock();
        CountDownLatch owned = new CountDownLatch(1);
        start("owner", () -> own(monitor, lock, owned));
        owned.await();
        for (int i = 0; i < count; i++) {
            start("enters-" + i, () -> enter(monitor));
            start("locks-" + i, lock::lock);
        }
    }

    public static void main(String[] args) throws Exception {
        int each = Integer.parseInt(args[0]);
        readers(each);
        lockers(each);
        Load.main(java.util.Arrays.copyOfRange(args, 1, args.length));
    }
}
