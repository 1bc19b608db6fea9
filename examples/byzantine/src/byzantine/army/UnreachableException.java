/* SPDX-License-Identifier: Apache-2.0 */
package byzantine.army;

/** A general could not be brought to do something, though it was tried for as long as it was worth. */
public final class UnreachableException extends Exception {
    private static final long serialVersionUID = 1;

    UnreachableException(String message, Throwable cause) {
        super(message, cause);
    }
}
