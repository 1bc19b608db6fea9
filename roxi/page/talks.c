/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/talks.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/waits/communication_print.h"
#include "roxi/waits/communication_read.h"
#include "schema/base/text_memory.h"

/* NULL: none is unusual. */
static const struct roxi_listed_execution *most_unusual(const struct roxi_listing *listing,
                                                        const struct roxi_sheet *s)
{
    if (!s->ranked || !s->unusual)
        return NULL;
    return roxi_listing_find(listing, s->profiles->executions[s->worth[0]].name);
}

static char *in_words(const struct waits_communication *g, const char *run)
{
    struct ix_text memory;
    if (ix_text_open(&memory) != 0)
        return NULL;
    waits_communication_text(memory.out, g, run);
    return ix_text_close(&memory);
}

int roxi_talks_read(struct roxi_talks *t, const struct roxi_listing *listing,
                    const struct roxi_sheet *s, struct ix_error *err)
{
    struct waits_communication g = {0};
    const struct waits_reading reading = {.listing = listing,
                                          .here = most_unusual(listing, s),
                                          .most = ROXI_TALKS_RUNS,
                                          .quiet = true};
    int result = waits_communication_read(&g, &reading, err);
    if (result == 1) {
        t->text = in_words(&g, reading.here ? reading.here->name : NULL);
        result = t->text ? 0 : ix_fail(err, "out of memory");
    }
    waits_communication_free(&g);
    return result;
}

void roxi_talks_put(struct roxi_html *h, const struct roxi_talks *t)
{
    if (!t->text)
        return;
    fputs("<section aria-label=\"Who talks to whom\">\n<h2>Who talks to whom</h2>\n"
          "<p>Connections between the JVMs, and packets that threads waited on them; typical: the "
          "median.</p>\n<pre>",
          h->out);
    roxi_html_lines(h, strdup(t->text), 0);
    fputs("</pre>\n</section>\n", h->out);
}

void roxi_talks_free(struct roxi_talks *t)
{
    free(t->text);
    *t = (struct roxi_talks){0};
}
