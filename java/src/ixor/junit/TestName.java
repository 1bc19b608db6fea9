/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * What a test's runs are called: pkg.Class.method. Repetitions are runs of one test and have one
 * name; invocations with other arguments are other tests: pkg.Class.method[2].
 */
final class TestName {
    static final int MAX_BYTES = 180; // IX_TEST_NAME_MAX
    private static final String REPEATED = "org.junit.jupiter.api.RepeatedTest";

    private TestName() {
    }

    static String of(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (!(source instanceof MethodSource)) {
            return fitted(test.getLegacyReportingName());
        }
        MethodSource method = (MethodSource) source;
        String name = method.getClassName() + "." + method.getMethodName();
        return fitted(isRepeated(method) ? name : name + invocation(test.getUniqueId()));
    }

    /** "[2]" if the last part of the unique id is [test-template-invocation:#2]; else "". */
    private static String invocation(String id) {
        int from = id.lastIndexOf(":#");
        if (from < id.lastIndexOf("/[") || !id.endsWith("]")) {
            return "";
        }
        return "[" + id.substring(from + 2);
    }

    /** By name: the launcher's class loader need not know Jupiter. */
    private static boolean isRepeated(MethodSource source) {
        try {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            for (Method m : Class.forName(source.getClassName(), false, loader).getDeclaredMethods()) {
                if (m.getName().equals(source.getMethodName()) && isRepeated(m)) {
                    return true;
                }
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            return false; // then each repetition has a number of its own
        }
        return false;
    }

    private static boolean isRepeated(Method method) {
        for (Annotation a : method.getAnnotations()) {
            if (a.annotationType().getName().equals(REPEATED)) {
                return true;
            }
        }
        return false;
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
