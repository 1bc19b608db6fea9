/* How a function of this project says why it failed.
 *
 * A function that can fail takes a `struct ix_error *` last, returns -1 (or NULL, or 0 where its
 * header says so) and leaves one sentence there: what went wrong, where, and what to do about it
 * if that is not plain. Only the program's outermost layer prints it. The caller owns the struct;
 * NULL means that it does not want to know.
 */
#ifndef IX_SCHEMA_ERROR_H
#define IX_SCHEMA_ERROR_H

struct ix_error {
    char text[1024]; /* without a newline at the end; always terminated */
};

/* Sets the text and returns -1, so that a caller can write `return ix_fail(err, ...)`.
 * A text that does not fit is cut. */
int ix_fail(struct ix_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Puts "context: " before the text that is already there; returns -1. */
int ix_fail_in(struct ix_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

#endif
