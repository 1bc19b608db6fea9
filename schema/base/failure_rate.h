/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs fail, in words. */
#ifndef IX_FAILURE_RATE_H
#define IX_FAILURE_RATE_H

#include <stddef.h>
#include <stdio.h>

/* How often runs fail, with the 95 % interval of Clopper and Pearson, and how many runs show a
 * failure; a paragraph. `failed` of `judged` runs; the others have no verdict. */
void ix_say_failure_rate(FILE *out, size_t failed, size_t judged);

/* Its parts, for at least one judged run: the rate, "1.0 % (1 of 100; ...)"; how many runs show a
 * failure, as sentences with a blank before each, or nothing if all failed. */
void ix_say_failure_interval(FILE *out, size_t failed, size_t judged);
void ix_say_more_runs(FILE *out, size_t failed, size_t judged);

#endif
