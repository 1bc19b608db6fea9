/* SPDX-License-Identifier: Apache-2.0 */
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Threads, classes and methods with every kind of name that the JVM allows, all standing still.
 * Prints "expect TAB THREAD TAB FRAMES" for each, as tests/helpers/logcat does: FRAMES are among
 * the thread's, next to each other. Then "ready", and ends with its input, or after as many
 * milliseconds as told.
 */
public class Names {
    static final String ESC = "\u001bcred\u001b]2title\u0007"; // without [ and ;
    static final String[] METHODS = {
        "plain", "should do this, and that!", "tab\there", "new\nline\r", ESC, "nul\0here",
        "\ud83c\udf88 balloon", "lone\ud800surrogate", "\udc00", "\u65e5\u672c\u8a9e",
        "\u202eturned", "quote\"back\\slash\\", "(I)V", "a:b", "9", " ", "c1\u009b2J", "-",
        "m".repeat(65_000),
    };
    static final String[] CLASSES = {
        "odd pkg/Kotlin Class", "x/" + ESC, "x/ \t\n", "\ud83c\udf88/nul\0here", "x/\ud800",
        "x/\u202eC", "x/a-b,c=d:e", "long/" + "C".repeat(60_000),
    };
    static final String[] THREADS = {
        "", " ", "two\nlines\r\n", "tab\tname", ESC, "nul\0here", "\ud83c\udf88 n\u00e4m\u00e9",
        "lone\ud800", "\u202eturned", "back\\slash", "c1\u009b2J", "x".repeat(65_536),
    };
    static final String TOO_LONG = "\u00e9".repeat(40_000); // 80,000 bytes, of which 65,536 fit

    static final PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    static final List<CountDownLatch> standing = new ArrayList<>();
    static final ThreadLocal<CountDownLatch> mine = new ThreadLocal<>();
    static final CountDownLatch end = new CountDownLatch(1);

    /** Where all threads stand. */
    public static void hold() {
        mine.get().countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static String escape(String text, boolean frame) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c == 0 || c >= 0xd800 && c <= 0xdfff) {
                escaped.append('\ufffd');
            } else if (c < ' ' || c == 0x7f) {
                escaped.append(String.format("\\x%02X", c));
            } else if (c == '\\' || c == ' ' && frame) {
                escaped.append(c == ' ' ? "\\s" : "\\\\");
            } else {
                escaped.appendCodePoint(c);
            }
        });
        return escaped.toString();
    }

    static String frame(String className, String method, int line) {
        return escape(className + "." + method + "()V:" + line, true);
    }

    static void expect(String thread, String frames) {
        out.println("expect\t" + escape(thread, false) + "\t" + frames);
    }

    interface Body {
        void run() throws Throwable;
    }

    static void start(String name, Body body) {
        CountDownLatch stands = new CountDownLatch(1);
        standing.add(stands);
        Thread thread = new Thread(null, () -> {
            mine.set(stands);
            try {
                body.run();
            } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
            }
        }, name);
        thread.start();
    }

    /** The frames of a chain, the executing one first; line 0: there are none. */
    static String frames(String className, int line, String... methods) {
        StringBuilder frames = new StringBuilder();
        for (int i = methods.length; i-- > 0;) {
            frames.append(frame(className, methods[i], line > 0 ? line + i : -1)).append(' ');
        }
        return frames + frame(className, "<clinit>", -1);
    }

    static void startClass(String thread, String name, String source, int line, String... methods)
            throws Exception {
        byte[] bytes = ClassBytes.chain(name, source, line, "Names", "hold", methods);
        start(thread, () -> new ClassBytes.Loader().run(bytes));
        expect(thread, frames(name.replace('/', '.'), line, methods));
    }

    static void startHidden() throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        byte[] bytes = ClassBytes.chain("Not shown", null, 0, "Names", "hold", "in it");
        MethodHandles.Lookup hidden = lookup.defineHiddenClass(bytes, false);
        start("hidden", () -> hidden.ensureInitialized(hidden.lookupClass()));
        expect("hidden", frames(hidden.lookupClass().getName(), 0, "in it"));
    }

    static void startGenerated() throws Exception {
        Runnable lambda = () -> hold();
        start("lambda", lambda::run);
        expect("lambda", frame(lambda.getClass().getName(), "run", -1));

        Runnable proxy = (Runnable) Proxy.newProxyInstance(Names.class.getClassLoader(),
            new Class<?>[] {Runnable.class}, (self, method, args) -> {
                hold();
                return null;
            });
        start("proxy", proxy::run);
        expect("proxy", frame(proxy.getClass().getName(), "run", -1));

        MethodHandle handle = MethodHandles.lookup().findStatic(Names.class, "hold",
            MethodType.methodType(void.class));
        start("method handle", () -> {
            handle.invokeExact();
        });
    }

    public static void main(String[] args) throws Exception {
        startClass("methods", "Methods", null, 0, METHODS);
        startClass("source", "Source", "b\u00f6 \u001b[1m\ud83c\udf88.kt", 65_000, "first",
            "second");
        startClass("line 0", "Zero", "Zero.java", 0, "none");
        for (int i = 0; i < CLASSES.length; i++) {
            startClass("class " + i, CLASSES[i], null, 0, "m");
        }
        startHidden();
        startGenerated();
        for (String name : THREADS) {
            start(name, Names::hold);
            expect(name, "");
        }
        start(TOO_LONG, Names::hold);
        expect(TOO_LONG.substring(0, 32_768), "");
        for (CountDownLatch stands : standing) {
            stands.await();
        }
        out.println("ready");
        out.flush();
        if (args.length > 0) {
            Thread.sleep(Long.parseLong(args[0]));
        } else {
            while (System.in.read() >= 0) {
                continue;
            }
        }
        end.countDown();
    }
}
