/* SPDX-License-Identifier: Apache-2.0 */
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Threads that own and wait for synchronizers of java.util.concurrent, as told by lines on standard
 * input; says "done" and the command's first word after each and ends with the input.
 *
 * <pre>
 *   stand        threads that stay as they are (named below)
 *   virtual      a virtual thread that is parked on a lock, and one that owns a lock on which
 *                platform thread "behind virtual" is parked; "none" if there are none
 *   idle N M     N threads parked on a condition, and M more of which each waits for a lock of its own
 *   churn        threads that lock and unlock until "settle", and write down when
 *   check FILE [some]
 *                reads lines "START END WAITER OWNER" (of the monotonic clock, ns; OWNER may be "-"),
 *                and says how many contradict what was written down: each has to be true all the
 *                time from START to END, with "some" at some moment of it
 * </pre>
 */
public class Locks {
    static volatile boolean done;
    static volatile long sink;

    interface Task {
        void run() throws Exception;
    }

    static Thread thread(String name, Task task) {
        Thread thread = new Thread(quietly(task), name);
        thread.setDaemon(true);
        return thread;
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

    static void await(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    /** Starts it, and returns when it is parked. */
    static void park(String name, Task task) throws InterruptedException {
        Thread thread = thread(name, task);
        thread.start();
        while (LockSupport.getBlocker(thread) == null) {
            Thread.sleep(1);
        }
    }

    /** A thread that locks it and then runs the task. */
    static void own(String name, Lock lock, Task task) throws InterruptedException {
        CountDownLatch locked = new CountDownLatch(1);
        thread(name, () -> {
            lock.lock();
            locked.countDown();
            task.run();
        }).start();
        locked.await();
    }

    static void compute() {
        while (!done) {
            sink++;
        }
    }

    static void readForever(Socket socket) throws Exception {
        sink += socket.getInputStream().read();
    }

    /** Without parking on anything else before. */
    static void lockAfter(CountDownLatch both, Lock lock) {
        both.countDown();
        while (both.getCount() > 0) {
            Thread.onSpinWait();
        }
        lock.lock();
    }

    static void cross() throws InterruptedException {
        Lock first = new ReentrantLock(), second = new ReentrantLock(true);
        CountDownLatch both = new CountDownLatch(2);
        own("left", first, () -> lockAfter(both, second));
        own("right", second, () -> lockAfter(both, first));
        park("behind", first::lock);
    }

    static void stand() throws Exception {
        cross();
        Lock slept = new ReentrantLock(), computed = new ReentrantLock(), read = new ReentrantLock();
        own("sleeper", slept, () -> Thread.sleep(600_000));
        park("waits for sleeper", slept::lock);
        park("second after sleeper", slept::lock);
        own("computer", computed, Locks::compute);
        park("waits for computer", computed::lock);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        own("reader", read, () -> readForever(socket));
        park("waits for reader", () -> read.tryLock(600, java.util.concurrent.TimeUnit.SECONDS));
        ReentrantReadWriteLock written = new ReentrantReadWriteLock();
        own("writer", written.writeLock(), () -> Thread.sleep(600_000));
        park("waits for writer", () -> written.readLock().lock());
        ReentrantReadWriteLock shared = new ReentrantReadWriteLock();
        own("sharer", shared.readLock(), () -> Thread.sleep(600_000));
        park("waits for sharer", () -> shared.writeLock().lock());
        Lock waited = new ReentrantLock();
        Condition condition = waited.newCondition();
        park("on condition", () -> {
            waited.lock();
            condition.await();
        });
        park("on latch", () -> new CountDownLatch(1).await());
        park("on semaphore", () -> new Semaphore(0).acquire());
        thread("on nothing", () -> {
            while (!done) {
                LockSupport.park();
            }
        }).start();
    }

    static void startVirtual(Task task) throws Exception {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, quietly(task));
    }

    static void virtual() throws Exception {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            System.out.println("none");
            return;
        }
        Lock owned = new ReentrantLock(), other = new ReentrantLock();
        own("owner", owned, () -> Thread.sleep(600_000));
        startVirtual(owned::lock);
        CountDownLatch locked = new CountDownLatch(1);
        startVirtual(() -> {
            other.lock();
            locked.countDown();
            Thread.sleep(600_000);
        });
        locked.await();
        park("behind virtual", other::lock);
        park("behind both", owned::lock);
    }

    static void idle(int onCondition, int onLocks) throws InterruptedException {
        Lock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        for (int i = 0; i < onCondition; i++) {
            park("idle " + i, () -> {
                lock.lock();
                condition.await();
            });
        }
        for (int i = 0; i < onLocks; i++) {
            Lock own = new ReentrantLock();
            own.lock();
            park("locked out " + i, own::lock);
        }
    }

    /** What a thread of the churn did, in order. */
    static class Diary {
        static final int MOST = 1_000_000;
        final long[] called = new long[MOST], owned = new long[MOST];
        final long[] unlocking = new long[MOST], unlocked = new long[MOST];
        final byte[] lock = new byte[MOST];
        int count;

        /** The last entry that began by then, or -1. */
        int at(long time) {
            int low = 0, high = count;
            while (low < high) {
                int middle = (low + high) / 2;
                if (called[middle] <= time) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low - 1;
        }
    }

    static final List<Diary> diaries = new ArrayList<>();
    static final List<Thread> churners = new ArrayList<>();
    static volatile boolean settled;

