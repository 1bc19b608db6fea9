/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/quality.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/rank/words.h"

enum { MASKED_SHOWN = 300 };

/* ---- the catalogue's figures ---- */

static void put_duration(FILE *out, int64_t ns)
{
    if (ns < 1000000)
        fprintf(out, "%.0f \302\265s", (double)ns / 1e3);
    else if (ns < 1000000000)
        fprintf(out, "%.2f ms", (double)ns / 1e6);
    else
        fprintf(out, "%.1f s", (double)ns / 1e9);
}

/* `errors`: how far wrong they can be; NULL: not at all. */
static void put_values(FILE *out, const char *what, struct ix_values *values,
                       struct ix_values *errors)
{
    if (!values->count)
        return;
    fprintf(out, "<tr><th>%s</th><td>median ", what);
    put_duration(out, ix_values_percentile(values, 0.5));
    fputs(", 99 % up to ", out);
    put_duration(out, ix_values_percentile(values, 0.99));
    fputs(", at most ", out);
    put_duration(out, ix_values_percentile(values, 1));
    if (errors && ix_values_percentile(errors, 1) > 0) {
        fputs("; at most ", out);
        put_duration(out, ix_values_percentile(errors, 1));
        fputs(" wrong", out);
    }
    fputs("</td></tr>\n", out);
}

static int add_run(struct ix_figures *f, struct ix_catalogue *c, const char *name,
                   struct ix_error *err)
{
    int64_t id = 0;
    const int found = ix_catalogue_find_execution(c, name, &id, err);
    return found > 0 ? ix_figures_add_execution(f, c, id, err) : found;
}

int roxi_quality_read(struct ix_figures *f, const struct roxi_sheet *s, struct ix_error *err)
{
    *f = (struct ix_figures){0};
    struct ix_catalogue *c = ix_catalogue_open(s->origin->campaign, IX_CATALOGUE_READ, err);
    if (!c)
        return -1;
    int result = 0;
    for (size_t i = 0; i < s->profiles->count && result == 0; i++)
        result = add_run(f, c, s->profiles->executions[i].name, err);
    ix_catalogue_close(c);
    return result;
}

void roxi_quality_figures(struct roxi_html *h, struct ix_figures *f)
{
    if (ix_values_percentile(&f->stops, 1) <= 0) { /* a stored campaign, or an imported one */
        fputs("<p class=\"dim\">How long JVMs were stopped, and how far apart in time, is not in "
              "this campaign's catalogue.</p>\n",
              h->out);
        return;
    }
    fprintf(h->out,
            "<table class=\"figures\"><tbody>\n<tr><th>Snapshots</th><td>%" PRIu64
            " packets to %" PRIu64 " JVMs: %" PRIu64 " taken, %" PRIu64
            " lost (%.2g %%)</td></tr>\n",
            f->packets, f->vms, f->taken, f->lost,
            f->requests ? 100.0 * (double)f->lost / (double)f->requests : 0.0);
    put_values(h->out, "Stops of a JVM", &f->stops, NULL);
    put_values(h->out, "Skew: from the first JVM's stop to the last one's", &f->skews,
               &f->skew_errors);
    fprintf(h->out,
            "<tr><th>Late stops</th><td>%" PRIu64 " began after their time</td></tr>\n"
            "</tbody></table>\n",
            f->late);
}

/* ---- names of threads ---- */

/* Role and template of groups, each once. */
static int gather_masked(struct roxi_tally *names, const struct roxi_profiles *p)
{
    for (size_t i = 0; i < p->groups.n; i++) {
        const struct roxi_place place = roxi_profiles_place(p, (uint32_t)i);
        const uint64_t key = roxi_pair(place.role, place.template);
        if (strchr(roxi_symbols_text(p->symbols, place.template), '*') &&
            roxi_tally_add(names, key, 1) == ROXI_NONE)
            return -1;
    }
    return 0;
}

static void put_masked(struct roxi_html *h, const struct roxi_profiles *p, uint64_t key)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        h->failed = true;
        return;
    }
    roxi_print_member(t.out, p->symbols, (struct roxi_member){.role = (uint32_t)(key >> 32)});
    fputs(": ", t.out);
    text_print(t.out, roxi_symbols_text(p->symbols, (uint32_t)key));
    fputs("<li>", h->out);
    roxi_html_close(h, &t);
    fputs("</li>\n", h->out);
}

void roxi_quality_masked(struct roxi_html *h, const struct roxi_sheet *s)
{
    struct roxi_tally names = {0};
    h->failed = h->failed || gather_masked(&names, s->profiles) != 0;
    if (names.n) {
        fprintf(h->out,
                "<details><summary>Names of threads in which a * stands for what varies: %zu"
                "</summary><ul>\n",
                names.n);
        for (size_t i = 0; i < names.n && i < MASKED_SHOWN; i++)
            put_masked(h, s->profiles, roxi_tally_key(&names, i));
        if (names.n > MASKED_SHOWN)
            fprintf(h->out, "<li>and %zu more</li>\n", (size_t)names.n - MASKED_SHOWN);
        fputs("</ul></details>\n", h->out);
    }
    roxi_tally_free(&names);
}
