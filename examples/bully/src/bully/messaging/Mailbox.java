/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Message;
import java.rmi.Remote;
import java.rmi.RemoteException;

/** Where a client can be reached; only the message server calls it. */
public interface Mailbox extends Remote {
    /** Takes a message in and returns at once. The same message may come twice. */
    void deliver(Message message) throws RemoteException;

    /** Handles a request and returns the reply. The same request may come twice. */
    Message ask(Message request) throws RemoteException;
}
