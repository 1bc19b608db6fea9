/* SPDX-License-Identifier: Apache-2.0 */
package ixor.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * When JUnit will interrupt a test: by Jupiter's @Timeout of its method or its class, or the
 * configuration parameters junit.jupiter.execution.timeout.*. Jupiter is looked up by name, so that
 * any version of it will do, and none.
 */
final class Timeouts {
    /* For the burst, before the test is interrupted; of a short time half. */
    static final long AHEAD_MS = 500;

    private static final String PREFIX = "junit.jupiter.execution.timeout.";
    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*(ns|\u03bcs|ms|s|m|h|d)?");

    private final Function<String, String> parameters;

    /** parameters: JUnit's configuration; null for one that is not set. */
    Timeouts(Function<String, String> parameters) {
        this.parameters = parameters;
    }

    /** How long after its beginning a test is worth a burst; 0: it has no time-out. */
    long burstMillis(TestIdentifier test) {
        try {
            long ms = timeout(test).toMillis();
            return ms - Math.min(ms / 2, AHEAD_MS);
        } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
            return 0; // what JUnit cannot read it reports itself
        }
    }

    private Duration timeout(TestIdentifier test) throws ReflectiveOperationException {
        TestSource source = test.getSource().orElse(null);
        if (!(source instanceof MethodSource)) {
            return Duration.ZERO;
        }
        MethodSource method = (MethodSource) source;
        Optional<Duration> annotated = annotated(method.getJavaMethod());
        Class<?> in = method.getJavaClass();
        while (annotated.isEmpty() && in != null) {
            annotated = annotated(in);
            in = in.getEnclosingClass();
        }
        boolean template = test.getUniqueId().contains("[test-template-invocation:");
        return annotated.orElseGet(() -> configured(template));
    }

    private static Optional<Duration> annotated(AnnotatedElement element)
            throws ReflectiveOperationException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Class<? extends Annotation> type = Class.forName("org.junit.jupiter.api.Timeout", false, loader)
                .asSubclass(Annotation.class);
        Annotation found = AnnotationSupport.findAnnotation(element, type).orElse(null);
        if (found == null) {
            return Optional.empty();
        }
        long value = (Long) type.getMethod("value").invoke(found);
        TimeUnit unit = (TimeUnit) type.getMethod("unit").invoke(found);
        return Optional.of(Duration.of(value, unit.toChronoUnit()));
    }

    /** The most special parameter that is set. */
    private Duration configured(boolean template) {
        String[] names = {template ? "testtemplate.method.default" : "test.method.default",
            "testable.method.default", "default"};
        for (String name : names) {
            String value = parameters.apply(PREFIX + name);
            if (value != null) {
                return parse(value);
            }
        }
        return Duration.ZERO;
    }

    /** "42 s", "42ms", or "42", which are seconds. */
    static Duration parse(String text) {
        Matcher time = TIME.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (!time.matches()) {
            return Duration.ZERO;
        }
        return Duration.of(Long.parseLong(time.group(1)), unit(time.group(2)));
    }

    private static ChronoUnit unit(String name) {
        switch (name == null ? "s" : name) {
            case "ns":
                return ChronoUnit.NANOS;
            case "\u03bcs":
                return ChronoUnit.MICROS;
            case "ms":
                return ChronoUnit.MILLIS;
            case "m":
                return ChronoUnit.MINUTES;
            case "h":
                return ChronoUnit.HOURS;
            case "d":
                return ChronoUnit.DAYS;
            default:
                return ChronoUnit.SECONDS;
        }
    }
}
