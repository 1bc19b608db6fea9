/* SPDX-License-Identifier: Apache-2.0 */
/* How many cases a test tries: all in a plain build; a quarter with a sanitizer, which makes the
 * code 10 to 50 times slower and looks for errors that few cases show. ALL_ROUNDS in the
 * environment: all with a sanitizer, too (make stress). */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <stddef.h>
#include <stdlib.h>

/* 1 with a sanitizer and in VARIANT=coverage, else 0: for sizes that must be constant. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define INSTRUMENTED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0
#endif

/* At least 1. */
static inline size_t rounds(size_t all)
{
    const size_t some = INSTRUMENTED && !getenv("ALL_ROUNDS") ? all / 4 : all;
    return some ? some : 1;
}

#endif
