/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

/** The message server could not reach the receiver, or could not itself be reached, in spite of all retries. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1;

    public DeliveryException(String message, Throwable cause) {
        super(message, cause);
    }
}
