/* SPDX-License-Identifier: Apache-2.0 */
/* All dumps of the files: where they are, and to which run, JVM and packet they belong. */
#ifndef ROXI_IMPORT_INDEX_H
#define ROXI_IMPORT_INDEX_H

#include <stdbool.h>

#include "roxi/import/formats.h"
#include "roxi/import/sources.h"
#include "schema/tracelog/intern.h"

/* A dump that is whole. */
struct dump_entry {
    uint32_t source, jvm; /* indexes */
    uint64_t offset, line;
    int64_t real_ns; /* 0: not known */
    uint64_t packet;
};

struct dump_jvm {
    uint32_t run, next;  /* indexes; next: of the run, UINT32_MAX: it is the last one */
    char *role, *jvm;    /* owned; jvm: what its first dump says of it */
    uint64_t pid;        /* 0: not known */
    uint64_t last;       /* the packet of its last dump, as that says; 0: it does not */
    size_t first, count; /* its entries, ascending by packet; after dump_index_number */
};

struct dump_run {
    char *name;      /* owned */
    bool has_places; /* all of its dumps say which packet they are */
    bool by_order;   /* some do not say when they were made */
    int64_t interval_ns;
    size_t dumps;
    uint32_t first_jvm, last_jvm; /* indexes */
};

struct dump_index {
    const struct dump_sources *sources;
    struct dump_entry *entries; /* this and what follows is owned */
    size_t count, cap;
    struct dump_jvm *jvms;
    size_t jvm_count, jvm_cap;
    struct dump_run *runs;
    size_t run_count, run_cap;
    struct ix_intern run_names, jvm_keys;
    uint32_t *jvm_of; /* by key: the JVM that had it last */
    size_t jvm_of_cap;
    size_t torn;      /* dumps that are left out */
    size_t empty;     /* files without a dump */
    char *first_torn; /* FILE:LINE */
    const char *first_empty;
};

/* The file of a source, open for reading. NULL with a message. */
FILE *dump_source_open(const struct dump_source *source, struct ix_error *err);

/* Reads all files once. O(bytes). 0 or -1. */
int dump_index_make(struct dump_index *index, const struct dump_sources *sources,
                    struct ix_error *err);
/* Gives each dump its packet, and orders them by JVM and packet. 0, or -1: out of memory. */
int dump_index_number(struct dump_index *index, struct ix_error *err);
void dump_index_free(struct dump_index *index);

#endif
