/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/ci/summary.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/ci/tests.h"
#include "roxi/page/first_screen.h"
#include "schema/base/failure_rate.h"
#include "schema/base/text_memory.h"

static const char fence[] = "```\n";

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void say_heading(FILE *out, const struct roxi_sheet *s)
{
    const size_t n = s->profiles->count;
    fputs("### Ixor: ", out);
    if (s->failed)
        fprintf(out, "%zu of %zu run%s failed", s->failed, n, plural(n));
    else
        fprintf(out, "none of %zu run%s failed", n, plural(n));
    const size_t more = s->unusual - s->failed;
    if (s->ranked && more)
        fprintf(out, ", %zu%s %s unusual", more, s->failed ? " more" : "",
                more == 1 ? "is" : "are");
    fputs("\n\n", out);
}

/* Cuts text that is longer at the end of a line, where the block of code ends, too. */
static void limit(char *text)
{
    const size_t most = ROXI_CI_SUMMARY_TEXT, end = sizeof fence - 1;
    if (strlen(text) <= most)
        return;
    size_t at = most - end;
    while (at > 0 && text[at - 1] != '\n')
        at--;
    memcpy(text + at, fence, sizeof fence);
}

/* The block of code. */
static int say_block(struct ix_text *t, const char *campaign, const struct roxi_sheet *s,
                     struct ix_error *err)
{
    fprintf(t->out, "\n\n%s", fence);
    if (roxi_ci_say_tests(t->out, campaign, s, err) != 0)
        return -1;
    const size_t used = ix_text_length(t) + sizeof fence;
    if (used < ROXI_CI_SUMMARY_TEXT &&
        roxi_first_screen_within(t->out, s, ROXI_CI_SUMMARY_TEXT - used) != 0)
        return ix_fail(err, "out of memory");
    fputs(fence, t->out);
    return 0;
}

char *roxi_ci_summary(const struct roxi_sheet *s, const char *campaign, struct ix_error *err)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    say_heading(t.out, s);
    ix_say_failure_rate(t.out, s->failed, s->passed + s->failed);
    const int result = say_block(&t, campaign, s, err);
    char *text = ix_text_close(&t);
    if (result == 0 && text) {
        limit(text);
        return text;
    }
    if (result == 0)
        ix_fail(err, "out of memory");
    free(text);
    return NULL;
}
