/* A server with a campaign, and what tests ask about it. Include after cmocka.h. */
#ifndef IX_TESTS_SERVICE_FIXTURE_H
#define IX_TESTS_SERVICE_FIXTURE_H

#include "server/listing.h"
#include "server/ticker.h"
#include "tests/unit/serving.h"

#define EVERY_NS 5000000
#define LEAD_NS 2000000

static unsigned warnings;

static void on_warned(void *user, const char *text)
{
    (void)user;
    (void)text;
    warnings++;
}

static void serve(struct ixor_service_options options, const char *execution)
{
    const struct ixor_service_events events = {.warned = on_warned};
    options.rhythm.every_ns = EVERY_NS;
    options.lead_ns = LEAD_NS;
    warnings = 0;
    serve_with(tempdir, options, &events, execution, "command");
}

static int set_up(void **state)
{
    if (nobody_there(state) != 0)
        return -1;
    serve((struct ixor_service_options){0}, "run0001");
    return 0;
}

static int tear_down(void **state)
{
    stop_serving();
    return all_leave(state);
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
