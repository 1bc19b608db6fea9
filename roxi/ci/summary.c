/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/ci/summary.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_memory.h"
#include "roxi/page/first_screen.h"
#include "roxi/rank/binomial.h"

static const char fence[] = "```\n";

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- how often ---- */

#define PROBABLE 0.95

/* After n runs without a failure: which failure would have shown, and when the next one would. */
static void say_unseen(FILE *out, size_t n)
{
    static const double rates[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    enum { RATES = sizeof rates / sizeof *rates };
    size_t next = 0;
    while (next < RATES && roxi_runs_to_see(rates[next], PROBABLE) <= n)
        next++;
    if (next > 0)
        fprintf(out, " A failure of %g %% would have shown with %g %% probability.",
                100 * rates[next - 1], 100 * PROBABLE);
    if (next < RATES) {
        const size_t more = roxi_runs_to_see(rates[next], PROBABLE) - n;
        fprintf(out, " %zu more run%s would show a failure of %g %% with %g %% probability.", more,
                plural(more), 100 * rates[next], 100 * PROBABLE);
    }
}

void roxi_ci_say_rate(FILE *out, size_t failed, size_t judged)
{
    const struct roxi_rate r = roxi_rate_of(failed, judged);
    if (!judged) {
        fputs("No run has a verdict, so how often runs fail is not known.", out);
        return;
    }
    fprintf(out,
            "Failure rate: %.1f %% (%zu of %zu; 95 %% interval after Clopper and Pearson: "
            "%.1f to %.1f %%).",
            100 * r.rate, failed, judged, 100 * r.low, 100 * r.high);
    if (!failed) {
        say_unseen(out, judged);
    } else if (failed < judged) {
        const size_t again = roxi_runs_to_see(r.rate, PROBABLE);
        fprintf(out, " At this rate %zu run%s show%s one again with %g %% probability.", again,
                plural(again), again == 1 ? "s" : "", 100 * PROBABLE);
    }
}

/* ---- the whole ---- */

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

char *roxi_ci_summary(const struct roxi_sheet *s)
{
    struct roxi_text t;
    if (roxi_text_open(&t) != 0)
        return NULL;
    say_heading(t.out, s);
    roxi_ci_say_rate(t.out, s->failed, s->passed + s->failed);
    fprintf(t.out, "\n\n%s", fence);
    const size_t used = roxi_text_length(&t) + sizeof fence;
    const int result = roxi_first_screen_within(t.out, s, ROXI_CI_SUMMARY_TEXT - used);
    fputs(fence, t.out);
    char *text = roxi_text_close(&t);
    if (result == 0 && text) {
        limit(text);
        return text;
    }
    free(text);
    return NULL;
}
