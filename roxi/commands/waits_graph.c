/* SPDX-License-Identifier: Apache-2.0 */
/* roxi waits --graph: who talks to whom, and for how long threads wait. */
#include "roxi/commands/waits_graph.h"

#include <string.h>

#include "roxi/base/progress.h"
#include "roxi/base/warn.h"
#include "roxi/waits/communication_print.h"

static int add_other(struct waits_communication *g, const struct roxi_listed_execution *execution,
                     struct ix_error *err)
{
    struct waits_connections run;
    int result = waits_connections_read(&run, execution, err);
    if (result == 0 && !run.telling)
        roxi_warn("run %s is left out: it was recorded without connections", execution->name);
    else if (result == 0 && waits_communication_add(g, &run) != 0)
        result = ix_fail(err, "out of memory");
    waits_connections_free(&run);
    return result;
}

static int add_here(struct waits_communication *g, const struct roxi_listed_execution *execution,
                    struct ix_error *err)
{
    struct waits_connections run;
    int result = waits_connections_read(&run, execution, err);
    if (result == 0 && !run.telling)
        result = ix_fail(err,
                         "run %s was recorded without connections; give its JVMs the agent's "
                         "option connections=on",
                         execution->name);
    else if (result == 0 && waits_communication_add_here(g, &run) != 0)
        result = ix_fail(err, "out of memory");
    waits_connections_free(&run);
    return result;
}

static int add_others(struct waits_communication *g, const struct roxi_listing *listing,
                      const struct roxi_listed_execution *but, struct ix_error *err)
{
    struct roxi_progress progress;
    int result = 0;
    roxi_progress_start(&progress, "reading runs", (double)listing->count);
    for (size_t i = 0; result == 0 && i < listing->count; i++) {
        if (&listing->executions[i] != but)
            result = add_other(g, &listing->executions[i], err);
        roxi_progress_add(&progress, 1);
    }
    roxi_progress_end(&progress);
    return result;
}

static void write(FILE *out, const struct waits_communication *g, const char *run,
                  enum roxi_waits_format format)
{
    switch (format) {
    case ROXI_WAITS_DOT:
        waits_communication_dot(out, g, run);
        return;
    case ROXI_WAITS_JSON:
        waits_communication_json(out, g, run);
        return;
    case ROXI_WAITS_TEXT:
        break;
    }
    waits_communication_text(out, g, run);
}

int roxi_waits_graph(const struct roxi_listing *listing, const char *run,
                     enum roxi_waits_format format, FILE *out, struct ix_error *err)
{
    struct waits_communication g = {0};
    const struct roxi_listed_execution *here = NULL;
    for (size_t i = 0; run && i < listing->count; i++)
        if (strcmp(listing->executions[i].name, run) == 0)
            here = &listing->executions[i];
    if (run && !here)
        return ix_fail(err, "the campaign has no run '%s'", run);
    int result = add_others(&g, listing, here, err);
    if (result == 0 && here)
        result = add_here(&g, here, err);
    if (result == 0 && !here && !g.runs)
        result = ix_fail(err, "no run was recorded with connections; give the JVMs the agent's "
                              "option connections=on");
    if (result == 0 && waits_communication_finish(&g) != 0)
        result = ix_fail(err, "out of memory");
    if (result == 0)
        write(out, &g, here ? here->name : NULL, format);
    waits_communication_free(&g);
    return result;
}
