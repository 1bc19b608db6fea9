/* SPDX-License-Identifier: Apache-2.0 */
package wakeup;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Builds something for 140 ms whenever the worker asks for it ("build"), says whether it is ready ("ready?"),
 * and tells a worker that waits ("wait") when it is.
 *
 * <p>The defect: who begins to wait after it is ready is not told. Mended, he is told at once.
 *
 * <p>Arguments: the run's directory, "defect" or "mended".
 */
public final class Builder {
    private static final long MILLIS = 140;

    private final OutputStream worker;
    private final boolean mended;
    private boolean ready, waiting;

    private Builder(OutputStream worker, boolean mended) {
        this.worker = worker;
        this.mended = mended;
    }

    public static void main(String[] args) throws IOException {
        try (ServerSocket door = listen(args[0]);
                Socket socket = door.accept();
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            Builder builder = new Builder(socket.getOutputStream(), args[1].equals("mended"));
            for (String line; (line = lines.readLine()) != null;) {
                builder.answer(line);
            }
        }
    }

    private static ServerSocket listen(String directory) throws IOException {
        ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Path whole = Path.of(directory, "builder"), part = Path.of(directory, "builder.part");
        Files.writeString(part, Integer.toString(door.getLocalPort()));
        Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE);
        return door;
    }

    private synchronized void answer(String line) throws IOException {
        switch (line) {
            case "build" -> {
                ready = false;
                waiting = false;
                new Thread(this::build, "build").start();
            }
            case "ready?" -> say(ready ? "yes" : "no");
            case "wait" -> {
                waiting = true;
                if (mended && ready) {
                    say("ready");
                }
            }
            default -> throw new IOException("unknown: " + line);
        }
    }

    private void build() {
        try {
            Thread.sleep(MILLIS);
            finish();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void finish() throws IOException {
        ready = true;
        if (waiting) {
            say("ready");
        }
    }

    private void say(String word) throws IOException {
        worker.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
    }
}
