/* Names that differ from run to run though they mean the same thing, made equal: classes that the
 * JVM or a library generates under a number, an address or a hash, and threads that carry a number
 * or a peer's address. The rules are a table in names.c.
 */
#ifndef ROXI_NAMES_H
#define ROXI_NAMES_H

#include "roxi/symbols.h"
#include "schema/error.h"

enum roxi_name_kind { ROXI_NAME_CLASS, ROXI_NAME_THREAD, ROXI_NAME_KINDS };

struct roxi_names;

/* The rules, made ready; results are interned in `symbols`, which must outlive it. NULL on failure.
 */
struct roxi_names *roxi_names_new(struct roxi_symbols *symbols, struct ix_error *err);
void roxi_names_free(struct roxi_names *n); /* n may be NULL */

/* The normalised name's string; ROXI_NONE if memory ran out. A name that was seen before costs one
 * look-up. A rule that would leave nothing is not applied. */
uint32_t roxi_names_normal(struct roxi_names *n, enum roxi_name_kind kind, const char *name);

#endif
