/* SPDX-License-Identifier: Apache-2.0 */
package wakeup;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Has something built, asks whether it is ready, does other work for 40 ms if it is not, and then waits to be
 * told. If it stands still between question and waiting until it is ready, nobody tells it any more.
 *
 * <p>Argument: the run's directory. Exit status 1: not told within 5 s.
 */
public final class Worker {
    private static final int ROUNDS = 7, PATIENCE_MILLIS = 5000;
    private static final long OTHER_WORK_MILLIS = 40, LOOK_MILLIS = 5;

    private final Socket builder;
    private final BufferedReader answers;

    private Worker(Socket builder) throws IOException {
        this.builder = builder;
        this.answers = new BufferedReader(
                new InputStreamReader(builder.getInputStream(), StandardCharsets.US_ASCII));
        builder.setSoTimeout(PATIENCE_MILLIS);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Path file = Path.of(args[0], "builder");
        while (!Files.exists(file)) {
            Thread.sleep(LOOK_MILLIS);
        }
        int port = Integer.parseInt(Files.readString(file));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Worker worker = new Worker(socket);
            for (int round = 0; round < ROUNDS; round++) {
                worker.round();
            }
        } catch (SocketTimeoutException e) {
            System.out.println("the worker was not woken");
            System.exit(1);
        }
    }

    private void round() throws IOException, InterruptedException {
        say("build");
        say("ready?");
        if (answers.readLine().equals("no")) {
            Thread.sleep(OTHER_WORK_MILLIS);
            say("wait");
            answers.readLine();
        }
    }

    private void say(String word) throws IOException {
        builder.getOutputStream().write((word + "\n").getBytes(StandardCharsets.US_ASCII));
    }
}
