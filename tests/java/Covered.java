/* SPDX-License-Identifier: Apache-2.0 */
/** Work for a coverage tool to instrument: calls, branches, short threads, for so many ms. */
public class Covered {
    static int count(int n) {
        return n < 2 ? n : count(n - 1) + count(n - 2);
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        int sum = 0;
        while (!Enough.since(end)) {
            sum += count(20);
            Thread thread = new Thread(() -> count(15), "short");
            thread.start();
            thread.join();
        }
        System.out.println(sum == 0 ? "nothing" : "covered");
    }
}
