/* SPDX-License-Identifier: Apache-2.0 */
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.Deflater;

/**
 * Threads of all kinds for as many milliseconds as told, or with 0 until the input ends: parked, in
 * monitors, at locks, notified, interrupted, sleeping, talking over sockets, waiting in a selector,
 * reading and writing files, handing things over, computing in Java and in native code, throwing,
 * recursing deeply, making garbage, collecting it, being born; where the JDK has them, virtual
 * threads, pinned ones among them. All change their call stacks at random moments; most of the time
 * most of them rest. With a second argument only some of it: a server with little to do.
 */
public class Mixed {
    static volatile boolean done;
    static final Object monitor = new Object();
    static final Object bell = new Object();
    static final List<Thread> parkers = new ArrayList<>();
    static final List<Thread> interrupted = new ArrayList<>();

    interface Body {
        void run() throws Exception;
    }

    static int random(int below) {
        return ThreadLocalRandom.current().nextInt(below);
    }

    static Thread add(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                while (!done) {
                    body.run();
                }
            } catch (Exception e) {
                if (!done) {
                    throw new IllegalStateException(e);
                }
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Does something some levels further down. */
    static void at(int level, Body body) throws Exception {
        if (level > 0) {
            at(level - 1, body);
        } else {
            body.run();
        }
    }

    static void rest() throws Exception {
        if (random(2) == 0) {
            Thread.sleep(random(12));
        } else {
            LockSupport.parkNanos(random(12_000_000));
        }
    }

    static void inMonitor() throws Exception {
        synchronized (monitor) {
            at(random(4), Mixed::rest);
        }
        rest();
    }

    static void waitForBell() throws Exception {
        synchronized (bell) {
            bell.wait(random(4) == 0 ? 5 : 0);
        }
    }

    static void ring() throws Exception {
        rest();
        synchronized (bell) {
            if (random(4) == 0) {
                bell.notifyAll();
            } else {
                bell.notify();
            }
            at(random(3), Mixed::rest);
        }
    }

    static void takeInterrupt() {
        try {
            Thread.sleep(random(200));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LockSupport.parkNanos(1000);
            Thread.interrupted();
        }
    }

    static void pingPong(int number) throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        add("echo-" + number, () -> {
            try (Socket peer = server.accept()) {
                InputStream in = peer.getInputStream();
                OutputStream out = peer.getOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    out.write(b);
                }
            }
        });
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        add("ping-" + number, () -> {
            at(random(5), () -> {
                socket.getOutputStream().write(1);
                socket.getInputStream().read();
            });
            if (random(8) == 0) {
                rest();
            }
        });
    }

    static void handOver(int number) {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        add("giver-" + number, () -> {
            queue.put(1);
            if (random(16) == 0) {
                rest();
            }
        });
        add("taker-" + number, () -> at(random(6), () -> queue.poll(10, TimeUnit.MILLISECONDS)));
    }

    static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    static void atLock() throws Exception {
        if (random(3) == 0) {
            lock.writeLock().lock();
            try {
                at(random(4), Mixed::rest);
            } finally {
                lock.writeLock().unlock();
            }
        } else if (lock.readLock().tryLock(random(20), TimeUnit.MILLISECONDS)) {
            try {
                at(random(4), Mixed::rest);
            } finally {
                lock.readLock().unlock();
            }
        }
        rest();
    }

    /** Writes, forces onto the disk and reads again; the file has no name. */
    static void files(int number) throws Exception {
        Path path = Files.createTempFile("mixed", ".tmp");
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        Files.delete(path);
        byte[] bytes = new byte[20_000];
        add("file-" + number, () -> at(random(6), () -> {
            channel.write(ByteBuffer.wrap(bytes, 0, random(bytes.length)), random(100_000));
            if (random(10) == 0) {
                channel.force(false);
            }
            file.seek(0);
            file.read(bytes, 0, random(bytes.length));
            rest();
        }));
    }

    /** A thread in epoll, woken by bytes through a pipe and by its own patience. */
    static void selector(int number) throws Exception {
        Selector selector = Selector.open();
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
        add("selector-" + number, () -> at(random(7), () -> {
            selector.select(random(40));
            selector.selectedKeys().clear();
            pipe.source().read(ByteBuffer.allocate(16));
        }));
        add("writer-" + number, () -> {
            rest();
            pipe.sink().write(ByteBuffer.allocate(1));
        });
    }

    /** Frames that go away many at a time. */
    static void thrown() throws Exception {
        try {
            at(random(40), () -> {
                rest();
                throw new IllegalStateException("thrown");
            });
        } catch (IllegalStateException e) {
            at(random(3), Mixed::rest);
        }
    }

    static void virtually(int number) {
        try {
            while (!done) {
                if (number % 2 == 0) {
                    at(random(8), Mixed::rest);
                } else {
                    Object pinned = new Object(); // JDK 21 to 23: the carrier sleeps with it
                    synchronized (pinned) {
                        at(random(8), Mixed::rest);
                    }
                    compute(random(20));
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Found at run time: this file is compiled by JDK 17, too. */
    static void virtuals() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        for (int i = 0; i < 8; i++) {
            int number = i;
            start.invoke(null, (Runnable) () -> virtually(number));
        }
    }

    static void churn() throws Exception {
        Thread thread = new Thread(() -> LockSupport.parkNanos(random(2_000_000)), "short");
        thread.start();
        Thread.sleep(random(60));
    }

    static void disturb() throws Exception {
        rest();
        LockSupport.unpark(parkers.get(random(parkers.size())));
        interrupted.get(random(interrupted.size())).interrupt();
    }

    static long compute(int level) {
        return level > 0 ? compute(level - 1) + 1 : System.nanoTime();
    }

    static void garbage() throws Exception {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            kept.add(new byte[random(20_000)]);
        }
        if (random(50) == 0) {
            System.gc();
        }
        rest();
    }

    static final byte[] plain = new byte[400_000];

    /** Milliseconds on the CPU outside of Java, from here and there. */
    static void squeeze() throws Exception {
        Deflater deflater = new Deflater(6);
        deflater.setInput(plain, 0, 100_000 + random(300_000));
        deflater.finish();
        at(random(5), () -> deflater.deflate(new byte[plain.length + 1000]));
        deflater.end();
        if (random(4) == 0) {
            Thread.sleep(random(30));
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 24; i++) {
            int depth = i * 3;
            parkers.add(add("parker-" + i, () -> at(random(depth + 1), LockSupport::park)));
            interrupted.add(add("interrupted-" + i, Mixed::takeInterrupt));
        }
        boolean calm = args.length > 1;
        for (int i = 0; i < 6 && !calm; i++) {
            add("monitor-" + i, Mixed::inMonitor);
            add("waiter-" + i, Mixed::waitForBell);
            add("sleeper-" + i, () -> at(random(9), Mixed::rest));
        }
        for (int i = 0; i < 2 && !calm; i++) {
            pingPong(i);
            handOver(i);
            files(i);
            selector(i);
            add("locker-" + i, Mixed::atLock);
            add("reader-" + i, Mixed::atLock);
            add("thrower-" + i, Mixed::thrown);
        }
        if (!calm) {
            virtuals();
            add("ringer", Mixed::ring);
            add("disturber", Mixed::disturb);
            add("garbage", Mixed::garbage);
            ThreadLocalRandom.current().nextBytes(plain);
            add("squeezer", Mixed::squeeze);
        }
        add("churner", Mixed::churn);
        add("deep", () -> at(1500 + 50 * random(20), Mixed::rest));
        add("busy", () -> {
            for (int i = 0; i < 10_000; i++) {
                compute(random(20));
            }
            Thread.sleep(1);
        });
        long milliseconds = Long.parseLong(args[0]);
        if (milliseconds > 0) {
            Thread.sleep(milliseconds);
        } else {
            while (System.in.read() >= 0) {
                continue;
            }
        }
        done = true;
    }
}
