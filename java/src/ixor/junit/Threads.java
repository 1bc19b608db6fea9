/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The threads of the application at one moment. */
final class Threads {
    private static final int NAMED = 3; // how many of the threads left are named

    /* They stay for as long as the JVM does. */
    private static final String[] STAYING = {"ForkJoinPool.commonPool-", "junit-"};

    private final Thread[] all;

    private Threads(Thread[] all) {
        this.all = all;
    }

    static Threads now() {
        ThreadGroup group = application();
        Thread[] found = new Thread[64];
        int count = group.enumerate(found, true);
        while (count == found.length) { // there may be more
            found = new Thread[2 * found.length];
            count = group.enumerate(found, true);
        }
        return new Threads(Arrays.copyOf(found, count));
    }

    /** The topmost group but the JVM's own. */
    private static ThreadGroup application() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null && group.getParent().getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    /** "left 2 threads: a, b" if these are here and were not before; else "". */
    String left(Threads before) {
        Set<Thread> old = new HashSet<>(Arrays.asList(before.all));
        StringBuilder names = new StringBuilder();
        int count = 0;
        for (Thread t : all) {
            if (old.contains(t) || stays(t.getName())) {
                continue;
            }
            if (count < NAMED) {
                names.append(count == 0 ? "" : ", ").append(t.getName());
            }
            count++;
        }
        if (count == 0) {
            return "";
        }
        return "left " + count + (count == 1 ? " thread: " : " threads: ") + names
                + (count > NAMED ? ", ..." : "");
    }

    private static boolean stays(String name) {
        return Arrays.stream(STAYING).anyMatch(name::startsWith);
    }
}
