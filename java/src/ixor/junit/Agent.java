/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

/**
 * The agent's native methods, which libixor.so brings (agent/lifecycle/tests.c). The JVM finds them
 * by their names if the agent was loaded into it; otherwise each call throws an UnsatisfiedLinkError.
 */
final class Agent {
    /* What begin answers. */
    static final int BEGUN = 0;
    static final int NOT_ASKED = 1;
    static final int PARALLEL = 2;

    /* Verdicts for end. */
    static final int PASSED = 1;
    static final int FAILED = 2;
    static final int ABORTED = 3;

    private Agent() {
    }

    /**
     * Begins a run of this test. If it lasts for burstMillis (0: no matter how long), it gets a burst
     * of packets. Waits for the server, but for two seconds at most. Any other answer than those
     * above: the test is not recorded, and the agent has said why.
     */
    static native int begin(String test, long burstMillis);

    /** Ends the run. Waits until the server knows that, but for a second at most. */
    static native void end(int verdict, String more);
}
