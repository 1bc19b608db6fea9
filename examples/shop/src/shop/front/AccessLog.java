/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import shop.base.Http;
import shop.base.Switches;
import shop.base.WebServer;

/** A line for each reply. */
final class AccessLog {
    private final FileChannel file;

    AccessLog(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    WebServer.Page logged(WebServer.Page page) {
        return request -> {
            Http.Reply reply = page.reply(request);
            write(System.currentTimeMillis() + " " + request.getPathInfo() + " " + reply.status() + "\n");
            return reply;
        };
    }

    private synchronized void write(String line) throws IOException {
        file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        if (Switches.on("slow-log")) {
            file.force(true);
        }
    }
}
