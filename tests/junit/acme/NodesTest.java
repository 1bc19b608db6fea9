/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A test of nodes that are JVMs of their own. */
class NodesTest {
    @Test
    void starts_nodes() throws Exception {
        Process[] nodes = {node(), node()};
        for (Process node : nodes)
            node.getInputStream().read(); // it is up
        Thread.sleep(3_000);
        for (Process node : nodes)
            node.destroy();
    }

    private static Process node() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                System.getProperty("java.class.path"), "acme.Node").start();
    }
}
