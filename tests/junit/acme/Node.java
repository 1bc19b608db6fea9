/* SPDX-License-Identifier: Apache-2.0 */
package acme;

/** A node that a test starts: says that it is up, and stays. */
class Node {
    public static void main(String[] args) throws InterruptedException {
        System.out.println("up");
        Thread.sleep(600_000);
    }
}
