/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a synthetic campaign:
 *
 *   bench/campaign DIR EXECUTIONS ROLES THREADS STACKS DEPTH PACKETS SEED [STAY]
 *
 * From packet to packet one thread in STAY (default 3), chosen at random, gets another call stack.
 *
 * Each (role, thread) has a pool of STACKS / (ROLES * THREADS) call stacks. Like real ones they
 * share prefixes: a stack branches off an older one of its pool at a random depth and continues
 * with its own frames. A run draws from a window of the pool, so runs differ gradually. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/catalogue/catalogue.h"
#include "schema/tracelog/writer.h"

#define FRAMES 1500 /* distinct frames of a campaign */

struct shape {
    const char *dir;
    unsigned executions, roles, threads, stacks, depth, packets;
    uint64_t seed, stay;
};

struct stack {
    uint16_t *frames; /* entry frame first */
    unsigned depth;
};

static uint64_t state;

/* splitmix64, by Vigna */
static uint64_t draw(uint64_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static void *must(void *p)
{
    if (!p) {
        fputs("bench/campaign: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static struct stack *make_pool(const struct shape *s, unsigned count)
{
    struct stack *pool = must(calloc(count, sizeof *pool));
    for (unsigned i = 0; i < count; i++) {
        unsigned depth = s->depth / 2 + (unsigned)draw(s->depth + 1);
        const struct stack *from = i ? &pool[draw(i)] : NULL;
        unsigned limit = from ? (from->depth < depth ? from->depth : depth) : 0;
        unsigned shared = limit ? limit / 2 + (unsigned)draw(limit - limit / 2) : 0;
        pool[i].depth = depth;
        pool[i].frames = must(calloc(depth ? depth : 1, sizeof *pool[i].frames));
        if (shared)
            memcpy(pool[i].frames, from->frames, shared * sizeof *pool[i].frames);
        for (unsigned k = shared; k < depth; k++)
            pool[i].frames[k] = (uint16_t)draw(FRAMES);
    }
    return pool;
}

static uint32_t frame_number(struct ix_log_writer *w, unsigned frame)
{
    char class[64], method[32];
    snprintf(class, sizeof class, "org.example.part%u.Class%u", frame % 9, frame / 6);
    snprintf(method, sizeof method, "method%u", frame % 13);
    uint32_t c = ix_log_class(w, class, "Class.java");
    return ix_log_frame(w, ix_log_method(w, c, method, "(I)V"), (int32_t)(frame % 400 + 1));
}

static uint32_t stack_number(struct ix_log_writer *w, const struct stack *stack)
{
    uint32_t number = IX_STACK_EMPTY;
    for (unsigned i = 0; i < stack->depth; i++)
        number = ix_log_stack(w, number, frame_number(w, stack->frames[i]));
    return number;
}

/* The stack's number in this log, looked up once. */
static uint32_t known_stack(struct ix_log_writer *w, const struct stack *stack, uint32_t *known)
{
    if (!*known)
        *known = stack_number(w, stack);
    return *known;
}

static int write_log(const struct shape *s, const char *path, struct stack **pools, unsigned count,
                     unsigned execution, struct ix_error *err)
{
    struct ix_log_writer *w = ix_log_create(path, err);
    if (!w)
        return -1;
    struct ix_entry *entries = must(calloc(s->threads, sizeof *entries));
    uint32_t *known = must(calloc((size_t)s->threads * count, sizeof *known));
    for (unsigned t = 0; t < s->threads; t++) {
        char name[32];
        snprintf(name, sizeof name, "thread%u", t);
        struct ix_thread thread = {.number = t + 1,
                                   .start = t + 1,
                                   .id = t + 1,
                                   .name = name,
                                   .group = "main",
                                   .parent = "system",
                                   .priority = 5};
        ix_log_thread(w, &thread);
    }
    unsigned window = count < 8 ? count : count / 4;
    for (unsigned p = 1; p <= s->packets; p++) {
        for (unsigned t = 0; t < s->threads; t++) {
            unsigned pick = (execution % 4 * (count - window) / 4 + (unsigned)draw(window)) % count;
            /* Threads mostly keep their stack, as real ones do. */
            if (p == 1 || draw(s->stay) == 0)
                entries[t] = (struct ix_entry){
                    t + 1, 5, known_stack(w, &pools[t][pick], &known[(size_t)t * count + pick])};
        }
        struct ix_snapshot snapshot = {
            .packet = p, .mono_ns = p * 100000000LL, .entries = entries, .count = s->threads};
        ix_log_snapshot(w, &snapshot);
    }
    free(entries);
    free(known);
    if (ix_log_writer_close(w) != 0)
        return ix_fail(err, "cannot write '%s'", path);
    return 0;
}

static int write_execution(const struct shape *s, struct ix_catalogue *c, struct stack ***pools,
                           unsigned count, unsigned execution, struct ix_error *err)
{
    char name[32];
    int64_t id, vm;
    snprintf(name, sizeof name, "run%05u", execution);
    if (ix_catalogue_add_execution(c, name, NULL, 0, &id, err) != 0)
        return -1;
    for (unsigned r = 0; r < s->roles; r++) {
        char path[4096], role[32];
        snprintf(role, sizeof role, "role%u", r);
        snprintf(path, sizeof path, "%s/runs/%s/%s" IX_LOG_SUFFIX, s->dir, name, role);
        if (write_log(s, path, pools[r], count, execution, err) != 0)
            return -1;
        struct ix_vm row = {.execution = id,
                            .role = role,
                            .host = "bench",
                            .jvm = "synthetic",
                            .pid = r + 1,
                            .log = path,
                            .ended = "imported"};
        if (ix_catalogue_add_vm(c, &row, &vm, err) != 0)
            return -1;
    }
    return 0;
}

static int write_campaign(const struct shape *s, struct ix_error *err)
{
    unsigned count = s->stacks / (s->roles * s->threads);
    struct ix_catalogue *c = ix_catalogue_open(s->dir, IX_CATALOGUE_CREATE, err);
    if (!c)
        return -1;
    struct stack ***pools = must(calloc(s->roles, sizeof *pools));
    for (unsigned r = 0; r < s->roles; r++) {
        pools[r] = must(calloc(s->threads, sizeof **pools));
        for (unsigned t = 0; t < s->threads; t++)
            pools[r][t] = make_pool(s, count ? count : 1);
    }
    int result = ix_catalogue_begin(c, err);
    for (unsigned e = 0; result == 0 && e < s->executions; e++)
        result = write_execution(s, c, pools, count ? count : 1, e, err);
    if (result == 0)
        result = ix_catalogue_commit(c, err);
    ix_catalogue_close(c);
    return result; /* the pools are freed when the program ends */
}

int main(int argc, char **argv)
{
    if (argc != 9 && argc != 10) {
        fputs("usage: campaign DIR EXECUTIONS ROLES THREADS STACKS DEPTH PACKETS SEED [STAY]\n",
              stderr);
        return 2;
    }
    unsigned v[6];
    for (int i = 0; i < 6; i++) {
        char *end;
        unsigned long n = strtoul(argv[i + 2], &end, 10);
        if (*end || n < 1 || n > 1000000) {
            fprintf(stderr, "bench/campaign: '%s': expected a number from 1 to 1000000\n",
                    argv[i + 2]);
            return 2;
        }
        v[i] = (unsigned)n;
    }
    struct shape s = {argv[1],
                      v[0],
                      v[1],
                      v[2],
                      v[3],
                      v[4],
                      v[5],
                      strtoull(argv[8], NULL, 10),
                      argc == 10 ? strtoull(argv[9], NULL, 10) : 3};
    if (!s.stay) {
        fputs("bench/campaign: STAY is 1 or more\n", stderr);
        return 2;
    }
    state = s.seed;
    struct ix_error err;
    if (write_campaign(&s, &err) != 0) {
        fprintf(stderr, "bench/campaign: %s\n", err.text);
        return 1;
    }
    return 0;
}
