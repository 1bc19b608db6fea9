/* SPDX-License-Identifier: Apache-2.0 */
/* How functions of this project report why they failed.
 *
 * A function that can fail takes a `struct ix_error *` last, returns -1 (or NULL, or 0 where its
 * header says so) and leaves one sentence there: what went wrong, where, and what to do about it if
 * that is not obvious. Only the program's outermost layer prints it. The caller owns the struct; it
 * may be NULL.
 */
#ifndef IX_SCHEMA_ERROR_H
#define IX_SCHEMA_ERROR_H

struct ix_error {
    char text[1024]; /* without a newline at the end; always terminated */
};

/* Sets the text and returns -1, so that a caller can write `return ix_fail(err, ...)`. A text that
 * does not fit is truncated. */
int ix_fail(struct ix_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Prepends "context: " to the existing text; returns -1. */
int ix_fail_in(struct ix_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

#endif
