/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/engine_support.h"

const char *const names[SEQUENCES] = {
    "levenshtein",  "favor-end",    "favor-end-squared", "favor-begin", "favor-begin-squared",
    "call-stack-1", "call-stack-2", "call-stack-3",      "gap",
};

uint64_t random_state;

void begin_random(const char *test, uint64_t number)
{
    const char *seed = getenv("SEED");
    const uint64_t given = seed ? strtoull(seed, NULL, 10) : 0;
    random_state = number + (given << 32);
    printf("# %s, SEED=%llu\n", test, (unsigned long long)given);
}

uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

uint32_t string(struct roxi_symbols *s, char kind, unsigned number)
{
    char text[16];
    int len = snprintf(text, sizeof text, "%c%u", kind, number);
    return roxi_symbols_string(s, text, (size_t)len);
}

uint32_t make_frame(struct roxi_symbols *s, unsigned number)
{
    struct roxi_frame f = {.class_name = string(s, 'c', number / 12),
                           .method = string(s, 'm', number / 4 % 3),
                           .descriptor = string(s, 'd', number / 2 % 2),
                           .line = (int32_t)(number % 2 + 1)};
    return roxi_symbols_frame(s, f);
}

uint32_t make_stack(struct roxi_symbols *s, size_t depth, unsigned variety, uint32_t like)
{
    uint32_t *other = calloc(roxi_symbols_stack_at(s, like).depth + 1, sizeof *other);
    size_t n = roxi_symbols_stack_at(s, like).depth, limit = n < depth ? n : depth;
    size_t head = draw(3) ? draw(limit + 1) : 0, tail = draw(3) ? draw(limit + 1) : 0;
    roxi_symbols_unfold(s, like, other);
    uint32_t stack = 0;
    for (size_t i = 0; i < depth; i++) {
        uint32_t frame = i < head            ? other[i]
                         : i + tail >= depth ? other[i + n - depth]
                                             : make_frame(s, (unsigned)draw(variety));
        stack = roxi_symbols_stack(s, stack, frame);
    }
    free(other);
    return stack;
}
