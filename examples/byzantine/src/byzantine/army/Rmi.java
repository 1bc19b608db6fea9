/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

import common.fault.FaultClientSocketFactory;
import common.fault.FaultServerSocketFactory;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;

/** The one place where generals are exported and looked up, always through the harness's socket factories. */
public final class Rmi {
    private static final FaultClientSocketFactory CLIENT_SOCKETS = new FaultClientSocketFactory();
    private static final FaultServerSocketFactory SERVER_SOCKETS = new FaultServerSocketFactory();
    private static final FaultServerSocketFactory REGISTRY_SOCKETS = new FaultServerSocketFactory();
    private static final String HOST = "127.0.0.1";
    /** How long a call may take: a damaged stream can leave its reader waiting for bytes that nobody will send. */
    private static final String RESPONSE_MILLIS = "2500";

    private Rmi() {
    }

    /** Must come before any other use of RMI, which reads its settings once. */
    public static void configure() {
        System.setProperty("java.rmi.server.hostname", HOST);
        System.setProperty("sun.rmi.transport.tcp.responseTimeout", RESPONSE_MILLIS);
        System.setProperty("sun.rmi.transport.tcp.handshakeTimeout", RESPONSE_MILLIS);
    }

    /** Exports a general, starts a registry that knows nobody else, and returns its port. */
    public static int publish(General general) throws RemoteException {
        General stub = (General) UnicastRemoteObject.exportObject(general, 0, CLIENT_SOCKETS, SERVER_SOCKETS);
        Registry registry = LocateRegistry.createRegistry(0, CLIENT_SOCKETS, REGISTRY_SOCKETS);
        registry.rebind(General.NAME, stub);
        return REGISTRY_SOCKETS.port();
    }

    static General find(int port) throws RemoteException {
        Registry registry = LocateRegistry.getRegistry(HOST, port, CLIENT_SOCKETS);
        try {
            return (General) registry.lookup(General.NAME);
        } catch (NotBoundException e) {
            throw new RemoteException("the registry at port " + port + " knows no general", e);
        }
    }
}
