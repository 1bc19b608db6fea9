/* SPDX-License-Identifier: Apache-2.0 */
package keeper.recipe;

/** The ensemble has ended the session, and with it all that was held in it: locks, places in a barrier. */
public final class SessionLost extends Exception {
    private static final long serialVersionUID = 1;

    SessionLost(String session) {
        super("session " + session + " is lost");
    }
}
