/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

/** Connections to the ensemble; their threads bear the name of the thread that opens them. */
public record Connections(String ensemble) {
    private static final int SESSION_MILLIS = 30_000;
    private static final int CONNECT_MILLIS = 15_000;
    private static final int RETRIES = 20;
    private static final int PAUSE_MILLIS = 50;

    public CuratorFramework open() {
        CuratorFramework client = CuratorFrameworkFactory.newClient(ensemble, SESSION_MILLIS, CONNECT_MILLIS,
                new RetryNTimes(RETRIES, PAUSE_MILLIS));
        client.start();
        return client;
    }
}
