/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.general;

import byzantine.algorithm.Order;
import byzantine.algorithm.Path;
import byzantine.army.Allies;
import byzantine.army.Army;
import byzantine.army.Standing;
import byzantine.army.UnreachableException;
import byzantine.chronicle.Chronicle;
import common.Journal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Asks those who should have said something to say it once more. What does not agree may have been damaged or lost on
 * its way; only what is said again in the same way is treason, and the algorithm bears that.
 */
final class Inquiry {
    /** For so long each is asked. */
    private static final long BUDGET_MILLIS = 400;

    private final Army army;
    private final Allies allies;
    private final Standing standing;
    private final Chronicle chronicle;
    private final Journal journal;

    Inquiry(Army army, Allies allies, Standing standing, Chronicle chronicle, Journal journal) {
        this.army = army;
        this.allies = allies;
        this.standing = standing;
        this.chronicle = chronicle;
        this.journal = journal;
    }

    /** What was said again, by path; those who have nothing to say, or are lost, are not in it. */
    Map<Path, Order> hold(int round, List<Path> paths) throws InterruptedException {
        Map<Path, Order> answers = new TreeMap<>(Comparator.comparing(Path::generals));
        journal.count("inquiries", 1);
        for (Path path : paths) {
            if (standing.isLost(path.last())) {
                continue;
            }
            Order answer = ask(round, path);
            chronicle.note("repeated", round, path, answer == null ? "nothing" : answer);
            if (answer != null) {
                answers.put(path, answer);
            }
        }
        return answers;
    }

    private Order ask(int round, Path path) throws InterruptedException {
        try {
            return allies.ally(path.last()).ask("inquiry into round " + round, BUDGET_MILLIS,
                    general -> general.repeat(round, path, army.self()));
        } catch (UnreachableException e) {
            journal.event("inquiry", e.toString());
            return null;
        }
    }
}
