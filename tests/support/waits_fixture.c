/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/waits_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/waits/print.h"
#include "roxi/waits/run.h"
#include "tests/support/tempdir.h"

struct world world;

struct ix_log_writer *add_jvm(const char *role, const char *host)
{
    struct ix_error err = {""};
    static unsigned logs;
    char name[24];
    const size_t i = world.count++;
    snprintf(name, sizeof name, "%u.ixl", logs++);
    world.vms[i] = (struct roxi_listed_vm){.role = (char *)(uintptr_t)role,
                                           .host = (char *)(uintptr_t)host,
                                           .log = strdup(in_tempdir(name))};
    world.logs[i] = ix_log_create(world.vms[i].log, &err);
    assert_non_null(world.logs[i]);
    assert_int_equal(ix_log_meta(world.logs[i], "facts", "locks connections"), 0);
    return world.logs[i];
}

uint32_t thread_in(const char *name, const char *group, uint32_t state, const char *class,
                   const char *method)
{
    const size_t i = world.count - 1;
    struct ix_log_writer *w = world.logs[i];
    const uint32_t number = ++world.threads[i];
    const struct ix_thread t = {number, number, number, name, group, "", 5, 0};
    const uint32_t m = ix_log_method(w, ix_log_class(w, class, ""), method, "()V");
    assert_int_equal(ix_log_thread(w, &t), 0);
    world.entries[i][number - 1] =
        (struct ix_entry){number, state, ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, m, 1))};
    return number;
}

uint32_t thread(const char *name)
{
    return thread_in(name, "main", RUNS, "app.Main", "run");
}

void waits(struct ix_log_writer *w, uint32_t number, enum ix_wait_kind kind, const char *local,
           const char *remote)
{
    assert_int_equal(ix_log_wait(w, &(struct ix_wait){number, kind, local, remote}), 0);
}

void has(struct ix_log_writer *w, enum ix_connection_state state, uint32_t number,
         const char *local, const char *remote)
{
    assert_int_equal(ix_log_connection(w, &(struct ix_connection){number, state, local, remote}),
                     0);
}

void exchanged(struct ix_log_writer *w, const char *local, const char *remote, uint64_t sent,
               uint64_t received)
{
    const struct ix_traffic traffic = {
        .local = local, .remote = remote, .sent = sent, .received = received};
    assert_int_equal(ix_log_traffic(w, &traffic), 0);
}

void packet(void)
{
    world.packet++;
    for (size_t i = 0; i < world.count; i++) {
        const struct ix_snapshot s = {
            .packet = world.packet, .entries = world.entries[i], .count = world.threads[i]};
        assert_int_equal(ix_log_snapshot(world.logs[i], &s), 0);
    }
}

void packets_in_read(int packets, const char *local, const char *remote)
{
    for (int i = 1; i < packets; i++)
        packet();
    waits(world.logs[0], 1, IX_WAIT_READ, local, remote);
    packet();
}

struct ix_log_writer *client_of_server(const char *local, const char *remote)
{
    struct ix_log_writer *client = add_jvm("client", "a");
    waits(client, thread("asks"), IX_WAIT_READ, HERE, THERE);
    struct ix_log_writer *server = add_jvm("server", "b");
    has(server, IX_CONNECTION_LISTENS, 0, "0.0.0.0:80", "");
    has(server, IX_CONNECTION_OPEN, 0, local, remote);
    return server;
}

struct roxi_listed_execution world_run(void)
{
    for (size_t i = 0; i < world.count; i++)
        assert_int_equal(ix_log_writer_close(world.logs[i]), 0);
    return (struct roxi_listed_execution){.vms = world.vms, .vm_count = world.count};
}

void world_forget(void)
{
    for (size_t i = 0; i < world.count; i++)
        free(world.vms[i].log);
    memset(&world, 0, sizeof world);
}

char *world_last_packet(void (*print)(FILE *out, const struct waits_build *b))
{
    const struct roxi_listed_execution run = world_run();
    struct waits_jvms jvms;
    struct waits_build build = {0};
    struct ix_error err = {""};
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(waits_jvms_open(&jvms, &run, false, &err), 0);
    for (uint64_t i = 0; i < world.packet; i++) {
        assert_int_equal(waits_jvms_next(&jvms, &err), 1);
        assert_int_equal(waits_build(&build, &jvms), 0);
    }
    FILE *out = open_memstream(&text, &size);
    print(out, &build);
    fclose(out);
    assert_int_equal(waits_jvms_next(&jvms, &err), 0);
    waits_build_free(&build);
    waits_jvms_free(&jvms);
    world_forget();
    return text;
}

void expect_waits(const char *want)
{
    char *text = world_last_packet(waits_print_text);
    assert_string_equal(text, want);
    free(text);
}
