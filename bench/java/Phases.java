/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How much sampling slows one JVM: the same work, in turns with requests and without. `ixor run`,
 * this JVM's parent, is stopped for the latter (SIGSTOP): no request, and none of its own work.
 * JVMs differ from each other by more than what is to be found; phases of one JVM do not.
 * With -Dphases.turn=COMMAND, the command is called before each phase instead, with "on" or "off".
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

    private static void call(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IllegalStateException("failed: " + String.join(" ", command));
        }
    }

    private static void turn(boolean on) throws Exception {
        String command = System.getProperty("phases.turn");
        if (command != null) {
            call(command, on ? "on" : "off");
            return;
        }
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        call("kill", on ? "-CONT" : "-STOP", Long.toString(parent));
        Thread.sleep(SETTLE_MS);
    }

    private static double phase(Unit unit, boolean on) throws Exception {
        turn(on);
        return unit.seconds();
    }

    /** Prints "pair WITHOUT WITH" so many times, in seconds; which is first changes. */
    static void run(int pairs, Unit unit) throws Exception {
        for (int i = 0; i < WARM; i++) {
            unit.seconds();
        }
        try {
            for (int i = 0; i < pairs; i++) {
                boolean onFirst = i % 2 == 1;
                double first = phase(unit, onFirst);
                double second = phase(unit, !onFirst);
                System.out.printf("pair %.9g %.9g%n", onFirst ? second : first,
                        onFirst ? first : second);
            }
        } finally {
            turn(true);
        }
    }

    private Phases() {}
}
