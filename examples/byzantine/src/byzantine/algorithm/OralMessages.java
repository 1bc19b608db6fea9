/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.algorithm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One lieutenant's part in OM(m) for one round: what was heard by which path, and what follows from it.
 *
 * <p>Lamport, Shostak, Pease: The Byzantine Generals Problem, ACM TOPLAS 4(3), 1982, section 3. With more than 3m
 * generals, m of them traitors, all loyal lieutenants decide the same (IC1), and what a loyal commander ordered (IC2).
 * Messages and time grow like n^(m+1): this is for a few generals. Not safe for threads; {@code Council} locks.
 */
public final class OralMessages {
    public static final int COMMANDER = 0;

    private final int generals;
    private final int traitors;
    private final int self;
    private final Map<Path, Order> heard = new HashMap<>();

    /**
     * @param generals n, the commander included
     * @param traitors m, how many of them may be disloyal
     * @param self whose part this is, 1 to n-1
     */
    public OralMessages(int generals, int traitors, int self) {
        this.generals = generals;
        this.traitors = traitors;
        this.self = self;
    }

    /** How many stages of messages there are: the commander's, and one for each time they are relayed. */
    public int stages() {
        return traitors + 1;
    }

    /** The paths by which this lieutenant must hear something at a stage, 1 to {@link #stages}. */
    public List<Path> owed(int stage) {
        List<Path> paths = List.of(Path.of(COMMANDER));
        for (int length = 1; length < stage; length++) {
            List<Path> longer = new ArrayList<>();
            for (Path path : paths) {
                for (int general : others(path)) {
                    longer.add(path.then(general));
                }
            }
            paths = longer;
        }
        return paths;
    }

    /** The paths of all stages. */
    public List<Path> owed() {
        List<Path> paths = new ArrayList<>();
        for (int stage = 1; stage <= stages(); stage++) {
            paths.addAll(owed(stage));
        }
        return paths;
    }

    /** Whether anything may come by this path at all. */
    public boolean isOwed(Path path) {
        return owed().contains(path);
    }

    /** The generals to whom this lieutenant passes on what came by a path: all who are not on it. */
    public List<Integer> others(Path path) {
        List<Integer> others = new ArrayList<>();
        for (int general = 0; general < generals; general++) {
            if (general != self && !path.has(general)) {
                others.add(general);
            }
        }
        return others;
    }

    /** Takes a message in, unless one came by this path before; returns whether it did not. */
    public boolean hear(Path path, Order order) {
        return heard.putIfAbsent(path, order) == null;
    }

    /** Puts a second statement in the place of the first. */
    public void correct(Path path, Order order) {
        heard.put(path, order);
    }

    /** What came by a path; the paper's default where nothing did. */
    public Order at(Path path) {
        return heard.getOrDefault(path, Order.RETREAT);
    }

    /** The paths of a stage by which nothing came yet. */
    public List<Path> missing(int stage) {
        List<Path> missing = new ArrayList<>(owed(stage));
        missing.removeIf(heard::containsKey);
        return missing;
    }

    /** Whether everything came, and all say the same. */
    public boolean isUnanimous() {
        return heard.keySet().containsAll(owed()) && heard.values().stream().distinct().count() == 1;
    }

    /** The decision. */
    public Order decide() {
        return resolve(Path.of(COMMANDER));
    }

    /** Step (3) of OM(m): the majority of what came by this path and what the others say that came to them by it. */
    private Order resolve(Path path) {
        if (path.length() > traitors) {
            return at(path);
        }
        List<Order> votes = new ArrayList<>();
        votes.add(at(path));
        for (int general : others(path)) {
            votes.add(resolve(path.then(general)));
        }
        return majority(votes);
    }

    /** What more than half of them say; retreat if there is no such order. */
    public static Order majority(List<Order> votes) {
        Map<Order, Integer> counts = new HashMap<>();
        for (Order vote : votes) {
            if (2 * counts.merge(vote, 1, Integer::sum) > votes.size()) {
                return vote;
            }
        }
        return Order.RETREAT;
    }
}
