/* SPDX-License-Identifier: Apache-2.0 */
package bully.algorithm;

import java.io.Serializable;

/** A client as the others know it. The member with the highest priority bullies the rest. */
public record Member(String name, int priority) implements Serializable {
    public boolean outranks(Member other) {
        return priority > other.priority;
    }
}
