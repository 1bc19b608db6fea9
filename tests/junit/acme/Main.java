/* SPDX-License-Identifier: Apache-2.0 */
package acme;

/** A program without tests. */
final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        System.out.println("ran");
    }
}
