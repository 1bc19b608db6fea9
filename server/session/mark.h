/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: texts in the catalogue about moments of runs. */
#ifndef IXOR_MARK_H
#define IXOR_MARK_H

#include "server/session/context.h"

/* Records a text with the number of the last packet, which it returns. e NULL: of no run. */
int64_t ixor_mark(struct ixor_context *c, const struct ixor_execution *e, const char *text);

#endif
