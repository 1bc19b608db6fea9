/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-made runs of two roles, x and y, whose threads stay in call stacks: what findings are made
 * of. For tests that include it; each has runs of its own. */
#ifndef IX_TEST_FINDINGS_FIXTURE_H
#define IX_TEST_FINDINGS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/distance/stack_string.h"
#include "roxi/explain/words.h"
#include "roxi/rank/ranking.h"
#include "schema/base/text_memory.h"

enum { NORMAL = 9, PACKETS = 100 };
#define WORK "a.A.run()V:1;a.B.work()V:2"
#define PLACE "a.B.work()V:7"
#define IDLE "java.util.TimerThread.run()V:1;java.lang.Object.wait(J)V:-3"

static struct roxi_profiles *p;
static struct ix_error err;

static inline int set_up(void **state)
{
    (void)state;
    p = roxi_profiles_new();
    return p ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    roxi_profiles_free(p);
    return 0;
}

static inline uint32_t string(const char *text)
{
    return roxi_symbols_string(p->symbols, text, strlen(text));
}

static inline uint32_t stack(const char *text)
{
    uint32_t number;
    assert_int_equal(roxi_stack_parse(p->symbols, text, &number, NULL), 0);
    return number;
}

static inline uint32_t group(const char *role, const char *template)
{
    return roxi_profiles_group(p, string(role), string(template));
}

/* Threads of a role and a template that stay in a call stack, one more at each of these packets. */
struct did {
    const char *role, *template, *stack;
    uint64_t begins[12]; /* up to a 0 */
};

static inline struct roxi_profile *add_run(const char *name, const struct did *did, size_t count)
{
    struct roxi_tally t = {0};
    struct roxi_history h = {0};
    struct roxi_use use = {0};
    for (size_t i = 0; i < count; i++) {
        struct roxi_span span = {.group = group(did[i].role, did[i].template),
                                 .stack = stack(did[i].stack),
                                 .last = PACKETS};
        for (; did[i].begins[span.thread]; span.thread++) {
            span.first = did[i].begins[span.thread];
            span.packets = PACKETS + 1 - span.first;
            assert_int_equal(roxi_history_add_span(&h, span), 0);
            assert_int_not_equal(
                roxi_tally_add(&t, roxi_pair(span.group, span.stack), span.packets), ROXI_NONE);
        }
        const struct roxi_most most = {.group = span.group, .threads = span.thread};
        assert_int_equal(roxi_use_add_most(&use, most), 0);
    }
    for (uint64_t packet = 1; packet <= PACKETS; packet++)
        assert_int_equal(
            roxi_history_add_moment(&h, (struct roxi_moment){packet, (int64_t)packet * 50}), 0);
    roxi_history_order(&h);
    roxi_use_order(&use);
    assert_int_equal(roxi_profiles_add(p, name, &t, NULL), 0);
    roxi_tally_free(&t);
    struct roxi_profile *run = &p->executions[p->count - 1];
    run->history = h;
    run->use = use;
    run->roles = calloc(2, sizeof *run->roles);
    assert_non_null(run->roles);
    run->roles[0] = (struct roxi_participation){.role = string("x"), .answered = PACKETS};
    run->roles[1] = (struct roxi_participation){.role = string("y"), .answered = PACKETS};
    run->role_count = 2;
    return run;
}

static const struct did usual[] = {
    {"x", "worker-*", WORK, {1, 1}}, {"x", "Timer-*", IDLE, {1}}, {"y", "worker-*", WORK, {1, 1}}};

static inline void add_normal(void)
{
    for (size_t i = 0; i < NORMAL; i++)
        add_run("normal", usual, 3);
}

static inline void make(struct roxi_profile *run, const char *role, const char *class_name,
                        const char *place, uint64_t packet, uint32_t serial)
{
    const struct roxi_first first = {.role = string(role),
                                     .class_name = string(class_name),
                                     .stack = stack(place),
                                     .group = group(role, "worker-*"),
                                     .packet = packet,
                                     .serial = serial};
    assert_int_equal(roxi_use_add_first(&run->use, &first), 0);
    roxi_use_order(&run->use);
}

/* First exceptions of the runs so far are known; there are none yet. */
static inline void tell_firsts(void)
{
    for (size_t i = 0; i < NORMAL; i++)
        p->executions[i].use.tells_firsts = true;
}

/* Threads "n1/worker" and "n2/worker" are of the nodes n1 and n2. */
static inline void name_nodes(void)
{
    const struct roxi_node nodes[] = {
        {.thread = string("n1/worker"), .node = string("n1"), .template = string("worker")},
        {.thread = string("n2/worker"), .node = string("n2"), .template = string("worker")}};
    assert_int_equal(roxi_profiles_nodes(p, nodes, 2), 0);
}

static const struct did read_by[] = {
    {"x", "worker-*", WORK, {1, 1}}, {"x", "reader", WORK, {1}}, {"y", "worker-*", WORK, {1, 1}}};

/* A run whose reader of x is over after this packet. */
static inline struct roxi_profile *add_reading(const char *name, uint64_t last)
{
    struct roxi_profile *run = add_run(name, read_by, 3);
    const uint32_t reader = group("x", "reader");
    for (size_t i = 0; i < run->history.count; i++)
        if (run->history.spans[i].group == reader)
            run->history.spans[i].last = run->history.spans[i].packets = last;
    for (size_t i = 0; i < run->use.most_count; i++)
        if (run->use.most[i].group == reader)
            run->use.most[i].gone = (uint32_t)(PACKETS - last);
    return run;
}

static inline struct roxi_ranking rank(void)
{
    struct roxi_ranking r;
    const struct roxi_ranking_options o = {0};
    if (roxi_ranking_make(&r, p, &o, NULL, &err) != 0)
        fail_msg("%s", err.text);
    return r;
}

/* Of the last run, whose only unusual thing it is. */
static inline struct roxi_findings explain(struct roxi_ranking *r)
{
    struct roxi_findings f;
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    *r = rank();
    assert_int_equal(roxi_findings_make(&f, r, NORMAL, normal, NULL, &err), 0);
    return f;
}

/* Of the last run, of which nothing is unusual. */
static inline void assert_nothing(void)
{
    struct roxi_ranking r;
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 0);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static inline void assert_says(const struct roxi_finding *f, bool simple, const char *want)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, p->symbols, f, 9, simple);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

#endif
