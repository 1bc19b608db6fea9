/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a trace log's writer: creates it, frames records, and writes complete records. */
#ifndef IX_SCHEMA_TRACELOG_OUTPUT_H
#define IX_SCHEMA_TRACELOG_OUTPUT_H

#include "schema/base/bytes.h"
#include "schema/base/error.h"

struct ix_output {
    char *path;          /* NULL: it was adopted; owned */
    char *name;          /* for messages: the path in quotes, or which descriptor; owned */
    int fd;              /* owned */
    struct ix_out ready; /* complete records that are not in the file yet */
    uint64_t bytes;      /* in the file */
};

/* Creates the file, with missing parent directories, and writes the log's header; a file that
 * exists is an error. 0; or -1, and then there is nothing to close. */
int ix_output_create(struct ix_output *output, const char *path, struct ix_error *err);
/* The same on a descriptor of an empty file, which is closed if this fails. */
int ix_output_adopt(struct ix_output *output, int fd, struct ix_error *err);

/* Ends this file, for which nothing may be `ready`, and begins the next: the file at PATH becomes
 * PATH.number, and PATH is a new one with the log's header. For a moment there is no PATH. -1 if
 * that fails: the complete file is at PATH again, or at PATH.number if it could not be moved back,
 * and the output still writes to it. Not for an adopted file. */
int ix_output_next(struct ix_output *output, uint32_t number, struct ix_error *err);

/* Frames a record. When memory runs out, ready.failed is set. */
void ix_output_record(struct ix_output *output, uint8_t type, const struct ix_out *payload);

/* Writes what is ready, with one write(2) unless the kernel accepts only part of it. -1 on failure:
 * the file is truncated to its previous length if possible. */
int ix_output_flush(struct ix_output *output, struct ix_error *err);

/* Closes the file and releases everything; what is ready is lost. 0, or -1 if closing failed. */
int ix_output_close(struct ix_output *output);

#endif
