/* SPDX-License-Identifier: Apache-2.0 */
package shop.base;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Jetty server with some pages. */
public final class WebServer extends AbstractHandler {
    /** Makes the text of a reply. */
    public interface Page {
        Http.Reply reply(HttpServletRequest request) throws Exception;
    }

    private static final int MOST_THREADS = 16;
    private static final int LEAST_THREADS = 8;

    private final Map<String, Page> pages = new HashMap<>();

    public WebServer page(String name, Page page) {
        pages.put("/" + name, page);
        return this;
    }

    public static Http.Reply good(String text) {
        return new Http.Reply(HttpServletResponse.SC_OK, text);
    }

    public static int number(HttpServletRequest request, String parameter) {
        return Integer.parseInt(request.getParameter(parameter));
    }

    public void start(Machine machine) throws Exception {
        Server server = new Server(new QueuedThreadPool(MOST_THREADS, LEAST_THREADS));
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost(machine.address());
        connector.setPort(machine.settings().integer("port"));
        server.addConnector(connector);
        server.setHandler(this);
        server.start();
    }

    @Override
    public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        Page page = pages.get(target);
        if (page == null) {
            return;
        }
        base.setHandled(true);
        try {
            Http.Reply reply = page.reply(request);
            response.setStatus(reply.status());
            response.setContentType("text/plain");
            response.getWriter().print(reply.text());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }
}
