/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A connection of a test program: a plain socket ("socket") or a blocking channel ("nio"). The program
 * keeps a diary of which thread uses which connection, as lines of fields separated by tabs: nanoseconds
 * of System.nanoTime, "+" from then on or "-" no longer, the thread, the connection's local and remote
 * address as the trace log has them.
 */
final class Wire implements AutoCloseable {
    private static final ConcurrentLinkedQueue<String> diary = new ConcurrentLinkedQueue<>();

    private final Socket socket;
    private final SocketChannel channel; // null: a plain socket
    private final String local;
    private final String remote;

    private Wire(Socket socket, SocketChannel channel) throws IOException {
        this.socket = socket;
        this.channel = channel;
        local = text((InetSocketAddress) socket.getLocalSocketAddress());
        remote = text((InetSocketAddress) socket.getRemoteSocketAddress());
    }

    private static String text(InetSocketAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        if (bytes.length == 4) {
            return address.getAddress().getHostAddress() + ":" + address.getPort();
        }
        return (address.getAddress().isLoopbackAddress() ? "[::1]" : "[other]") + ":" + address.getPort();
    }

    /** The current thread uses the new connection. */
    static Wire connect(String kind, InetAddress host, int port) throws IOException {
        Wire wire;
        if (kind.equals("nio")) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(host, port));
            wire = new Wire(channel.socket(), channel);
        } else {
            wire = new Wire(new Socket(host, port), null);
        }
        wire.note("+", System.nanoTime());
        return wire;
    }

    @SuppressWarnings("deprecation") // getId: threadId is of JDK 19
    private void note(String what, long when) {
        Thread thread = Thread.currentThread();
        String name = thread.getName().isEmpty() ? "virtual-" + thread.getId() : thread.getName();
        diary.add(when + "\t" + what + "\t" + name + "\t" + local + "\t" + remote);
    }

    /** From now on the current thread uses it, too. */
    void take() {
        note("+", System.nanoTime());
    }

    /** The current thread no longer does. */
    void leave() {
        note("-", System.nanoTime());
    }

    /** -1 at the end. */
    int read() throws IOException {
        if (channel == null) {
            return socket.getInputStream().read();
        }
        ByteBuffer one = ByteBuffer.allocate(1);
        return channel.read(one) < 0 ? -1 : one.get(0) & 0xff;
    }

    void write(int value) throws IOException {
        if (channel == null) {
            socket.getOutputStream().write(value);
        } else {
            channel.write(ByteBuffer.wrap(new byte[] {(byte) value}));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        leave();
    }

    /** Where others connect to. */
    static final class Door {
        private final ServerSocket socket;
        private final ServerSocketChannel channel;

        Door(String kind, InetAddress host) throws IOException {
            channel = kind.equals("nio") ? ServerSocketChannel.open() : null;
            socket = channel == null ? new ServerSocket() : channel.socket();
            socket.bind(new InetSocketAddress(host, 0), 200);
        }

        int port() {
            return socket.getLocalPort();
        }

        /** The current thread uses the new connection, and has since it began to wait for it. */
        Wire accept() throws IOException {
            long since = System.nanoTime();
            SocketChannel accepted = channel == null ? null : channel.accept();
            Wire wire = new Wire(accepted == null ? socket.accept() : accepted.socket(), accepted);
            wire.note("+", since);
            return wire;
        }
    }

    /** Writes the diary so far. */
    static void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = diary.poll(); line != null; line = diary.poll()) {
            lines.add(line);
        }
        Files.write(file, lines);
    }
}
