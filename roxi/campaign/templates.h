/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of threads' names, learnt over a whole campaign: what varies becomes '*', everything
 * else stays, and all threads of one template are one place. As log parsers do (Drain: He et al.,
 * ICWS 2017), names are grouped by their shape (shape.h), of all roles together, and each group
 * is decided by what was seen in it:
 *
 * - Tokens of any value (addresses, UUIDs, hashes, long numbers) are '*'.
 * - A number that has one value in the whole campaign stays: http-nio-8080-Poller. So do up to 8
 *   values from 1024 to 65535 if every run has all of them: ports. Any other number is '*':
 *   pool-*-thread-*.
 * - A piece that holds a word becomes '*' only on strong evidence, that its values come and go with
 *   runs: for some c, the runs that have at most c values there, in names that are otherwise equal,
 *   have at least 4 c different values together, and at least 8. Values with a digit in them count
 *   twice. So consumer-x8d2k and its kin become one, while exec and Poller, flush and search, which
 *   recur in run after run, stay apart. A value that is in every run stays in any case.
 *
 * So the result does not depend on the order of the runs, and with more runs a template can only
 * become wider: each condition for '*', once it holds, holds for every larger set of runs.
 * roxi_templates_since says which run made it so wide.
 *
 * Memory: about 100 bytes for each shape and each of its pieces. With more than
 * ROXI_TEMPLATES_SHAPES shapes nothing is remembered any more: all numbers become '*', all words
 * stay. Time: O(total length of the names).
 */
#ifndef ROXI_TEMPLATES_H
#define ROXI_TEMPLATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/bytes.h"

#define ROXI_TEMPLATES_SHAPES 50000

struct roxi_templates;

struct roxi_templates *roxi_templates_new(void);    /* NULL: out of memory */
void roxi_templates_free(struct roxi_templates *t); /* t may be NULL */

/* Adds the name of a thread of the present JVM, and its group, or NULL. -1: out of memory. */
int roxi_templates_add(struct roxi_templates *t, const char *name, const char *group);
/* The JVM is complete. -1: out of memory. */
int roxi_templates_end_vm(struct roxi_templates *t);
/* The run is complete; `run` is the number by which roxi_templates_since calls it. The names of a
 * run must not be mixed with those of others, but the order of runs is free. -1: out of memory. */
int roxi_templates_end_run(struct roxi_templates *t, uint32_t run);
/* Decides, after the last run. From then on any number of threads may use what follows. -1: out of
 * memory. */
int roxi_templates_learn(struct roxi_templates *t);

/* Replaces the content of `out` with the template of a name, terminated. *node: the node by the
 * name or, if that has none, by the thread's group (or NULL) (nodes.h): a part of either, or of
 * length 0. The template has '*' in the place of the node's value. -1: out of memory. */
int roxi_templates_apply(const struct roxi_templates *t, const char *name, const char *group,
                         struct ix_out *out, struct ix_span *node);
/* The run that made the name's template as wide as it is, the latest one if runs were added in the
 * order of a campaign; UINT32_MAX: nothing in the name was seen to vary. */
uint32_t roxi_templates_since(const struct roxi_templates *t, const char *name);

/* True if there were too many shapes. */
bool roxi_templates_full(const struct roxi_templates *t);
/* Table look-ups so far: tests bound them. */
uint64_t roxi_templates_steps(const struct roxi_templates *t);

#endif
