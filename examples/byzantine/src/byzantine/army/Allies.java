/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.Journal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All other generals: who they are, and their heralds. */
public final class Allies {
    private final Map<Integer, Ally> allies = new TreeMap<>();
    private final Map<Integer, Herald> heralds = new TreeMap<>();

    public Allies(Army army, Path directory, Journal journal) {
        for (int general : army.others()) {
            Ally ally = new Ally(general, directory, journal);
            allies.put(general, ally);
            heralds.put(general, new Herald(ally, journal));
        }
    }

    /** Starts a thread "Herald-NAME" for each. */
    public void start() {
        heralds.forEach((general, herald) -> {
            Thread thread = new Thread(herald, "Herald-" + Army.name(general));
            thread.setDaemon(true);
            thread.start();
        });
    }

    public Ally ally(int general) {
        return allies.get(general);
    }

    public List<Ally> all() {
        return new ArrayList<>(allies.values());
    }

    /** Has something said to a general, in the order of these calls, and goes on. */
    public void tell(int general, String what, Ally.Message message) {
        heralds.get(general).send(what, message);
    }

    public void tellAll(String what, Ally.Message message) {
        heralds.values().forEach(herald -> herald.send(what, message));
    }

    /** Waits until the heralds have nothing left to bring, for some time at most for each. */
    public void awaitHeralds(long millis) throws InterruptedException {
        for (Herald herald : heralds.values()) {
            herald.awaitReturn(millis);
        }
    }
}
