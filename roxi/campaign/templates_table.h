/* SPDX-License-Identifier: Apache-2.0 */
/* What templates are learnt from (templates.h); internal to templates*.c. */
#ifndef ROXI_TEMPLATES_TABLE_H
#define ROXI_TEMPLATES_TABLE_H

#include "roxi/campaign/nodes.h"
#include "roxi/campaign/shape.h"
#include "schema/tracelog/intern.h"

#define NEVER UINT32_MAX
#define NONE UINT32_MAX

enum {
    NUMBERS = 8,  /* values of a number that are remembered */
    CLASSES = 11, /* of runs, by the log2 of their values: up to 1024 */
};

/* What a number of a shape was seen to be. */
struct number {
    uint32_t values[NUMBERS];
    uint32_t since;         /* the run in which it ceased to be kept */
    uint8_t count;          /* of `values`; NUMBERS + 1: there are more */
    uint8_t present, first; /* bits: values in the present run, and in its first run */
    bool unequal;           /* two runs have different values */
    bool other_than_ports;
    bool kept; /* the result */
};

/* A piece of a shape, as a value of its key. */
struct piece {
    uint32_t key;
    uint8_t class; /* the lowest class of a run that had it; CLASSES: none */
    uint8_t weight;
};

/* A shape with one piece left out. */
struct key {
    uint32_t runs, run_stamp;
    uint32_t values;        /* in the present run */
    uint32_t seen[CLASSES]; /* weights of the values, by their class */
    uint32_t since;         /* the run that made it vary */
};

struct kind {
    struct number *numbers; /* owned */
    struct piece *pieces;   /* owned; NULL: its words stay */
    uint32_t number_count, piece_count;
    uint32_t runs, run_stamp;
    uint16_t varying; /* bits: pieces that are '*' */
};

struct roxi_templates {
    struct roxi_nodes *nodes; /* owned */
    struct ix_intern shapes, keys;
    struct kind *kinds; /* by shape */
    struct key *key_list;
    uint32_t *present; /* shapes of the present run */
    size_t kind_count, kind_cap, key_cap, present_count, present_cap;
    uint32_t run; /* of the present one, from 1: a stamp */
    bool full;
    uint64_t steps;
    struct roxi_shape shape; /* scratch */
    struct ix_out text;
};

/* True as long as nothing speaks against keeping the number's values. */
static inline bool stays(const struct number *n)
{
    return n->count <= 1 || (n->count <= NUMBERS && !n->unequal && !n->other_than_ports);
}

/* True if the piece has become '*'. */
static inline bool is_varying(const struct kind *kind, uint32_t piece)
{
    return piece < kind->piece_count && kind->varying & 1u << piece;
}

#endif
