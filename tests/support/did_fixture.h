/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-made runs, by what each of their threads did. For tests that include it. */
#ifndef IX_TEST_DID_FIXTURE_H
#define IX_TEST_DID_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/profiles_fixture.h"

static struct ix_error err;

/* What a thread of a run did: the executing frame is the last one. */
struct did {
    const char *role, *stack;
    uint64_t first, last;
};

static inline void add_did(const char *name, const struct did *did, size_t count)
{
    struct roxi_tally t = {0};
    struct roxi_history h = {0};
    for (size_t i = 0; i < count; i++) {
        const uint64_t packets = did[i].last - did[i].first + 1;
        const struct roxi_span span = {
            .group = roxi_profiles_group(profiles, name_number(did[i].role), name_number("t")),
            .stack = stack_number(did[i].stack),
            .first = did[i].first,
            .last = did[i].last,
            .packets = packets};
        assert_int_equal(roxi_history_add_span(&h, span), 0);
        assert_int_not_equal(roxi_tally_add(&t, roxi_pair(span.group, span.stack), packets),
                             ROXI_NONE);
    }
    for (uint64_t packet = 100; packet >= 1; packet--)
        assert_int_equal(
            roxi_history_add_moment(&h, (struct roxi_moment){packet, (int64_t)packet * 50}), 0);
    roxi_history_order(&h);
    assert_int_equal(roxi_profiles_add(profiles, name, &t, NULL), 0);
    profiles->executions[profiles->count - 1].history = h;
    roxi_tally_free(&t);
}

#define RUN "a.A.run()V:1"
#define WORK RUN ";a.B.work()V:2"
#define LOCK RUN ";a.C.lock()V:3;java.lang.Object.wait(J)V:-3"
#define SPIN RUN ";a.D.spin()V:4"
#define LOOP RUN ";a.E.loop()V:5;a.D.spin()V:4"

static inline void add_normal(size_t runs)
{
    const struct did did[] = {{"x", WORK, 1, 100}, {"y", WORK, 1, 100}};
    for (size_t i = 0; i < runs; i++)
        add_did("normal", did, 2);
}

#endif
