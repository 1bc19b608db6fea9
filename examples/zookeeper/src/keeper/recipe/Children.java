/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/** Waiting for what a node's children are to be, by watches. */
final class Children {
    private Children() {
    }

    /** Waits until the names of the children please, and returns them. */
    static List<String> await(Session session, String path, Predicate<List<String>> pleasing)
            throws SessionLost, InterruptedException {
        while (true) {
            CountDownLatch changed = new CountDownLatch(1);
            // The watch also tells of a lost connection or session; then the next request waits or fails.
            List<String> names = session.ask((zoo, again) -> zoo.getChildren(path, event -> changed.countDown()));
            if (pleasing.test(names)) {
                return names;
            }
            changed.await();
        }
    }
}
