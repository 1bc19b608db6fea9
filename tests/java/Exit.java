/* SPDX-License-Identifier: Apache-2.0 */
/** Says a line on each of its outputs, waits for the end of its input if told so, and ends as told. */
public class Exit {
    public static void main(String[] args) throws Exception {
        System.out.println("out " + args[0]);
        System.err.println("err " + args[0]);
        for (int i = 1; i < args.length; i++) {
            if (args[i].equals("wait")) {
                while (System.in.read() >= 0) {
                    continue;
                }
            } else {
                Enough.sleep(Long.parseLong(args[i]));
            }
        }
        switch (args[0]) {
            case "exit":
                System.exit(3);
                break;
            case "halt":
                Runtime.getRuntime().halt(4);
                break;
            case "throw":
                throw new IllegalStateException("thrown");
            case "thread":
                new Thread(() -> System.exit(5), "leaver").start();
                Thread.sleep(60_000);
                break;
            default:
                break;
        }
    }
}
