/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * How often each of its users has added one: {@code A1=3,B2=5}; the value is the sum. Whoever adds holds the lock that
 * guards it. That a user's own part is kept apart tells after a lost reply whether the addition was carried out.
 */
public final class Counter {
    private final String path;

    public Counter(String path) {
        this.path = path;
    }

    /**
     * Makes this user's part {@code part}, from one less. Returns false if somebody else wrote in the meantime, who
     * cannot have held the lock; nothing has changed then.
     */
    public boolean raise(Session session, String user, int part) throws SessionLost, InterruptedException {
        return session.ask((zoo, again) -> {
            Stat stat = new Stat();
            Map<String, Integer> parts = parse(zoo.getData(path, false, stat));
            if (parts.getOrDefault(user, 0) >= part) {
                return true;
            }
            parts.put(user, part);
            try {
                zoo.setData(path, text(parts).getBytes(StandardCharsets.UTF_8), stat.getVersion());
                return true;
            } catch (KeeperException.BadVersionException e) {
                return false;
            }
        });
    }

    /** All parts, as they stand in the ensemble now and not in a server that lags behind. */
    public String read(Session session) throws SessionLost, InterruptedException {
        return session.ask((zoo, again) -> {
            zoo.sync(path, (status, node, context) -> { }, null);
            return text(parse(zoo.getData(path, false, null)));
        });
    }

    private static Map<String, Integer> parse(byte[] data) {
        Map<String, Integer> parts = new TreeMap<>();
        String text = new String(data, StandardCharsets.UTF_8);
        for (String part : text.isEmpty() ? new String[0] : text.split(",")) {
            int equals = part.indexOf('=');
            parts.put(part.substring(0, equals), Integer.valueOf(part.substring(equals + 1)));
        }
        return parts;
    }

    /** In order of users. */
    public static String text(Map<String, Integer> parts) {
        return new TreeMap<>(parts).entrySet().stream().map(part -> part.getKey() + "=" + part.getValue())
                .collect(Collectors.joining(","));
    }
}
