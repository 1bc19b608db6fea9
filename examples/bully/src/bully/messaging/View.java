/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Member;
import java.io.Serializable;
import java.util.ArrayList;

/**
 * What the message server knows.
 *
 * @param known whether the asking client is registered
 * @param finished whether the results were published
 */
public record View(boolean known, boolean finished, ArrayList<Member> members) implements Serializable {
    public boolean has(Member member) {
        return members.contains(member);
    }
}
