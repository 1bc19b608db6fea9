/* SPDX-License-Identifier: Apache-2.0 */
/* What a score is made of, in words. */
#ifndef ROXI_WORDS_H
#define ROXI_WORDS_H

#include <stdio.h>

#include "roxi/rank/score.h"

enum { ROXI_REASONS = 3 };

/* The columns that add most to an execution's score, the greatest first: so many, each of which
 * adds a tenth of it at least. Returns how many there are; none for a score that is not above 0. */
size_t roxi_rank_reasons(const struct roxi_ranking *r, size_t execution,
                         size_t column[ROXI_REASONS]);

/* The same as text without line ends or tabs, such as "Client A, thread Worker: 3.1 from call
 * stacks; Client B: 2.0, vanished". -1: memory ran out. O(items of all executions). */
int roxi_rank_explain(FILE *out, const struct roxi_ranking *r, size_t execution);
/* As a list of objects of JSON: role, as (if it was compared under another name), thread (null: of
 * the role as a whole), feature, part. */
void roxi_rank_explain_json(FILE *out, const struct roxi_ranking *r, size_t execution);

#endif
