/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

/** The other generals, as a soldier sees them. */
public interface Reinforcements {
    /** A sector that one of them has left; null if none has. */
    Sector borrow(Siege siege) throws InterruptedException;

    /** Tells them that the target has fallen. */
    void announce(Breach breach);

    /** Whether a general is lost, so that his share is left to the others. */
    boolean isLost(int general);
}
