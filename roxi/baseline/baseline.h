/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign as one small file with which others are compared: in a CI system's cache, for
 * instance.
 *
 * The file: 8 bytes of magic, u16 version, u32 number of files, u64 their bytes; then one zstd
 * frame with a checksum, which holds for each file, in order of the names: u16 length of the name,
 * the name, u64 length of the content, the content. Integers are little-endian. Names are
 * "campaign.db" and those of trace logs below "runs/"; whatever else a campaign's directory has,
 * keys among it, is not in the file. */
#ifndef ROXI_BASELINE_H
#define ROXI_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schema/base/error.h"

#define BASELINE_MAGIC "\x89IXB\r\n\x1a\n"
enum {
    BASELINE_MAGIC_SIZE = 8,
    BASELINE_HEAD_SIZE = 22,
    BASELINE_VERSION = 1,
    BASELINE_NAME = 4096
};
/* A file that would unpack to more is refused; 100 runs of a minute have 0.2 GB. */
#define BASELINE_FILES_MAX 1000000u
#define BASELINE_BYTES_MAX (UINT64_C(16) << 30)

struct baseline_size {
    size_t runs, vms;
    uint64_t files, bytes; /* not compressed */
};

/* Writes the campaign to `out`; no server may be writing the campaign meanwhile. Makes a temporary
 * copy in $TMPDIR of what a comparison needs. 0 or -1. */
int baseline_write(const char *campaign, FILE *out, struct baseline_size *size,
                   struct ix_error *err);

/* True if the path is a regular file, such a file or another one; false if it is a directory, or
 * nothing. */
bool baseline_is_file(const char *path);

/* Unpacks the file into a new temporary directory, a campaign, whose path the caller gives to
 * baseline_discard. NULL with a message, and nothing remains. */
char *baseline_unpack(const char *path, struct ix_error *err);
/* The same from a stream into an existing, empty directory; for tests. 0 or -1. */
int baseline_unpack_stream(FILE *in, const char *name, const char *dir, struct ix_error *err);
/* Removes the directory and frees the path, which may be NULL. */
void baseline_discard(char *dir);

#endif
