/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.siege;

import java.io.Serializable;
import java.math.BigInteger;

/** The news that a target has fallen: one of its factors, and who found it. */
public record Breach(int round, BigInteger target, BigInteger factor, int finder) implements Serializable {

    /** Whether the factor is one: the news may have been damaged on its way. */
    public boolean isTrue() {
        return factor != null && factor.compareTo(BigInteger.ONE) > 0 && factor.compareTo(target) < 0
                && target.mod(factor).signum() == 0;
    }
}
