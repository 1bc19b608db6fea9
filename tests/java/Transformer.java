/* SPDX-License-Identifier: Apache-2.0 */
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;

/**
 * A Java agent that changes classes as a coverage tool does: Transformer$Target when it is loaded,
 * and again and again all classes of this directory. Its main prints what the change made of it.
 */
public class Transformer implements ClassFileTransformer {
    public static class Target {
        static String word() {
            return "before";
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
            ProtectionDomain domain, byte[] bytes) {
        if (loader == null || name == null) {
            return null;
        }
        if (!name.equals("Transformer$Target")) {
            return bytes.clone();
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.replace("before", "change").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static volatile boolean done;
    private static Thread retransformer;

    static void again(Instrumentation instrumentation) {
        try {
            while (!done) {
                for (Class<?> c : instrumentation.getAllLoadedClasses()) {
                    if (c.getClassLoader() == ClassLoader.getSystemClassLoader()
                            && !c.isHidden() && instrumentation.isModifiableClass(c)) {
                        instrumentation.retransformClasses(c);
                    }
                }
                Thread.sleep(20);
            }
        } catch (Exception e) {
            System.out.println("retransforming: " + e);
        }
    }

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new Transformer(), true);
        retransformer = new Thread(() -> again(instrumentation), "retransformer");
        retransformer.setDaemon(true);
        retransformer.start();
    }

    public static void main(String[] args) throws Exception {
        Mixed.main(args);
        Enough.sleep(0);
        done = true; // a JVM that ends has no classes to list
        retransformer.join();
        System.out.println(Target.word());
    }
}
