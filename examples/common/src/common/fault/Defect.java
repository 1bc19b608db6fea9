/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import common.Settings;

/**
 * A mistake in the program that this machine makes only if its arguments say so.
 *
 * <p>{@code defect=KIND@PLACE} names it, {@code defect-after=MILLIS} from when on it is made, {@code
 * defect-millis=MILLIS} how much of it where that has a sense. The places ask at the moment when they could go wrong,
 * in normal runs too, so a machine with a defect runs the same classes and lines as one without. Each time the answer
 * is yes, the harness's log gets a line.
 */
public final class Defect {
    private static final String NONE = "none";
    private static volatile Defect installed = new Defect(NONE, 0, 0, null);

    private final String name;
    private final long afterMillis;
    private final long millis;
    private final FaultLog log;
    private final long start = System.nanoTime();

    private Defect(String name, long afterMillis, long millis, FaultLog log) {
        this.name = name;
        this.afterMillis = afterMillis;
        this.millis = millis;
        this.log = log;
    }

    static void install(Settings settings, FaultLog log) {
        installed = new Defect(settings.text("defect", NONE), Long.parseLong(settings.text("defect-after", "0")),
                Long.parseLong(settings.text("defect-millis", "0")), log);
    }

    /** Whether this mistake is to be made here and now. */
    public static boolean strikes(String kind, String place) {
        return installed.made(kind, place);
    }

    /** How long something is to take longer here and now, in milliseconds; 0 if nothing is wrong. */
    public static long millis(String kind, String place) {
        Defect defect = installed;
        return defect.made(kind, place) ? defect.millis : 0;
    }

    private boolean made(String kind, String place) {
        if (!name.equals(kind + "@" + place) || System.nanoTime() - start < afterMillis * 1_000_000) {
            return false;
        }
        log.injected(kind, place, Thread.currentThread().getName() + (millis > 0 ? ", " + millis + " ms" : ""));
        return true;
    }
}
