/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A member of a system of JVMs that ask each other all the time: {@code Mesh DIR HOST OVER THREADS CLIENTS
 * NAME PEER...}. Each serves on a port of its own (DIR/NAME.port) with a pool of threads, one for each
 * connection, that serve one connection after the other. CLIENTS threads ask the peers at random, over
 * a connection of theirs that stays or a new one, in turn. A request takes up to 0.4 s; some are passed on to
 * another peer. OVER as in Wire; THREADS "virtual": of the pool.
 *
 * <p>Says with DIR/NAME.ready that it knows its peers. Ends when DIR/stop is there, after it has
 * written its diary (Wire) to DIR/NAME.diary.
 */
public class Mesh {
    static final int PASS = 100; // requests from here on are passed on

    static Path dir;
    static InetAddress host;
    static String over;
    static String name;
    static int[] ports;

    static void await(String file) throws InterruptedException {
        while (!Files.exists(dir.resolve(file))) {
            Thread.sleep(5);
        }
    }

    static void announce(String file, String text) throws IOException {
        Path temporary = Files.writeString(dir.resolve(file + ".tmp"), text);
        Files.move(temporary, dir.resolve(file));
    }

    static Wire connect(Random random) throws IOException {
        return Wire.connect(over, host, ports[random.nextInt(ports.length)]);
    }

    static void ask(Wire wire, int request) throws IOException {
        wire.write(request);
        if (wire.read() < 0) {
            throw new IOException("no answer");
        }
    }

    static void serve(Wire wire) throws Exception {
        Random random = new Random();
        wire.take();
        try (wire) {
            for (int request = wire.read(); request >= 0; request = wire.read()) {
                Thread.sleep(4 * (request % PASS));
                if (request >= PASS) {
                    try (Wire next = connect(random)) {
                        ask(next, request % PASS);
                    }
                }
                wire.write(request);
            }
        }
    }

    static void accept(Wire.Door door, ExecutorService pool) throws Exception {
        while (true) {
            Wire wire = door.accept();
            pool.submit(run(() -> serve(wire)));
            wire.leave();
        }
    }

    static void client() throws Exception {
        Random random = new Random();
        Wire kept = connect(random);
        for (int i = 0; ; i++) {
            int request = random.nextInt(2 * PASS);
            if (random.nextInt(20) == 0) {
                kept.close();
                kept = connect(random);
            }
            if (random.nextBoolean()) {
                ask(kept, request);
            } else {
                try (Wire fresh = connect(random)) {
                    ask(fresh, request);
                }
            }
        }
    }

    interface Task {
        void run() throws Exception;
    }

    static Callable<Void> run(Task task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) { // the others have ended, or should say so
                e.printStackTrace();
            }
            return null;
        };
    }

    static void start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                run(task).call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Executors.newVirtualThreadPerTaskExecutor, which older JDKs do not have. */
    static ExecutorService pool(boolean virtual) throws Exception {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory named = task -> {
            Thread thread = new Thread(task, "handler-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        return virtual
                ? (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null)
                : Executors.newCachedThreadPool(named);
    }

    public static void main(String[] args) throws Exception {
        dir = Path.of(args[0]);
        host = InetAddress.getByName(args[1]);
        over = args[2];
        name = args[5];
        Wire.Door door = new Wire.Door(over, host);
        ExecutorService pool = pool(args[3].equals("virtual"));
        start("acceptor", () -> accept(door, pool));
        announce(name + ".port", "" + door.port());
        ports = new int[args.length - 6];
        for (int i = 0; i < ports.length; i++) {
            await(args[6 + i] + ".port");
            ports[i] = Integer.parseInt(Files.readString(dir.resolve(args[6 + i] + ".port")));
        }
        for (int i = 1; i <= Integer.parseInt(args[4]); i++) {
            start("client-" + i, Mesh::client);
        }
        announce(name + ".ready", "");
        await("stop");
        Wire.write(dir.resolve(name + ".diary"));
        Runtime.getRuntime().halt(0);
    }
}
