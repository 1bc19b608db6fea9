/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of the viewer: what is understood, and that nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "server/viewer/http_route.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static void tokens(void **state)
{
    (void)state;
    static const struct {
        const char *path, *rest; /* NULL: not let in */
    } cases[] = {
        {"/" TOKEN, ""},
        {"/" TOKEN "/", "/"},
        {"/" TOKEN "/api/state", "/api/state"},
        {"", NULL},
        {"/", NULL},
        {"//", NULL},
        {TOKEN, NULL},
        {"/" TOKEN "0", NULL},
        {"/" TOKEN "0/", NULL},
        {"/0123456789abcdef0123456789abcde", NULL},
        {"/0123456789abcdef0123456789abcdeF/", NULL},
        {"/1123456789abcdef0123456789abcdef/", NULL},
        {"//" TOKEN "/", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rest = NULL;
        const bool in = ixor_route_token(cases[i].path, TOKEN, &rest);
        if (in != (cases[i].rest != NULL))
            fail_msg("%s is %slet in", cases[i].path, in ? "" : "not ");
        if (in)
            assert_string_equal(rest, cases[i].rest);
    }
}

static void routes(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *query;
        struct ixor_route route;
    } cases[] = {
        {"/", NULL, {.kind = IXOR_ROUTE_PAGE}},
        {"/", "", {.kind = IXOR_ROUTE_PAGE}},
        {"/api/state", NULL, {.kind = IXOR_ROUTE_STATE}},
        {"/api/state", "execution=12", {.kind = IXOR_ROUTE_STATE, .execution = 12}},
        {"/api/waits", NULL, {.kind = IXOR_ROUTE_WAITS}},
        {"/api/waits", "execution=12", {.kind = IXOR_ROUTE_WAITS, .execution = 12}},
        {"/api/execution/3/packet/40",
         NULL,
         {.kind = IXOR_ROUTE_MOMENT, .execution = 3, .packet = 40}},
        {"/api/vm/7/packets", NULL, {.kind = IXOR_ROUTE_PACKETS, .vm = 7}},
        {"/api/vm/7/packet/last", NULL, {.kind = IXOR_ROUTE_THREADS, .vm = 7}},
        {"/api/vm/7/packet/9223372036854775807",
         NULL,
         {.kind = IXOR_ROUTE_THREADS, .vm = 7, .packet = INT64_MAX}},
        {"/api/vm/7/packet/8/thread/4294967295",
         NULL,
         {.kind = IXOR_ROUTE_STACK, .vm = 7, .packet = 8, .thread = UINT32_MAX}},
        {"/api/snapshot", NULL, {.kind = IXOR_ROUTE_SNAPSHOT}},
        {"/api/pause", NULL, {.kind = IXOR_ROUTE_PAUSE}},
        {"/api/resume", NULL, {.kind = IXOR_ROUTE_RESUME}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ixor_route r;
        const struct ixor_route *want = &cases[i].route;
        if (!ixor_route_parse(cases[i].rest, cases[i].query, &r))
            fail_msg("%s is not understood", cases[i].rest);
        assert_int_equal(r.kind, want->kind);
        assert_true(r.execution == want->execution && r.vm == want->vm &&
                    r.packet == want->packet && r.thread == want->thread);
        assert_int_equal(ixor_route_is_action(&r), want->kind >= IXOR_ROUTE_SNAPSHOT);
    }
}

static void nonsense(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", NULL},
        {"//", NULL},
        {"/api", NULL},
        {"/api/", NULL},
        {"/api/state/", NULL},
        {"/api/state", "execution="},
        {"/api/state", "execution=0"},
        {"/api/state", "execution=01"},
        {"/api/state", "execution=1x"},
        {"/api/state", "execution=-1"},
        {"/api/state", "execution=9223372036854775808"},
        {"/api/state", "vm=1"},
        {"/", "x"},
        {"/api/vm/", NULL},
        {"/api/vm/1", NULL},
        {"/api/vm/0/packets", NULL},
        {"/api/vm/1/packets/", NULL},
        {"/api/vm/1/packets", "x"},
        {"/api/vm/1/packet/", NULL},
        {"/api/vm/1/packet/lastly", NULL},
        {"/api/vm/1/packet/1/", NULL},
        {"/api/vm/1/packet/1/thread/", NULL},
        {"/api/vm/1/packet/1/thread/4294967296", NULL},
        {"/api/vm/1/packet/1/thread/1/", NULL},
        {"/api/vm/1/packet/99999999999999999999999", NULL},
        {"/api/vm/%31/packets", NULL},
        {"/api/vm/1/../../etc/passwd", NULL},
        {"/api/execution/1/packet/last", NULL},
        {"/api/execution/1", NULL},
        {"/api/pause", "now"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ixor_route r;
        if (ixor_route_parse(cases[i][0], cases[i][1], &r))
            fail_msg("%s?%s is understood", cases[i][0], cases[i][1] ? cases[i][1] : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),
        cmocka_unit_test(routes),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
