/* For the tests of the fast engine: random numbers, frames that resemble each other, call stacks
 * that share beginnings and ends. */
#ifndef TESTS_ENGINE_SUPPORT_H
#define TESTS_ENGINE_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/symbols.h"

#if defined __SANITIZE_ADDRESS__
#define INSTRUMENTED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0
#endif

enum { SEQUENCES = 9 };

static const char *const names[SEQUENCES] = {
    "levenshtein",  "favor-end",    "favor-end-squared", "favor-begin", "favor-begin-squared",
    "call-stack-1", "call-stack-2", "call-stack-3",      "gap",
};

static uint64_t random_state;

/* Begins a test's own sequence of random numbers. SEED=N in the environment gives another one for
 * each N; without it they are the same every time. */
static inline void begin_random(const char *test, uint64_t number)
{
    const char *seed = getenv("SEED");
    const uint64_t given = seed ? strtoull(seed, NULL, 10) : 0;
    random_state = number + (given << 32);
    printf("# %s, SEED=%llu\n", test, (unsigned long long)given);
}

static inline uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static inline uint32_t string(struct roxi_symbols *s, char kind, unsigned number)
{
    char text[16];
    int len = snprintf(text, sizeof text, "%c%u", kind, number);
    return roxi_symbols_string(s, text, (size_t)len);
}

/* One of `variety` frames; near ones differ in the line alone, others in more. */
static inline uint32_t make_frame(struct roxi_symbols *s, unsigned number)
{
    struct roxi_frame f = {.class_name = string(s, 'c', number / 12),
                           .method = string(s, 'm', number / 4 % 3),
                           .descriptor = string(s, 'd', number / 2 % 2),
                           .line = (int32_t)(number % 2 + 1)};
    return roxi_symbols_frame(s, f);
}

/* A stack of that depth whose frames are new, but for what it shares with `like`: up to all of its
 * beginning, or of its end, or of both. */
static inline uint32_t make_stack(struct roxi_symbols *s, size_t depth, unsigned variety,
                                  uint32_t like)
{
    uint32_t *other = calloc(roxi_symbols_stack_at(s, like).depth + 1, sizeof *other);
    size_t n = roxi_symbols_stack_at(s, like).depth, limit = n < depth ? n : depth;
    size_t head = draw(3) ? draw(limit + 1) : 0, tail = draw(3) ? draw(limit + 1) : 0;
    roxi_symbols_unfold(s, like, other);
    uint32_t stack = 0;
    for (size_t i = 0; i < depth; i++) {
        uint32_t frame = i < head              ? other[i]
                         : i + tail >= depth   ? other[i + n - depth]
                                               : make_frame(s, (unsigned)draw(variety));
        stack = roxi_symbols_stack(s, stack, frame);
    }
    free(other);
    return stack;
}

#endif
