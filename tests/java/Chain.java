/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A member of a system of several JVMs that ask each other over sockets, and then hang:
 * {@code Chain DIR HOST NAME NEXT HOW THREADS}.
 *
 * <p>Each serves on a port of its own (written to DIR/NAME.port) with a thread "acceptor" and a thread
 * "handler" for each connection, which are virtual if THREADS is "virtual". It connects to NEXT ("-":
 * to none) and says so with DIR/NAME.ready. When DIR/go is there, main asks NEXT, unless HOW is
 * "serve". A handler that is asked does as HOW says:
 *
 * <pre>
 *   serve   asks NEXT, and answers
 *   ask     the same, and main asks as well
 *   slow    sleeps
 *   lose    forgets to answer
 *   lock    enters the monitor that main owns while it asks, and answers
 *   mutex   the same with a ReentrantLock
 * </pre>
 *
 * The last four say with DIR/NAME.asked that they have been asked. All end when DIR/stop is there.
 */
public class Chain {
    static class Table {}

    static final Table table = new Table();
    static final ReentrantLock mutex = new ReentrantLock();
    static Path dir;
    static String name;
    static String how;
    static Socket next;

    static void await(String file) throws InterruptedException {
        while (!Files.exists(dir.resolve(file))) {
            Thread.sleep(5);
        }
    }

    static void announce(String file, String text) throws IOException {
        Path temporary = Files.writeString(dir.resolve(file + ".tmp"), text);
        Files.move(temporary, dir.resolve(file));
    }

    static void ask() throws IOException {
        next.getOutputStream().write(1);
        if (next.getInputStream().read() < 0) {
            throw new IOException("no answer");
        }
    }

    static void hold() {
        synchronized (table) {
            Thread.yield();
        }
    }

    static void holdMutex() {
        mutex.lock();
        mutex.unlock();
    }

    static void serve(Socket socket) throws IOException, InterruptedException {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        for (int request = in.read(); request >= 0; request = in.read()) {
            if (!how.equals("serve") && !how.equals("ask")) {
                announce(name + ".asked", "");
            }
            switch (how) {
                case "slow" -> Thread.sleep(600_000);
                case "lock" -> hold();
                case "mutex" -> holdMutex();
                case "lose" -> { }
                default -> ask();
            }
            if (!how.equals("lose")) {
                out.write(request);
            }
        }
    }

    interface Task {
        void run() throws Exception;
    }

    static Runnable quietly(Task task) {
        return () -> {
            try {
                task.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        };
    }

    /** Thread.ofVirtual, which older JDKs do not have. */
    static void start(String name, boolean virtual, Task task) throws Exception {
        if (virtual) {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, quietly(task));
        } else {
            Thread thread = new Thread(quietly(task), name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    static void accept(ServerSocket server, boolean virtual) throws Exception {
        while (true) {
            Socket socket = server.accept();
            start("handler", virtual, () -> serve(socket));
        }
    }

    static void askOwning() throws Exception {
        announce(name + ".owns", "");
        await("all");
        ask();
    }

    public static void main(String[] args) throws Exception {
        dir = Path.of(args[0]);
        InetAddress host = InetAddress.getByName(args[1]);
        name = args[2];
        how = args[4];
        boolean virtual = args[5].equals("virtual");
        ServerSocket server = new ServerSocket(0, 9, host);
        start("acceptor", virtual, () -> accept(server, virtual));
        start("stopper", false, () -> {
            await("stop");
            Runtime.getRuntime().halt(0);
        });
        announce(name + ".port", "" + server.getLocalPort());
        if (!args[3].equals("-")) {
            await(args[3] + ".port");
            String port = Files.readString(dir.resolve(args[3] + ".port"));
            next = new Socket(host, Integer.parseInt(port));
        }
        announce(name + ".ready", "");
        await("go");
        if (how.equals("lock")) {
            synchronized (table) {
                askOwning();
            }
        } else if (how.equals("mutex")) {
            mutex.lock();
            askOwning();
        } else if (how.equals("ask")) {
            ask();
        }
        await("never");
    }
}
