/* SPDX-License-Identifier: Apache-2.0 */
package acme;

import org.junit.jupiter.api.Test;

/** A test that does nothing. */
class EmptyTest {
    @Test
    void does_nothing() {
    }
}
