/* SPDX-License-Identifier: Apache-2.0 */
import java.util.concurrent.CountDownLatch;

/** Redefined by Redefine; of this the test makes the second version, 100 lines further down. */
class Changing {
    static int other(int i) throws InterruptedException {
        /* NEW i += 7; */
        Redefine.moment();
        return i;
    }

    static void same() throws InterruptedException {
        Redefine.moment();
    }

    static void stay(CountDownLatch until) throws InterruptedException {
        /* NEW Thread.currentThread(); */
        until.await();
    }
}
