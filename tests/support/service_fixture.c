/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/service_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

unsigned warnings;

static void on_warned(void *user, const char *text)
{
    (void)user;
    (void)text;
    warnings++;
}

void serve(struct ixor_service_options options, const char *execution)
{
    const struct ixor_service_events events = {.warned = on_warned};
    options.rhythm.every_ns = EVERY_NS;
    options.lead_ns = LEAD_NS;
    warnings = 0;
    serve_with(tempdir, options, &events, execution, "command");
}

int service_set_up(void **state)
{
    if (nobody_there(state) != 0)
        return -1;
    serve((struct ixor_service_options){0}, "run0001");
    return 0;
}

size_t live(void)
{
    return current->sessions;
}

static int count_snapshot(void *user, const struct ix_snapshot_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return 0;
}

size_t snapshots(void)
{
    size_t count = 0;
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    assert_int_equal(ix_catalogue_snapshots(catalogue, 0, count_snapshot, &count, NULL), 0);
    return count;
}
