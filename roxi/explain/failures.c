/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/failures.h"

#include <ctype.h>
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/explain/screen.h"
#include "roxi/explain/words.h"
#include "schema/base/grow.h"

static const char *after_number(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

static bool is_alike(const char *a, const char *b)
{
    while (*a || *b) {
        const char *a_end = after_number(a), *b_end = after_number(b);
        if ((a_end == a) != (b_end == b) || (a_end == a && *a != *b))
            return false;
        a = a_end == a ? a + 1 : a_end;
        b = b_end == b ? b + 1 : b_end;
    }
    return true;
}

static int take(struct roxi_failures *f, const char *text)
{
    for (size_t i = 0; i < f->count; i++)
        if (is_alike(f->list[i].text, text)) {
            f->list[i].runs++;
            return 0;
        }
    return ix_append(f->list, f->count, f->cap, ((struct roxi_failure){.text = text, .runs = 1}));
}

/* Of those of as many runs each, the one stays first that came first. */
static void sort(struct roxi_failures *f)
{
    for (size_t i = 1; i < f->count; i++) {
        const struct roxi_failure x = f->list[i];
        size_t at = i;
        for (; at && f->list[at - 1].runs < x.runs; at--)
            f->list[at] = f->list[at - 1];
        f->list[at] = x;
    }
}

int roxi_failures_make(struct roxi_failures *f, const struct roxi_profiles *p, const bool *of)
{
    *f = (struct roxi_failures){0};
    int result = 0;
    for (size_t r = 0; r < p->count && result == 0; r++)
        if (of[r] && p->executions[r].failure)
            result = take(f, p->executions[r].failure);
    if (result == 0)
        sort(f);
    else
        roxi_failures_free(f);
    return result;
}

void roxi_failures_free(struct roxi_failures *f)
{
    free(f->list);
    *f = (struct roxi_failures){0};
}

static void say(FILE *out, const char *text, const char *quote)
{
    fputs(quote, out);
    text_print(out, text);
    fputs(quote, out);
}

int roxi_failure_show(FILE *out, const struct roxi_profile *run, const char *quote)
{
    struct ix_text t;
    if (!run->failure)
        return 0;
    if (ix_text_open(&t) != 0)
        return -1;
    fputs("Its test failed with ", t.out);
    say(t.out, run->failure, quote);
    return roxi_close_wrapped(out, &t, (struct roxi_wrap){.whole = true});
}

int roxi_failures_show(FILE *out, const struct roxi_failures *f, const char *item,
                       const char *quote, bool all)
{
    const size_t most = all || f->count < ROXI_FIRST_FINDINGS ? f->count : ROXI_FIRST_FINDINGS;
    struct ix_text t;
    if (f->count)
        fputs("Their tests failed with:\n", out);
    for (size_t i = 0; i < most; i++) {
        if (ix_text_open(&t) != 0)
            return -1;
        fprintf(t.out, "%zu run%s: ", f->list[i].runs, f->list[i].runs == 1 ? "" : "s");
        say(t.out, f->list[i].text, quote);
        if (roxi_close_item(out, item, &t) != 0)
            return -1;
    }
    if (f->count > most)
        fprintf(out, "%s%zu more: --all\n", item, f->count - most);
    return 0;
}
