/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import org.junit.jupiter.api.RepeatedTest;

/** What NamesTest inherits. */
abstract class NamesBase {
    @RepeatedTest(2)
    void inherited() {
    }
}
