// SPDX-License-Identifier: Apache-2.0

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * A server and its eight clients, all of them virtual threads, which nothing but their call stacks names.
 * Served$Server PORT-FILE FAULT: serves them, then ends. Served$Client PORT-FILE: 20 requests each. Fault
 * "permits": from the 40th request on the server does not give back what each request must take, and waits
 * for it for 300 ms.
 */
public class Served {
    private static final int CLIENTS = 8;

    private static ExecutorService threads() throws ReflectiveOperationException {
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private static void all(List<Future<Void>> tasks) throws Exception {
        for (Future<Void> task : tasks)
            task.get();
    }

    public static class Server {
        private static final Semaphore PERMITS = new Semaphore(CLIENTS);
        private static final AtomicInteger REQUESTS = new AtomicInteger();
        private static boolean leaks;

        public static void main(String[] args) throws Exception {
            leaks = args[1].equals("permits");
            List<Future<Void>> tasks = new ArrayList<>();
            ExecutorService threads = threads();
            try (ServerSocket server = new ServerSocket(0)) {
                Path written = Path.of(args[0] + ".new");
                Files.writeString(written, Integer.toString(server.getLocalPort()));
                Files.move(written, Path.of(args[0]), StandardCopyOption.ATOMIC_MOVE);
                for (int i = 0; i < CLIENTS; i++) {
                    Socket client = server.accept();
                    tasks.add(threads.submit((Callable<Void>) () -> serve(client)));
                }
            }
            all(tasks);
        }

        private static Void serve(Socket client) throws Exception {
            try (client) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                for (;;)
                    out.writeInt(answer(in.readInt()));
            } catch (EOFException e) {
                return null;
            }
        }

        private static int answer(int request) throws InterruptedException {
            boolean permitted = PERMITS.tryAcquire(300, TimeUnit.MILLISECONDS);
            Thread.sleep(20);
            if (permitted && !(leaks && REQUESTS.incrementAndGet() >= 40))
                PERMITS.release();
            return request;
        }
    }

    public static class Client {
        public static void main(String[] args) throws Exception {
            int port = Integer.parseInt(Files.readString(Path.of(args[0])));
            List<Future<Void>> tasks = new ArrayList<>();
            ExecutorService threads = threads();
            for (int i = 0; i < CLIENTS; i++)
                tasks.add(threads.submit((Callable<Void>) () -> ask(port)));
            all(tasks);
        }

        private static Void ask(int port) throws Exception {
            try (Socket server = new Socket("127.0.0.1", port)) {
                DataInputStream in = new DataInputStream(server.getInputStream());
                DataOutputStream out = new DataOutputStream(server.getOutputStream());
                for (int i = 0; i < 20; i++) {
                    out.writeInt(i);
                    in.readInt();
                }
            }
            return null;
        }
    }
}
