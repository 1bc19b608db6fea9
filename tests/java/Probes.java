/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Class files for probes, and what the JVM thinks of them.
 *
 *   Probes collect DIR SOURCE...  the classes of jars and of the platform's modules to DIR/NUMBER.class; prints NAME,
 *                                 tab, FILE
 *   Probes link LIST N            defines each Nth class of such a list and has the JVM verify it; the probed one if
 *                                 there is any: FILE.probed. Prints NAME, tab, what is wrong or "good"
 *   Probes run CLASS...           calls the first class's main method, and then prints each class's fields of probes:
 *                                 "field", CLASS, NUMBER, true or false, with tabs
 */
public class Probes {
    /** Classes of its own before those of the class path. */
    private static class Own extends ClassLoader {
        private final Map<String, Path> files;

        Own(Map<String, Path> files) {
            super(ClassLoader.getPlatformClassLoader());
            this.files = files;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Path file = files.get(name);
            if (file == null) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name, file);
            }
        }

        private Class<?> define(String name, Path file) {
            try {
                Path probed = Path.of(file + ".probed");
                byte[] bytes = Files.readAllBytes(Files.exists(probed) ? probed : file);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static int collected;

    private static void collect(Path root, Path to) throws IOException {
        List<Path> classes = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(root)) {
            walk.filter(p -> p.toString().endsWith(".class")).sorted().forEach(classes::add);
        }
        for (Path c : classes) {
            String name = root.relativize(c).toString().replaceFirst("\\.class$", "").replace('/', '.');
            if (name.endsWith("-info") || name.startsWith("META-INF") || name.startsWith("java.")) {
                continue;
            }
            Path file = to.resolve(collected++ + ".class");
            Files.write(file, Files.readAllBytes(c));
            System.out.println(name + "\t" + file);
        }
    }

    private static void collect(String[] args) throws IOException {
        Path to = Path.of(args[1]);
        for (int i = 2; i < args.length; i++) {
            if (args[i].endsWith(".jar")) {
                try (FileSystem jar = FileSystems.newFileSystem(Path.of(args[i]), (ClassLoader) null)) {
                    collect(jar.getPath("/"), to);
                }
            } else {
                collect(Path.of(URI.create("jrt:/" + args[i])), to);
            }
        }
    }

    /** Listing its methods links a class, and does not initialize it. */
    private static String link(ClassLoader loader, String name) {
        try {
            Class.forName(name, false, loader).getDeclaredMethods();
            return "good";
        } catch (Throwable e) {
            return e.getClass().getName(); // the message names one of several classes that are missing
        }
    }

    private static void link(Path list, int every) throws IOException {
        Map<String, Path> files = new LinkedHashMap<>();
        int number = 0;
        for (String line : Files.readAllLines(list)) {
            String[] parts = line.split("\t");
            files.putIfAbsent(parts[0], Path.of(parts[1]));
        }
        Own loader = new Own(files);
        for (String name : files.keySet()) {
            if (++number % every == 0) {
                System.out.println(name + "\t" + link(loader, name));
            }
        }
    }

    private static void run(String[] args) throws Exception {
        Class.forName(args[1]).getMethod("main", String[].class)
            .invoke(null, (Object) new String[0]);
        for (int i = 1; i < args.length; i++) {
            Class<?> c = Class.forName(args[i], false, Probes.class.getClassLoader());
            for (Field f : c.getDeclaredFields()) {
                if (f.getName().startsWith("$ixor")) {
                    f.setAccessible(true);
                    System.out.println("field\t" + args[i] + "\t" + f.getName().substring(5) + "\t" + f.getBoolean(null));
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "collect" -> collect(args);
            case "link" -> link(Path.of(args[1]), Integer.parseInt(args[2]));
            default -> run(args);
        }
    }
}
