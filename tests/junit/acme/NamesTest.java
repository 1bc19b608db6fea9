/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URI;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;

/** Tests whose names could be mistaken for each other's, and repetitions that are hard to see. */
class NamesTest extends NamesBase {
    @Retention(RetentionPolicy.RUNTIME)
    @RepeatedTest(2)
    @interface Twice {
    }

    @Twice
    void composed() {
    }

    @Test
    void overloaded() {
        helped();
    }

    @Test
    void overloaded(TestInfo info) {
    }

    @Test
    void helped() {
        helped(1);
    }

    private void helped(int times) {
    }

    @TestFactory
    Stream<DynamicNode> groups() {
        return Stream.of("a", "b").map(name -> dynamicContainer(name, Stream.of(dynamicTest("t", () -> { }))));
    }

    @TestFactory
    Stream<DynamicNode> elsewhere() {
        return Stream.of(dynamicTest("t", URI.create("file:///where"), () -> { }));
    }

    @Nested
    class Inner {
        @RepeatedTest(2)
        void nested() {
        }
    }
}
