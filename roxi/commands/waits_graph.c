/* SPDX-License-Identifier: Apache-2.0 */
/* roxi waits --graph: who talks to whom, and for how long threads wait. */
#include "roxi/commands/waits_graph.h"

#include "roxi/waits/communication_print.h"
#include "roxi/waits/communication_read.h"

/* Nothing of connections is known. */
static int fail_unknown(const struct roxi_listed_execution *here, struct ix_error *err)
{
    if (here)
        return ix_fail(err,
                       "run %s was recorded without connections; give its JVMs the agent's "
                       "option connections=on",
                       here->name);
    return ix_fail(err, "no run was recorded with connections; give the JVMs the agent's option "
                        "connections=on");
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
    const struct roxi_listed_execution *here = run ? roxi_listing_find(listing, run) : NULL;
    const struct waits_reading reading = {.listing = listing, .here = here, .most = SIZE_MAX};
    int result = waits_communication_read(&g, &reading, err);
    if (result >= 0)
        result = result ? 0 : fail_unknown(here, err);
    if (result == 0)
        write(out, &g, here ? here->name : NULL, format);
    waits_communication_free(&g);
    return result;
}
