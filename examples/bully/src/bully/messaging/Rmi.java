/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import common.fault.FaultClientSocketFactory;
import common.fault.FaultServerSocketFactory;
import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;

/** The one place where objects are exported and looked up, always through the harness's socket factories. */
public final class Rmi {
    private static final FaultClientSocketFactory CLIENT_SOCKETS = new FaultClientSocketFactory();
    private static final FaultServerSocketFactory SERVER_SOCKETS = new FaultServerSocketFactory();
    private static final FaultServerSocketFactory REGISTRY_SOCKETS = new FaultServerSocketFactory();

    private Rmi() {
    }

    /**
     * Must come before any other use of RMI, which reads its settings once.
     *
     * @param responseMillis how long a call may take: a broken stream can leave its reader waiting for bytes that
     *     nobody will send
     */
    public static void configure(long responseMillis) {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        System.setProperty("sun.rmi.transport.tcp.responseTimeout", Long.toString(responseMillis));
        System.setProperty("sun.rmi.transport.tcp.handshakeTimeout", Long.toString(responseMillis));
    }

    public static Remote export(Remote object) throws RemoteException {
        return UnicastRemoteObject.exportObject(object, 0, CLIENT_SOCKETS, SERVER_SOCKETS);
    }

    /** Starts a registry in this machine and returns its port. */
    static int serve(MessageServer server) throws RemoteException {
        Registry registry = LocateRegistry.createRegistry(0, CLIENT_SOCKETS, REGISTRY_SOCKETS);
        registry.rebind(MessageServer.NAME, server);
        return REGISTRY_SOCKETS.port();
    }

    static MessageServer find(int port) throws RemoteException {
        Registry registry = LocateRegistry.getRegistry("127.0.0.1", port, CLIENT_SOCKETS);
        try {
            return (MessageServer) registry.lookup(MessageServer.NAME);
        } catch (NotBoundException e) {
            throw new RemoteException("the registry does not know the message server", e);
        }
    }
}