    static void hold(ThreadLocalRandom random) throws InterruptedException {
        switch (random.nextInt(16)) {
            case 0 -> Thread.sleep(random.nextInt(20, 80));
            case 2 -> Thread.sleep(random.nextInt(100, 200));
            case 1 -> {
                long end = System.nanoTime() + random.nextInt(20_000_000, 60_000_000);
                while (System.nanoTime() < end) {
                    sink++;
                }
            }
            default -> {
                long end = System.nanoTime() + random.nextInt(50_000);
                while (System.nanoTime() < end) {
                    sink++;
                }
            }
        }
    }

    static void lockOnce(Diary diary, Lock lock, int number, Task task) throws Exception {
        int i = diary.count;
        diary.lock[i] = (byte) number;
        diary.called[i] = System.nanoTime();
        lock.lock();
        diary.owned[i] = System.nanoTime();
        task.run();
        diary.unlocking[i] = System.nanoTime();
        lock.unlock();
        diary.unlocked[i] = System.nanoTime();
        diary.count++;
    }

    /** Locks at random; now and then so often in a row that it is the owner whenever one looks. */
    static void churnOne(Diary diary, Lock[] locks) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (!settled && diary.count < Diary.MOST - 20_001) {
            int number = random.nextInt(locks.length);
            boolean often = random.nextInt(8) == 0;
            long until = System.nanoTime() + 50_000_000;
            for (int n = 0; n == 0 || (often && n < 20_000 && System.nanoTime() < until); n++) {
                lockOnce(diary, locks[number], number, often ? () -> sink++ : () -> hold(random));
            }
        }
    }

    static void churn() {
        Lock[] locks = {new ReentrantLock(), new ReentrantLock(true),
            new ReentrantReadWriteLock().writeLock()};
        for (int i = 0; i < 8; i++) {
            Diary diary = new Diary();
            diaries.add(diary);
            churners.add(thread("churner " + i, () -> churnOne(diary, locks)));
        }
        for (Thread thread : churners) {
            thread.start();
        }
    }

    static void settle() throws InterruptedException {
        settled = true;
        for (Thread thread : churners) {
            thread.join();
        }
    }

    /** True if at some moment the waiter was in lock(), and the owner between that and unlock(). */
    static boolean fitsSomewhere(long start, long end, Diary w, Diary o) {
        for (int i = w.at(end); i >= 0 && w.owned[i] >= start; i--) {
            if (o == null) {
                return true;
            }
            long from = Math.max(start, w.called[i]), to = Math.min(end, w.owned[i]);
            for (int k = o.at(to); k >= 0 && o.unlocked[k] >= from; k--) {
                if (o.lock[k] == w.lock[i]) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What is wrong with it if it is to be true all the time, or null. */
    static String contradiction(long start, long end, int waiter, int owner) {
        Diary w = diaries.get(waiter);
        int at = w.at(start);
        if (at < 0 || w.owned[at] < end) {
            return "the waiter was not in lock()";
        }
        if (owner < 0) {
            return null;
        }
        int number = w.lock[at];
        Diary o = diaries.get(owner);
        int owns = o.at(start);
        if (owns < 0 || o.lock[owns] != number || o.unlocked[owns] < end) {
            return "the owner was not between lock() and unlock() all the time";
        }
        for (int i = 0; i < diaries.size(); i++) {
            Diary d = diaries.get(i);
            for (int k = d.at(end); i != owner && k >= 0 && d.unlocked[k] >= start; k--) {
                if (d.lock[k] == number && d.owned[k] <= end && d.unlocking[k] >= start) {
                    return "churner " + i + " owned it";
                }
            }
        }
        return null;
    }

    static int churner(String name) {
        return name.equals("-") ? -1 : Integer.parseInt(name.substring(name.indexOf(' ') + 1));
    }

    static String problem(long start, long end, int waiter, int owner, boolean some) {
        if (!some) {
            return contradiction(start, end, waiter, owner);
        }
        Diary o = owner < 0 ? null : diaries.get(owner);
        return fitsSomewhere(start, end, diaries.get(waiter), o) ? null : "not at any moment";
    }

    static void check(String file, boolean some) throws Exception {
        int waits = 0, owners = 0, wrong = 0;
        for (String line : Files.readAllLines(Path.of(file))) {
            String[] words = line.split("\t");
            int owner = churner(words[3]);
            String problem = problem(Long.parseLong(words[0]), Long.parseLong(words[1]),
                    churner(words[2]), owner, some);
            waits++;
            owners += owner >= 0 ? 1 : 0;
            if (problem != null) {
                wrong++;
                System.out.println("wrong: " + line + ": " + problem);
            }
        }
        System.out.println("checked " + waits + " waits, " + owners + " owners, " + wrong + " wrong");
    }

    static void command(String[] words) throws Exception {
        switch (words[0]) {
            case "stand" -> stand();
            case "virtual" -> virtual();
            case "idle" -> idle(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "churn" -> churn();
            case "settle" -> settle();
            case "check" -> check(words[1], words.length > 2);
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        StringBuilder line = new StringBuilder();
        for (int c; (c = System.in.read()) >= 0; ) {
            if (c != '\n') {
                line.append((char) c);
                continue;
            }
            String[] words = line.toString().split(" ");
            command(words);
            System.out.println("done " + words[0]);
            line.setLength(0);
        }
        done = true;
    }
}
