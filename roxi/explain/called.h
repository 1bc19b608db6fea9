/* SPDX-License-Identifier: Apache-2.0 */
/* How often methods were called in the run that is explained and in normal ones, where logs tell
 * that: a table with a row for each method of a role. */
#ifndef ROXI_EXPLAIN_CALLED_H
#define ROXI_EXPLAIN_CALLED_H

#include "roxi/explain/finding.h"

enum {
    ROXI_CALLED_RUNS = 200, /* normal ones in the table at most, evenly chosen */
    ROXI_CALLED_PARTS = 8,  /* of a run, as long as each other */
    ROXI_CALLED_FEW = 8,    /* calls: fewer tell nothing */
};

/* A method in a role. */
struct roxi_called_row {
    uint32_t role, class_name, method;
    uint32_t stack;      /* the method alone */
    double own, typical; /* calls in this run, and the median of the normal ones */
    double *calls;       /* by run of the table */
    bool *at_least;      /* by run of the table: not all calls were counted */
    double *parts;       /* calls up to the end of each part of each timed run */
};

struct roxi_called_table {
    size_t
        runs; /* this one is 0, the others are normal ones; 0 or 1: there is nothing to compare */
    size_t timed;                 /* how many of the normal ones have a history */
    struct roxi_called_row *rows; /* by role, top-level class, class and method */
    size_t count;
    /* The rest is for roxi_called_find, and owned, as are the rows: */
    double *numbers;
    bool *flags;
    struct roxi_tally pairs; /* roxi_pair(role, stack of a method alone) */
    uint32_t *row_of;        /* by number in `pairs` */
};

/* Is the one with that number among `most` of `all` that are evenly chosen? `most` is at most
 * `all`. */
static inline bool roxi_is_chosen(size_t number, size_t most, size_t all)
{
    return number * most / all != (number + 1) * most / all;
}

/* Of a run against the normal ones (by run); it is never one of them. To be freed in any case; -1:
 * memory ran out. O(methods x runs). */
int roxi_called_make(struct roxi_called_table *t, const struct roxi_profiles *p, size_t run,
                     const bool *normal);
void roxi_called_free(struct roxi_called_table *t);

/* The row of a method; NULL: there is none. O(1). */
struct roxi_called_row *roxi_called_find(const struct roxi_called_table *t, uint32_t role,
                                         uint32_t stack);
/* Have two rows the same top-level class? */
bool roxi_called_same_class(const struct roxi_symbols *s, const struct roxi_called_row *a,
                            const struct roxi_called_row *b);
/* The first row that is not of the same role and top-level class as the row at `from`. */
size_t roxi_called_class_end(const struct roxi_called_table *t, const struct roxi_symbols *s,
                             size_t from);
/* The same of the role alone. */
size_t roxi_called_role_end(const struct roxi_called_table *t, size_t from);
/* A finding of the method: where it is, how often it was called, and nothing else. */
struct roxi_finding roxi_called_finding(const struct roxi_called_row *row, enum roxi_about about);

#endif
