/* SPDX-License-Identifier: Apache-2.0 */
/** As short a life as a JVM can have. */
public class Short {
    public static void main(String[] args) {
        System.out.println("out");
    }
}
