/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Member;
import bully.algorithm.Message;
import bully.coordinator.SearchState;
import common.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.rmi.RemoteException;

/** A client's connection to the message server: finds it, calls it, and finds it anew when calls fail. */
public final class ServerLink {
    private static final int ATTEMPTS = 6;
    /** For what will be said again soon, or is of little use when late. */
    private static final int FEW_ATTEMPTS = 2;

    private final Journal journal;
    private final Retry retry;
    private final int port;
    private volatile MessageServer server;

    public ServerLink(Path directory, Journal journal) throws IOException, InterruptedException, DeliveryException {
        this.journal = journal;
        this.port = new Bootstrap(directory).await();
        this.retry = new Retry(journal, this::reconnect);
        this.server = retry.attempt("lookup", ATTEMPTS, () -> Rmi.find(port));
    }

    /** A new stub, in case the one at hand was spoilt on its way. */
    private void reconnect() {
        try {
            server = Rmi.find(port);
            journal.event("reconnected", "message server");
        } catch (RemoteException | RuntimeException e) {
            journal.event("failure", "reconnecting: " + e);
        }
    }

    public void register(Member member, Mailbox mailbox) throws DeliveryException {
        retry.attempt("registration", ATTEMPTS, () -> {
            server.register(member, mailbox);
            return null;
        });
    }

    public void unregister(String name) throws DeliveryException {
        retry.attempt("leaving", FEW_ATTEMPTS, () -> {
            server.unregister(name);
            return null;
        });
    }

    public View heartbeat(String name) throws DeliveryException {
        return retry.attempt("heartbeat", FEW_ATTEMPTS, () -> server.heartbeat(name));
    }

    public View awaitMembers(String name, int count) throws DeliveryException {
        return retry.attempt("rendezvous", ATTEMPTS, () -> server.awaitMembers(name, count));
    }

    public void send(Message message) throws DeliveryException {
        retry.attempt("sending " + message, ATTEMPTS, () -> {
            server.send(message);
            return null;
        });
    }

    public Message call(Message request) throws DeliveryException {
        return retry.attempt("calling " + request, FEW_ATTEMPTS, () -> server.call(request));
    }

    public void publish(String name, SearchState state) throws DeliveryException {
        retry.attempt("publication", ATTEMPTS, () -> {
            server.publish(name, state);
            return null;
        });
    }
}
