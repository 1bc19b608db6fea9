/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/failure_rate.h"

#include "schema/base/binomial.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

#define PROBABLE 0.95

/* After n runs without a failure: which failure would have shown, and when the next one would. */
static void say_unseen(FILE *out, size_t n)
{
    static const double rates[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    enum { RATES = sizeof rates / sizeof *rates };
    size_t next = 0;
    while (next < RATES && ix_runs_to_see(rates[next], PROBABLE) <= n)
        next++;
    if (next > 0)
        fprintf(out, " A failure rate of %g %% would have shown with %g %% probability.",
                100 * rates[next - 1], 100 * PROBABLE);
    if (next < RATES) {
        const size_t more = ix_runs_to_see(rates[next], PROBABLE) - n;
        fprintf(out, " %zu more run%s would show a failure rate of %g %% with %g %% probability.",
                more, plural(more), 100 * rates[next], 100 * PROBABLE);
    }
}

void ix_say_failure_interval(FILE *out, size_t failed, size_t judged)
{
    const struct ix_rate r = ix_rate_of(failed, judged);
    fprintf(out, "%.1f %% (%zu of %zu; 95 %% Clopper-Pearson interval: %.1f to %.1f %%)",
            100 * r.rate, failed, judged, 100 * r.low, 100 * r.high);
}

void ix_say_more_runs(FILE *out, size_t failed, size_t judged)
{
    const struct ix_rate r = ix_rate_of(failed, judged);
    if (!failed) {
        say_unseen(out, judged);
    } else if (failed < judged) {
        const size_t again = ix_runs_to_see(r.rate, PROBABLE);
        fprintf(out, " At this rate, %zu run%s show%s another failure with %g %% probability.",
                again, plural(again), again == 1 ? "s" : "", 100 * PROBABLE);
    }
}

void ix_say_failure_rate(FILE *out, size_t failed, size_t judged)
{
    if (!judged) {
        fputs("No run has a verdict, so how often runs fail is not known.", out);
        return;
    }
    fputs("Failure rate: ", out);
    ix_say_failure_interval(out, failed, judged);
    fputs(".", out);
    ix_say_more_runs(out, failed, judged);
}
