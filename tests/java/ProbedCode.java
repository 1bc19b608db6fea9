/* SPDX-License-Identifier: Apache-2.0 */
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * All sorts of code, for probes. The blocks that begin on a line are executed, unless the line says "not", or "part":
 * some of them are.
 */
public class ProbedCode implements Serializable {
    enum Colour { RED, GREEN, BLUE }

    record Point(int x, int y) { // part: toString, equals, hashCode
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x"); // not
            }
        }
    }

    static class Base {
        final String text;

        Base(Object o, String text) {
            this.text = o + text;
        }
    }

    /* Jumps, a try in an argument's lambda expression, and objects not yet initialized, before super(). */
    static class Derived extends Base {
        Derived(boolean a, int b) {
            super(a ? new StringBuilder(b > 2 ? "two" : new String(b > 1 ? "one" : "none")) // part
                    : Integer.valueOf(b), // part: with what follows
                switch (b) {
                    case 1 -> "1"; // not
                    case 2 -> "2";
                    default -> {
                        String s = ""; // not
                        for (int i = 0; i < b; i++) { // not
                            s += i; // not
                        }
                        yield s; // not
                    }
                });
        }
    }

    static int dense(int i) {
        switch (i) {
            case 1:
                return 10;
            case 2:
                i += 5; // not
            case 3:
                i += 7;
                break;
            case 4:
                return 11; // not
            default:
                i = 0;
        }
        return i;
    }

    static int sparse(int i) {
        switch (i) {
            case -1000:
                return 1;
            case 0:
                return 2; // not
            case 1000000:
                return 3;
            default:
                return 4; // not
        }
    }

    static String strings(String s) {
        switch (s) { // part: compares what has the same hash code
            case "Aa":
                return "first";
            case "BB":
                return "second";
            case "C":
                return "third"; // not
            default:
                return "none";
        }
    }

    static int enums(Colour c) {
        return switch (c) { // part: no such value
            case RED -> 1;
            case GREEN -> 2; // not
            case BLUE -> 3;
        };
    }

    static int nested(int[] a, StringBuilder log) {
        try {
            try {
                log.append(a[0] / a[1]);
                return a[0];
            } catch (ArithmeticException e) {
                log.append("zero");
                if (a[0] > 5) {
                    throw new IllegalStateException(e);
                }
            } catch (ArrayIndexOutOfBoundsException | NullPointerException e) {
                log.append("few");
                return -1;
            } finally {
                log.append("in");
                for (int i = 0; i < a.length; i++) {
                    if (a[i] == 7) {
                        continue; // part: of the copies of this block, one
                    }
                    a[i]++;
                }
            }
            log.append("behind");
        } catch (IllegalStateException e) {
            log.append(e.getCause().getMessage());
        } finally {
            log.append("out"); // part: an exception that nothing catches
        }
        return -2;
    }

    static class Resource implements AutoCloseable {
        static int closed;

        @Override
        public void close() {
            closed++;
        }
    }

    static int resources(boolean fails) {
        try (Resource a = new Resource(); Resource b = new Resource()) { // part: close fails
            if (fails) {
                throw new RuntimeException("fails");
            }
        } catch (RuntimeException e) {
            return -Resource.closed;
        }
        return Resource.closed;
    }

    int locked;

    synchronized int monitors(Object other) {
        synchronized (this) {
            synchronized (other) {
                while (locked < 5) {
                    synchronized (this) {
                        locked++;
                        if (locked == 4) {
                            break;
                        }
                    } // part: an exception
                }
                if (locked > 100) {
                    return 1; // not
                }
            } // part: an exception
            return locked;
        } // not: an exception
    }

    static long wide(int n) {
        long a0 = n, a1 = a0 + 1, a2 = a1 + 1, a3 = a2 + 1, a4 = a3 + 1, a5 = a4 + 1, a6 = a5 + 1;
        double d0 = a6, d1 = d0 * 2, d2 = d1 * 2, d3 = d2 * 2, d4 = d3 * 2, d5 = d4 * 2, d6 = d5 * 2;
        long[] sums = new long[4];
        long b0 = n, b1 = n, b2 = n, b3 = n, b4 = n, b5 = n, b6 = n, b7 = n;
        long b8 = n, b9 = n, b10 = n, b11 = n, b12 = n, b13 = n, b14 = n, b15 = n;
        long b16 = n, b17 = n, b18 = n, b19 = n, b20 = n, b21 = n, b22 = n, b23 = n;
        long b24 = n, b25 = n, b26 = n, b27 = n, b28 = n, b29 = n, b30 = n, b31 = n;
        long b32 = n, b33 = n, b34 = n, b35 = n, b36 = n, b37 = n, b38 = n, b39 = n;
        long b40 = n, b41 = n, b42 = n, b43 = n, b44 = n, b45 = n, b46 = n, b47 = n;
        long b48 = n, b49 = n, b50 = n, b51 = n, b52 = n, b53 = n, b54 = n, b55 = n;
        long b56 = n, b57 = n, b58 = n, b59 = n, b60 = n, b61 = n, b62 = n, b63 = n;
        long b64 = n, b65 = n, b66 = n, b67 = n, b68 = n, b69 = n, b70 = n, b71 = n;
        long b72 = n, b73 = n, b74 = n, b75 = n, b76 = n, b77 = n, b78 = n, b79 = n;
        long b80 = n, b81 = n, b82 = n, b83 = n, b84 = n, b85 = n, b86 = n, b87 = n;
        long b88 = n, b89 = n, b90 = n, b91 = n, b92 = n, b93 = n, b94 = n, b95 = n;
        long b96 = n, b97 = n, b98 = n, b99 = n, b100 = n, b101 = n, b102 = n, b103 = n;
        long b104 = n, b105 = n, b106 = n, b107 = n, b108 = n, b109 = n, b110 = n, b111 = n;
        long b112 = n, b113 = n, b114 = n, b115 = n, b116 = n, b117 = n, b118 = n, b119 = n;
        long b120 = n, b121 = n, b122 = n, b123 = n, b124 = n, b125 = n, b126 = n, b127 = n;
        int far = n;
        for (int i = 0; i < 3; i++) {
            far += 1000;
            far++;
            sums[i] = far;
        }
        String s = n > 100 ? "large" : null; // part
        return far + sums[2] + (long) d6 + b127 + (s == null ? a0 : a1); // part
    }

    static int lambdas(int n) {
        int k = n + 1;
        IntUnaryOperator f = i -> i > 3
            ? i * k // not
            : i + k;
        Supplier<List<Integer>> makes = ArrayList::new;
        Runnable never = () -> System.out.println("never"); // not
        Supplier<String> inner = new Supplier<>() {
            @Override
            public String get() {
                return n > 0 ? "x" : "y"; // part
            }
        };
        return f.applyAsInt(n) + makes.get().size() + inner.get().length() + (never == null ? 1 : 0); // part
    }

    static int labels(int n) {
        int count = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0;; j++) {
                if (j == i) {
                    continue outer;
                }
                if (i * j == 6) {
                    break outer;
                }
                count += i & j;
            }
        }
        do {
            count++;
        } while (count % 7 != 0);
        return count;
    }

    static boolean logic(int a, int b) {
        return a > 1 && b > 1 || (a ^ b) == 3; // part
    }

    static Object patterns(Object o) {
        if (o instanceof String s && s.length() > 1) {
            return s.length();
        }
        return o instanceof Integer i ? i + 1 : o; // part
    }

    static void throwing() {
        throw new UnsupportedOperationException("thrown");
    }

    static int leftHalfWay() {
        throwing();
        return 1; // in the block of the line before
    }

    static int unused(int n) {
        return n + 1; // not
    }

    public static void main(String[] args) {
        StringBuilder log = new StringBuilder();
        System.out.println(new Derived(true, 2).text);
        System.out.println(dense(1) + dense(3) + dense(9) + " " + (sparse(-1000) + sparse(1000000)));
        System.out.println(strings("Aa") + strings("BB") + strings("D") + enums(Colour.RED)
            + enums(Colour.valueOf("BLUE")));
        System.out.println(nested(new int[] {7, 2}, log) + nested(new int[] {1, 0}, log)
            + nested(new int[] {8, 0}, log) + nested(new int[] {1}, log));
        System.out.println(log);
        System.out.println(resources(false) + resources(true));
        System.out.println(new ProbedCode().monitors(log) + " " + wide(3) + " " + lambdas(2));
        System.out.println(labels(5) + " " + logic(1, 2) + logic(2, 1) + patterns("ab") + patterns(1));
        System.out.println(new Point(1, 2).x() + new Point(3, 4).y());
        System.out.println(ObjectStreamClass.lookup(ProbedCode.class).getSerialVersionUID());
        try {
            System.out.println(leftHalfWay());
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
    }
}
