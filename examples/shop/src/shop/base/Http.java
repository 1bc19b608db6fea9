/* SPDX-License-Identifier: Apache-2.0 */
package shop.base;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Requests to one of the shop's web servers. */
public final class Http {
    /** A reply's status, and its text. */
    public record Reply(int status, String text) {
        public boolean good() {
            return status == HttpURLConnection.HTTP_OK;
        }
    }

    private final String root;
    private final int patienceMillis;

    /** @param patienceMillis how long to wait for a reply; 0: as long as it takes */
    public Http(String address, String port, int patienceMillis) {
        root = "http://" + address + ":" + port + "/";
        this.patienceMillis = patienceMillis;
    }

    /** @param parameters names and values in turns */
    public Reply get(String page, Object... parameters) throws IOException {
        return send("GET", page, parameters);
    }

    public Reply post(String page, Object... parameters) throws IOException {
        return send("POST", page, parameters);
    }

    private Reply send(String method, String page, Object... parameters) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(root + page + query(parameters)).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(patienceMillis);
        connection.setReadTimeout(patienceMillis);
        int status = connection.getResponseCode();
        boolean error = status >= HttpURLConnection.HTTP_BAD_REQUEST;
        try (InputStream body = error ? connection.getErrorStream() : connection.getInputStream()) {
            return new Reply(status, body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static String query(Object... parameters) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parameters.length; i += 2) {
            text.append(i == 0 ? '?' : '&').append(parameters[i]).append('=')
                    .append(URLEncoder.encode(parameters[i + 1].toString(), StandardCharsets.UTF_8));
        }
        return text.toString();
    }
}
