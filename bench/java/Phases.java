/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How much sampling slows one JVM: the same work, in turns with requests and without. `ixor run`,
 * this JVM's parent, is stopped for the latter (SIGSTOP): no request, and none of its own work.
 * JVMs differ from each other by more than what is to be found; phases of one JVM do not.
 */
final class Phases {
    /** Work to be repeated. */
    interface Unit {
        /** Does it, and returns how many seconds a piece of it took. */
        double seconds() throws Exception;
    }

    private static final int WARM = 6;
    /** What was asked for, or is late, is over by then. */
    private static final int SETTLE_MS = 50;

    private static void signal(String name) throws Exception {
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(parent)).start();
        if (kill.waitFor() != 0) {
            throw new IllegalStateException("cannot send SIG" + name);
        }
        Thread.sleep(SETTLE_MS);
    }

    private static double phase(Unit unit, boolean sampled) throws Exception {
        signal(sampled ? "CONT" : "STOP");
        return unit.seconds();
    }

    /** Prints "pair WITHOUT WITH" so many times, in seconds; which is first changes. */
    static void run(int pairs, Unit unit) throws Exception {
        for (int i = 0; i < WARM; i++) {
            unit.seconds();
        }
        try {
            for (int i = 0; i < pairs; i++) {
                boolean sampledFirst = i % 2 == 1;
                double first = phase(unit, sampledFirst);
                double second = phase(unit, !sampledFirst);
                System.out.printf("pair %.9g %.9g%n", sampledFirst ? second : first,
                        sampledFirst ? first : second);
            }
        } finally {
            signal("CONT");
        }
    }

    private Phases() {}
}
