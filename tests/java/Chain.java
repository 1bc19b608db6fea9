/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A member of a system of several JVMs that ask each other, and then hang:
 * {@code Chain DIR HOST NAME NEXT HOW THREADS [OVER]}.
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
 *   hand    hands the request to a thread that never gets to it, and reads the next one
 *   lock    enters the monitor that main owns while it asks, and answers
 *   mutex   the same with a ReentrantLock
 * </pre>
 *
 * The last five say with DIR/NAME.asked that they have been asked. All end when DIR/stop is there, and
 * then write their diaries (Wire) to DIR/NAME.diary.
 *
 * <p>OVER is what they ask over: "socket" (default), "nio" for blocking channels, "rmi", or "selector":
 * clients with plain sockets of servers in which a thread "selector" does everything. RMI and
 * servers with selectors keep no diary. With -Didle=N each has first N idle connections to NEXT.
 */
public class Chain {
    public interface Asked extends Remote {
        int ask(int request) throws RemoteException;
    }

    interface Asker {
        int ask(int request) throws IOException;
    }

    static class Table {}

    static final Table table = new Table();
    static final ReentrantLock mutex = new ReentrantLock();
    static Path dir;
    static String name;
    static String how;
    static Asker next;

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
        if (next.ask(1) < 0) {
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

    /** What a member does that is asked; false: it does not answer. */
    static boolean answers() throws IOException, InterruptedException {
        if (!how.equals("serve") && !how.equals("ask")) {
            announce(name + ".asked", "");
        }
        switch (how) {
            case "slow" -> Thread.sleep(600_000);
            case "lock" -> hold();
            case "mutex" -> holdMutex();
            case "lose" -> { }
            case "hand" -> new Thread(quietly(Chain::never), "worker").start();
            default -> ask();
        }
        return !how.equals("lose") && !how.equals("hand");
    }

    static void never() throws InterruptedException {
        synchronized (table) {
            table.wait();
        }
    }

    static void serve(Wire wire) throws IOException, InterruptedException {
        wire.take();
        for (int request = wire.read(); request >= 0; request = wire.read()) {
            if (answers()) {
                wire.write(request);
            }
        }
        wire.close();
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

    static void accept(Wire.Door door, boolean virtual) throws Exception {
        while (true) {
            Wire wire = door.accept();
            start("handler", virtual, () -> serve(wire));
            wire.leave();
        }
    }

    /** Over sockets and channels. */
    static void open(String kind, InetAddress host, boolean virtual) throws Exception {
        Wire.Door door = new Wire.Door(kind, host);
        start("acceptor", virtual, () -> accept(door, virtual));
        announce(name + ".port", "" + door.port());
    }

    static final List<Wire> idle = new ArrayList<>();

    /** A port that takes connections on which nothing will ever happen. */
    static void openIdle(InetAddress host) throws Exception {
        Wire.Door door = new Wire.Door("socket", host);
        start("holder", false, () -> {
            List<Wire> held = new ArrayList<>();
            while (true) {
                held.add(door.accept());
            }
        });
        announce(name + ".idle", "" + door.port());
    }

    static void connectIdle(InetAddress host, String to, int count) throws Exception {
        await(to + ".idle");
        int port = Integer.parseInt(Files.readString(dir.resolve(to + ".idle")));
        while (idle.size() < count) {
            idle.add(Wire.connect("socket", host, port));
        }
    }

    static Asker connect(String kind, InetAddress host, String to) throws Exception {
        await(to + ".port");
        int port = Integer.parseInt(Files.readString(dir.resolve(to + ".port")));
        Wire wire = Wire.connect(kind, host, port);
        return request -> {
            wire.take();
            wire.write(request);
            int answer = wire.read();
            wire.leave();
            return answer;
        };
    }

    static class Server implements Asked {
        @Override
        public int ask(int request) throws RemoteException {
            try {
                return answers() ? request : -1;
            } catch (IOException | InterruptedException e) {
                throw new RemoteException("asked in vain", e);
            }
        }
    }

    static final Server server = new Server(); // whoever is exported must not be collected

    static void export(InetAddress host) throws IOException {
        System.setProperty("java.rmi.server.hostname", host.getHostAddress());
        Path temporary = dir.resolve(name + ".stub.tmp");
        try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(temporary))) {
            out.writeObject(UnicastRemoteObject.exportObject(server, 0));
        }
        Files.move(temporary, dir.resolve(name + ".stub"), StandardCopyOption.ATOMIC_MOVE);
    }

    static Asker stub(String to) throws Exception {
        await(to + ".stub");
        try (ObjectInputStream in =
                new ObjectInputStream(Files.newInputStream(dir.resolve(to + ".stub")))) {
            Asked stub = (Asked) in.readObject();
            return stub::ask;
        }
    }

    static void serveReady(Selector selector, SelectionKey key) throws Exception {
        if (key.channel() instanceof ServerSocketChannel listening) {
            SocketChannel accepted = listening.accept();
            accepted.configureBlocking(false);
            accepted.register(selector, SelectionKey.OP_READ);
            return;
        }
        SocketChannel channel = (SocketChannel) key.channel();
        ByteBuffer one = ByteBuffer.allocate(1);
        if (channel.read(one) < 0) {
            channel.close();
        } else if (answers()) {
            channel.write(one.flip());
        }
    }

    static void select(InetAddress host) throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel listening = ServerSocketChannel.open();
        listening.bind(new InetSocketAddress(host, 0));
        listening.configureBlocking(false);
        listening.register(selector, SelectionKey.OP_ACCEPT);
        start("selector", false, () -> {
            while (true) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    serveReady(selector, key);
                }
                selector.selectedKeys().clear();
            }
        });
        announce(name + ".port", "" + listening.socket().getLocalPort());
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
        String over = args.length > 6 ? args[6] : "socket";
        start("stopper", false, () -> {
            await("stop");
            Wire.write(dir.resolve(name + ".diary"));
            Runtime.getRuntime().halt(0);
        });
        if (Integer.getInteger("idle", 0) > 0) {
            openIdle(host);
        }
        switch (over) {
            case "rmi" -> export(host);
            case "selector" -> select(host);
            default -> open(over, host, virtual);
        }
        if (!args[3].equals("-")) {
            if (Integer.getInteger("idle", 0) > 0) {
                connectIdle(host, args[3], Integer.getInteger("idle"));
            }
            next = over.equals("rmi") ? stub(args[3]) : connect(over, host, args[3]);
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
