/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import byzantine.algorithm.Dispatch;
import byzantine.algorithm.Order;
import byzantine.algorithm.Path;
import byzantine.siege.Breach;
import byzantine.siege.Sector;
import java.math.BigInteger;
import java.rmi.Remote;
import java.rmi.RemoteException;

/** A general, as the others reach him. A call may come twice: its caller cannot know how far a failed one came. */
public interface General extends Remote {
    /** The name under which each general's registry has him. */
    String NAME = "General";

    /** Hears an order, the commander's or one that a lieutenant passes on. Returns when it has been written down. */
    void deliver(Dispatch dispatch) throws RemoteException;

    /** Says once more what he said to a general; null if he said nothing. */
    Order repeat(int round, Path path, int to) throws RemoteException;

    /** Says how he is. */
    Report ping(int from) throws RemoteException;

    /** Lends a sector of this attack to one who has searched his own; null if he has none left. */
    Sector lend(int round, BigInteger target) throws RemoteException;

    /** Hears that a target has fallen. */
    void hear(Breach breach) throws RemoteException;
}
