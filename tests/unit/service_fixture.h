/* A server on real sockets in the test's own thread, and two agents made of sockets. Include after
 * cmocka.h. */
#ifndef IX_TESTS_SERVICE_FIXTURE_H
#define IX_TESTS_SERVICE_FIXTURE_H

#include "server/listing.h"
#include "server/loop.h"
#include "server/service.h"
#include "server/ticker.h"
#include "tests/unit/agent_double.h"
#include "tests/unit/tempdir.h"

#define EVERY_NS 5000000
#define LEAD_NS 2000000

static struct event_base *base;
static struct ix_catalogue *catalogue;
static struct ixor_ledger *ledger;
static struct ixor_service *service;
static struct ixor_execution *current;
static unsigned warnings;
static struct double_agent a, b;

static void on_warned(void *user, const char *text)
{
    (void)user;
    (void)text;
    warnings++;
}

static void serve(struct ixor_service_options options, const char *execution)
{
    struct ix_error err = {""};
    struct ixor_service_events events = {.warned = on_warned};
    options.rhythm.every_ns = EVERY_NS;
    options.lead_ns = LEAD_NS;
    options.key = double_campaign;
    warnings = 0;
    assert_int_equal(ixor_parse_address("127.0.0.1:0", &options.listen, &err), 0);
    base = ixor_loop_new();
    catalogue = ix_catalogue_open(tempdir, IX_CATALOGUE_CREATE, &err);
    assert_non_null(catalogue);
    ledger = ixor_ledger_new(base, catalogue, NULL, NULL, &err);
    service = ixor_service_new(base, ledger, &options, &events, &err);
    if (!service)
        fail_msg("%s", err.text);
    current = ixor_service_open(service, execution, "command", 1, &err);
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

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    a.tcp = a.udp = b.tcp = b.udp = -1;
    serve((struct ixor_service_options){0}, "run0001");
    return 0;
}

static int tear_down(void **state)
{
    stop_serving();
    double_close(&a);
    double_close(&b);
    return tempdir_remove(state);
}

/* Lets server and agents work until `condition`; a test that waits for what never comes fails. */
#define WAIT(condition)                                                                            \
    do {                                                                                           \
        uint64_t deadline = ixor_mono_ns() + 5000000000;                                           \
        while (!(condition)) {                                                                     \
            step();                                                                                \
            if (ixor_mono_ns() > deadline)                                                         \
                fail_msg("%s:%d: %s does not come", __FILE__, __LINE__, #condition);               \
        }                                                                                          \
    } while (0)

static void step(void)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    if (a.tcp >= 0)
        double_receive(&a);
    if (b.tcp >= 0)
        double_receive(&b);
}

static void join(struct double_agent *agent, uint32_t pid)
{
    double_open(agent, ixor_service_address(service), pid);
    double_hello(agent);
    WAIT(agent->welcomed);
}

/* The VMs in the catalogue; the list is freed at the next call. */
static struct ixor_vm_list *vms(void)
{
    static struct ixor_vm_list list;
    ixor_vm_list_free(&list);
    assert_int_equal(ixor_ledger_flush(ledger, NULL), 0);
    assert_int_equal(ixor_list_vms(&list, catalogue, 0, NULL), 0);
    return &list;
}

__attribute__((unused)) static size_t live(void)
{
    return current->sessions;
}

static int count_snapshot(void *user, const struct ix_snapshot_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return 0;
}

__attribute__((unused)) static size_t snapshots(void)
{
    size_t count = 0;
    assert_int_equal(ixor_ledger_flush(ledger, NULL), 0);
    assert_int_equal(ix_catalogue_snapshots(catalogue, 0, count_snapshot, &count, NULL), 0);
    return count;
}

#endif
