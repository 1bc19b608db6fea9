/* SPDX-License-Identifier: Apache-2.0 */
package bully.algorithm;

import java.io.Serializable;

/**
 * What clients say to each other. A repetition of a message, which a retry can cause, carries the same number.
 *
 * @param number unique among the messages of {@code from}
 * @param to name of the receiver
 * @param body depends on the kind; may be null
 */
public record Message(long number, Kind kind, Member from, String to, Serializable body) implements Serializable {

    public enum Kind {
        /** Election: "I hold an election; does anyone higher live?" */
        ELECTION,
        /** Election: "I live and am higher; leave it to me." */
        ANSWER,
        /** Election: "I am the coordinator from now on." */
        COORDINATOR,
        /** Work: asks the coordinator for a task. */
        TASK_REQUEST,
        /** Work: here is a task. */
        TASK,
        /** Work: nothing to hand out now, ask again. */
        WAIT,
        /** Work: findings for a task. */
        REPORT,
        /** Work: findings taken; the body says how many numbers are left. */
        TAKEN,
        /** Work: you asked someone who is not the coordinator. */
        REFUSED,
        /** Replication: asks for the receiver's copy of the search. */
        STATE_REQUEST,
        /** Replication: a copy of the search. */
        STATE,
        /** The search is complete. */
        FINISHED
    }

    public Message reply(Kind answer, Member answerer, Serializable answerBody) {
        return new Message(number, answer, answerer, from.name(), answerBody);
    }

    @Override
    public String toString() {
        return kind + " " + number + " from " + from.name() + " to " + to;
    }
}
