/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the text layout: converts text to a trace log and back, in memory. */
#ifndef TESTS_TEXT_SUPPORT_H
#define TESTS_TEXT_SUPPORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "roxi/legacy/convert.h"
#include "roxi/legacy/writer.h"

struct bytes {
    char *data; /* followed by a zero byte; free() it */
    size_t size;
};

/* The result of converting a text log. */
struct outcome {
    int status; /* of the last call: 0: the end, -1: an error */
    size_t blocks;
    bool torn;
    struct bytes log;
};

/* The contents of a file. */
struct bytes whole_file(int fd);

/* Converts a text log to a trace log. */
struct outcome convert_lines(struct text_lines *lines, struct ix_error *err);
struct outcome convert_text(const void *text, size_t size, struct ix_error *err);

/* Converts a trace log to a text log. */
struct bytes log_to_text(struct bytes log, struct ix_error *err);

#endif
