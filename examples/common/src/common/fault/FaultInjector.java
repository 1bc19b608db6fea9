/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

import common.Settings;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides at each socket read and write of this machine whether it goes wrong.
 *
 * <p>One a machine, because the socket factories in RMI stubs travel to other machines and must then use the injector
 * of the machine that they came to.
 */
public final class FaultInjector {
    private static volatile FaultInjector installed;

    private final FaultPlan plan;
    private final FaultLog log;
    private final AtomicLong operations = new AtomicLong();

    private FaultInjector(FaultPlan plan, FaultLog log) {
        this.plan = plan;
        this.log = log;
    }

    /** Must be called before the first use of RMI; makes ready the machine's {@link Defect} as well. */
    public static void install(Settings settings) {
        FaultPlan.Kind kind = FaultPlan.Kind.valueOf(settings.text("fault").toUpperCase(Locale.ROOT));
        long seed = settings.number("seed") * 1_000_003 + settings.role().hashCode();
        FaultPlan plan = new FaultPlan(kind, settings.real("probability"), seed);
        FaultLog log =
                new FaultLog(settings.directory().resolve("faults-" + settings.slug() + ".log"), settings.role());
        installed = new FaultInjector(plan, log);
        Defect.install(settings, log);
    }

    static FaultInjector installed() {
        return installed;
    }

    /** How many reads and writes there were. */
    public static long operations() {
        return installed.operations.get();
    }

    /** Before bytes are written: throws, or changes the bytes, or lets them pass. */
    void onWrite(byte[] bytes, int offset, int length) throws IOException {
        strike("write", bytes, offset, length);
    }

    /** After bytes were read. */
    void onRead(byte[] bytes, int offset, int length) throws IOException {
        strike("read", bytes, offset, length);
    }

    private void strike(String direction, byte[] bytes, int offset, int length) throws IOException {
        long operation = operations.incrementAndGet();
        if (!plan.hits(operation)) {
            return;
        }
        switch (plan.kind()) {
            case IO -> fail(direction, operation);
            case SWAP -> swap(direction, operation, bytes, offset, length);
            case NONE -> { }
        }
    }

    private void fail(String direction, long operation) throws IOException {
        log.injected("io", direction, "operation " + operation);
        throw new IOException("connection lost at " + direction);
    }

    /** Exchanges two bytes that differ; a buffer without such a pair passes, and nothing is logged. */
    private void swap(String direction, long operation, byte[] bytes, int offset, int length) {
        if (length < 2) {
            return;
        }
        int first = (int) (plan.draw(operation, 1) % length);
        for (int step = 1; step < length; step++) {
            int second = (first + step) % length;
            if (bytes[offset + first] != bytes[offset + second]) {
                byte kept = bytes[offset + first];
                bytes[offset + first] = bytes[offset + second];
                bytes[offset + second] = kept;
                log.injected("swap", direction, "operation " + operation);
                return;
            }
        }
    }
}
