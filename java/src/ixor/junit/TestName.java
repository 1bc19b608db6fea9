/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * What a test's runs are called: pkg.Class.method, and pkg.Class.method(int) if the class has other
 * tests of this name. Repetitions are runs of one test and have one name; invocations with other
 * arguments are other tests: pkg.Class.method[2].
 */
final class TestName {
    static final int MAX_BYTES = 180; // IX_TEST_NAME_MAX
    private static final String REPEATED = "org.junit.jupiter.api.RepeatedTest";

    /* Parts of a unique id: an invocation or something dynamic, by its number; a class. */
    private static final Pattern NUMBERED = Pattern.compile("\\[[a-z-]+:#(\\d+)\\]");
    private static final Pattern CLASS = Pattern.compile("\\[(?:nested-)?class:([^\\]]+)\\]");

    private TestName() {
    }

    static String of(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        String reported = test.getLegacyReportingName();
        String id = test.getUniqueId();
        if (!(source instanceof MethodSource)) {
            String in = parts(CLASS, id, "$"); // of a dynamic test that says where it comes from
            return fitted(in.isEmpty() ? reported : in + "." + reported);
        }
        MethodSource method = (MethodSource) source;
        String name = method.getMethodName();
        if (reported.startsWith(name + "[")) { // JUnit 4's Parameterized
            return fitted(method.getClassName() + "." + reported);
        }
        boolean repeated = false;
        List<Method> tests = tests(method.getClassName(), name);
        for (Method m : tests) {
            if (types(m, Class::getName).equals(method.getMethodParameterTypes())) {
                name += tests.size() > 1 ? "(" + types(m, Class::getSimpleName) + ")" : "";
                repeated = isRepeated(m);
            }
        }
        String which = repeated ? id.substring(0, id.lastIndexOf('[')) : id;
        return fitted(method.getClassName() + "." + name + numbers(which));
    }

    private static String numbers(String id) {
        String numbers = parts(NUMBERED, id, "][");
        return numbers.isEmpty() ? "" : "[" + numbers + "]";
    }

    private static String parts(Pattern pattern, String id, String between) {
        Matcher part = pattern.matcher(id);
        return part.results().map(found -> found.group(1)).collect(Collectors.joining(between));
    }

    private static String types(Method method, Function<Class<?>, String> name) {
        return Arrays.stream(method.getParameterTypes()).map(name).collect(Collectors.joining(", "));
    }

    /** Of a class, with those that it inherits; none if the class cannot be looked at. */
    private static List<Method> tests(String type, String name) {
        try {
            return ReflectionSupport.findMethods(loaded(type), m -> m.getName().equals(name)
                    && AnnotationSupport.isAnnotated(m, Testable.class), HierarchyTraversalMode.TOP_DOWN);
        } catch (ReflectiveOperationException | LinkageError e) {
            return List.of(); // then each repetition has a number of its own
        }
    }

    /** By name: the launcher's class loader need not know Jupiter. */
    private static boolean isRepeated(Method method) {
        try {
            return AnnotationSupport.isAnnotated(method, loaded(REPEATED).asSubclass(Annotation.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }

    private static Class<?> loaded(String name) throws ReflectiveOperationException {
        return Class.forName(name, false, Thread.currentThread().getContextClassLoader());
    }

    /** Cuts a name that is too long, so that different ones stay different. */
    static String fitted(String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
            return name;
        }
        String end = String.format("~%08x", name.hashCode());
        int chars = Math.min(name.length(), MAX_BYTES - end.length());
        while (name.substring(0, chars).getBytes(StandardCharsets.UTF_8).length
                > MAX_BYTES - end.length()) {
            chars--;
        }
        return name.substring(0, chars) + end;
    }
}
