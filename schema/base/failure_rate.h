/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs fail, in words. */
#ifndef IX_FAILURE_RATE_H
#define IX_FAILURE_RATE_H

#include <stddef.h>
#include <stdio.h>

/* How often runs fail, with the 95 % interval of Clopper and Pearson, and how many runs show a
 * failure; a paragraph. `failed` of `judged` runs; the others have no verdict. */
void ix_say_failure_rate(FILE *out, size_t failed, size_t judged);

#endif
