/* SPDX-License-Identifier: Apache-2.0 */
package old;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** JUnit 4: a test with two parameters. */
@RunWith(Parameterized.class)
public class OldTest {
    @Parameterized.Parameters(name = "{0}")
    public static Object[] parameters() {
        return new Object[] {"a", "b/c"};
    }

    public OldTest(String parameter) {
    }

    @Test
    public void takes() {
    }
}
