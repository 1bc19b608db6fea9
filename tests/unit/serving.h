/* A server on real sockets in the test's own thread, and two agents made of sockets. Include after
 * cmocka.h; before that WAIT_S can be set, the seconds after which WAIT gives up. */
#ifndef IX_TESTS_SERVING_H
#define IX_TESTS_SERVING_H

#include "server/loop.h"
#include "server/service.h"
#include "tests/unit/agent_double.h"
#include "tests/unit/tempdir.h"

#ifndef WAIT_S
#define WAIT_S 5
#endif

static struct event_base *base;
static struct ix_catalogue *catalogue;
static struct ixor_ledger *ledger;
static struct ixor_service *service;
static struct ixor_execution *current;
static struct double_agent a, b; /* tcp -1: not there */

/* The campaign in `dir`, on any free port; listen and key of `options` are filled in. */
static void serve_with(const char *dir, struct ixor_service_options options,
                       const struct ixor_service_events *events, const char *execution,
                       const char *command)
{
    struct ix_error err = {""};
    options.key = double_campaign;
    assert_int_equal(ixor_parse_address("127.0.0.1:0", &options.listen, &err), 0);
    base = ixor_loop_new();
    catalogue = ix_catalogue_open(dir, IX_CATALOGUE_CREATE, &err);
    assert_non_null(catalogue);
    ledger = ixor_ledger_new(base, catalogue, NULL, NULL, &err);
    assert_non_null(ledger);
    service = ixor_service_new(base, ledger, &options, events, &err);
    if (!service)
        fail_msg("%s", err.text);
    current = ixor_service_open(service, execution, command, 1, &err);
    assert_non_null(current);
}

static void stop_serving(void)
{
    ixor_service_free(service);
    assert_int_equal(ixor_ledger_flush(ledger, NULL), 0);
    ixor_ledger_free(ledger);
    ix_catalogue_close(catalogue);
    event_base_free(base);
}

static int nobody_there(void **state)
{
    a.tcp = a.udp = b.tcp = b.udp = -1;
    return tempdir_make(state);
}

static int all_leave(void **state)
{
    if (a.tcp >= 0)
        double_close(&a);
    if (b.tcp >= 0)
        double_close(&b);
    return tempdir_remove(state);
}

static void step(void)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    if (a.tcp >= 0)
        double_receive(&a);
    if (b.tcp >= 0)
        double_receive(&b);
}

/* Lets server and agents work until `condition`; a test that waits for what never comes fails. */
#define WAIT(condition)                                                                            \
    do {                                                                                           \
        uint64_t deadline = ixor_mono_ns() + WAIT_S * UINT64_C(1000000000);                        \
        while (!(condition)) {                                                                     \
            step();                                                                                \
            if (ixor_mono_ns() > deadline)                                                         \
                fail_msg("%s:%d: %s does not come", __FILE__, __LINE__, #condition);               \
        }                                                                                          \
    } while (0)

#endif
