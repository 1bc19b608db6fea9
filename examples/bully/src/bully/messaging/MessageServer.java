/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Member;
import bully.algorithm.Message;
import bully.coordinator.SearchState;
import java.rmi.Remote;
import java.rmi.RemoteException;

/** The reliable message server that all clients share. Every method may be called again after a failure. */
public interface MessageServer extends Remote {
    /** The name in the registry. */
    String NAME = "bully.MessageServer";

    void register(Member member, Mailbox mailbox) throws RemoteException;

    void unregister(String name) throws RemoteException;

    /** Says "I live", and learns who else does. */
    View heartbeat(String name) throws RemoteException;

    /** Waits a bounded time until so many clients are registered. */
    View awaitMembers(String name, int count) throws RemoteException;

    /** Takes responsibility for a message: it is delivered as long as the receiver is registered. */
    void send(Message message) throws RemoteException;

    /** Passes a request on and brings back the reply. */
    Message call(Message request) throws RemoteException, DeliveryException;

    /** Takes the result of a complete search and keeps it. */
    void publish(String name, SearchState state) throws RemoteException;
}
