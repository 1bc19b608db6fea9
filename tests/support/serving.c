/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/serving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct event_base *base;
struct ix_catalogue *catalogue;
struct ixor_writer *writer;
struct ixor_service *service;
struct ixor_execution *current;
struct double_agent a, b;

void serve_with(const char *dir, struct ixor_service_options options,
                const struct ixor_service_events *events, const char *execution,
                const char *command)
{
    struct ix_error err = {""};
    options.key = double_campaign;
    assert_int_equal(ixor_parse_address("127.0.0.1:0", &options.listen, &err), 0);
    base = ixor_loop_new();
    catalogue = ix_catalogue_open(dir, IX_CATALOGUE_CREATE, &err);
    assert_non_null(catalogue);
    writer = ixor_writer_new(base, catalogue, NULL, NULL, &err);
    assert_non_null(writer);
    service = ixor_service_new(base, writer, &options, events, &err);
    if (!service)
        fail_msg("%s", err.text);
    current = ixor_executions_open(ixor_service_context(service), execution, command, 1, &err);
    assert_non_null(current);
}

void stop_serving(void)
{
    ixor_service_free(service);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    ixor_writer_free(writer);
    ix_catalogue_close(catalogue);
    event_base_free(base);
}

int nobody_there(void **state)
{
    a.tcp = a.udp = b.tcp = b.udp = -1;
    return tempdir_make(state);
}

int all_leave(void **state)
{
    if (a.tcp >= 0)
        double_close(&a);
    if (b.tcp >= 0)
        double_close(&b);
    return tempdir_remove(state);
}

void step(void)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    if (a.tcp >= 0)
        double_receive(&a);
    if (b.tcp >= 0)
        double_receive(&b);
}

int stop_and_leave(void **state)
{
    stop_serving();
    return all_leave(state);
}

void enter(struct double_agent *agent, uint32_t pid)
{
    double_open(agent, ixor_service_address(service), pid);
    double_hello(agent);
    WAIT(agent->welcomed);
}

struct ixor_vm_list *vms(void)
{
    static struct ixor_vm_list list;
    ixor_vm_list_free(&list);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ixor_list_vms(&list, catalogue, 0, NULL), 0);
    return &list;
}
