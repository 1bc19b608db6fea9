/* SPDX-License-Identifier: Apache-2.0 */
/* A run's directory in the original's layout: files.list names a file for each JVM, whose first
 * line is the path of the JVM's trace log. */
#ifndef ROXI_TEXT_LAYOUT_H
#define ROXI_TEXT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

struct text_vm_file {
    char *name;    /* <address>-<process id>: usable as a file name */
    char *address; /* UTF-8 */
    uint64_t pid;
    char *log; /* a path that can be opened */
};

struct text_layout {
    struct text_vm_file *vms;
    size_t count, cap;
};

/* Reads files.list and the files it names, but not the logs. 0, or -1 with "FILE:LINE: ...";
 * then *layout is empty. */
int text_layout_read(const char *dir, struct text_layout *layout, struct ix_error *err);
void text_layout_free(struct text_layout *layout);

#endif
