/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of code that is executed, or no longer, as text. */
#ifndef ROXI_EXPLAIN_CODE_WORDS_H
#define ROXI_EXPLAIN_CODE_WORDS_H

#include <stdio.h>

#include "roxi/explain/finding.h"

/* "executed code in Pool.take, lines 17, 19 and 20, and 5 more blocks of its class, that normal
 * runs do not". `alone`: compared with one run. */
void roxi_code_say_covered(FILE *out, const struct roxi_symbols *names,
                           const struct roxi_finding *f, bool alone, bool simple);
/* "none of 40 normal runs did" */
void roxi_code_say_like(FILE *out, const struct roxi_finding *f, size_t normal, bool alone);
/* "did not reach a part of Pool.take for 94 packets in which it executed other parts" */
void roxi_code_say_missed(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                          bool simple);
/* "stopped executing a part of Pool.give, before anything else: 94 packets without it" */
void roxi_code_say_ceased(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                          bool simple);

#endif
