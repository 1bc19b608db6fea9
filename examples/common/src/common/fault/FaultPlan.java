/* SPDX-License-Identifier: Apache-2.0 */
package common.fault;

/** Which faults to inject into this machine's sockets, as given by the harness. A normal run has probability 0. */
public record FaultPlan(Kind kind, double probability, long seed) {

    public enum Kind {
        NONE, IO, SWAP
    }

    /**
     * A number in [0, 2^63) that depends on the seed, the operation and the salt only, so that a seed means the same
     * decisions whichever thread comes first (the finaliser of SplitMix64: Steele, Lea, Flood 2014).
     */
    public long draw(long operation, long salt) {
        long z = seed + 0x9E3779B97F4A7C15L * (2 * operation + salt + 1);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return (z ^ (z >>> 31)) >>> 1;
    }

    /** Whether this operation is hit. */
    public boolean hits(long operation) {
        return draw(operation, 0) < probability * 0x1p63;
    }
}
