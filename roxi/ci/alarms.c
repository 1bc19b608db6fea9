/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/ci/alarms.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/ci/limit.h"
#include "roxi/rank/words.h"
#include "schema/base/text_memory.h"

/* For "and 1000000 more" and the end of the block. */
enum { REST = 32 };

static void say_heading(FILE *out, const struct roxi_ci_alarms *a)
{
    if (a->unusual)
        fprintf(out, "### Ixor: %zu of %zu run%s %s unusual", a->unusual, a->checked,
                a->checked == 1 ? "" : "s", a->unusual == 1 ? "is" : "are");
    else
        fprintf(out, "### Ixor: none of %zu run%s is unusual", a->checked,
                a->checked == 1 ? "" : "s");
    fprintf(
        out,
        "\n\nUnusual are scores above %.3f, as %.2g %% of good runs have them (%.2g to %.2g %%, "
        "learned from %zu).\n",
        a->alarm.above, 100 * a->alarm.rate, 100 * a->alarm.low, 100 * a->alarm.high, a->good);
}

/* Indented by four: a line that begins so cannot end the block, whatever the name is. */
static char *run_text(const struct roxi_ci_alarms *a, size_t run)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    fprintf(t.out, "    %.3f  ", a->ranking->score[run]);
    text_print(t.out, a->profiles->executions[run].name);
    fputs("\n        ", t.out);
    roxi_rank_explain(t.out, a->ranking, run);
    fputs("\n", t.out);
    return ix_text_close(&t);
}

static int say_runs(struct ix_text *t, const struct roxi_ci_alarms *a)
{
    for (size_t i = 0; i < a->unusual; i++) {
        char *text = run_text(a, a->order[i]);
        if (!text)
            return -1;
        const bool fits = ix_text_length(t) + strlen(text) + REST <= (size_t)ROXI_CI_SUMMARY_TEXT;
        if (fits)
            fputs(text, t->out);
        else
            fprintf(t->out, "and %zu more\n", a->unusual - i);
        free(text);
        if (!fits)
            break;
    }
    return 0;
}

char *roxi_ci_alarms(const struct roxi_ci_alarms *a, struct ix_error *err)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    say_heading(t.out, a);
    int bad = 0;
    if (a->unusual) {
        fputs("\n```\n", t.out);
        bad = say_runs(&t, a);
        fputs("```\n", t.out);
    }
    char *text = ix_text_close(&t);
    if (bad == 0 && text)
        return text;
    free(text);
    ix_fail(err, "out of memory");
    return NULL;
}
