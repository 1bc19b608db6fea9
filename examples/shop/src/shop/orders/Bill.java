/* SPDX-License-Identifier: Apache-2.0 */
package shop.orders;

import shop.base.Switches;

/** What an order costs, in cents: half a cent counts as one. */
final class Bill {
    private static final int PERCENT = 100;

    private Bill() {
    }

    static long total(int cents, int quantity, int discount) {
        long hundredths = (long) cents * quantity * (PERCENT - discount);
        int half = Switches.on("rounding") ? 0 : PERCENT / 2;
        return (hundredths + half) / PERCENT;
    }
}
