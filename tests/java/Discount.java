// SPDX-License-Identifier: Apache-2.0

/**
 * Adds up the prices of 250 items, one in four of which is cheaper. Discount ITEM: from that one on the number
 * that says so is wrong, and none is. The code is the same; nothing is slower, and nobody checks the sum.
 */
public class Discount {
    private static int cheap;

    public static void main(String[] args) throws Exception {
        int wrong = Integer.parseInt(args[0]);
        long sum = 0;
        for (int item = 0; item < 250; item++) {
            cheap = Math.min(1, Math.max(0, wrong - item));
            sum += price(item);
        }
        System.out.println(sum);
    }

    private static int price(int item) throws InterruptedException {
        Thread.sleep(6);
        int price = 3 * item + 2;
        if (item % 4 < cheap)
            price -= price / 10; // cheaper
        return price;
    }
}
