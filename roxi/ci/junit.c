/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/ci/junit.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/listing.h"
#include "roxi/explain/words.h"
#include "roxi/page/words.h"
#include "roxi/report/svg.h"
#include "schema/base/text_memory.h"

struct junit {
    FILE *out;
    const struct roxi_sheet *sheet;
    char *suite;     /* owned */
    size_t *place;   /* by run: in sheet->worth, or the number of runs; owned */
    double *seconds; /* by run; 0: not known; owned */
    bool unusual_fails;
};

/* The directory's last component. */
static char *suite_name(const char *campaign)
{
    size_t len = strlen(campaign);
    while (len > 1 && campaign[len - 1] == '/')
        len--;
    size_t from = len;
    while (from > 0 && campaign[from - 1] != '/')
        from--;
    return strndup(campaign + from, len - from);
}

/* Sets j->seconds. Both lists are in the catalogue's order, but one may have grown, and the other
 * may have only the runs of a test. */
static void find_seconds(struct junit *j, const struct roxi_listing *listing)
{
    const struct roxi_profiles *p = j->sheet->profiles;
    for (size_t i = 0, run = 0; i < listing->count && run < p->count; i++) {
        const struct roxi_listed_execution *x = &listing->executions[i];
        if (strcmp(x->name, p->executions[run].name) != 0)
            continue;
        if (x->begin_ns && x->end_ns > x->begin_ns)
            j->seconds[run] = (double)(x->end_ns - x->begin_ns) / 1e9;
        run++;
    }
}

static bool is_failure(const struct junit *j, size_t run)
{
    return j->sheet->verdicts[run].verdict == IX_VERDICT_FAILED ||
           (j->unusual_fails && roxi_sheet_is_unusual(j->sheet, run));
}

static bool is_skipped(const struct junit *j, size_t run)
{
    return j->sheet->verdicts[run].verdict == IX_VERDICT_UNKNOWN && !is_failure(j, run);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    roxi_svg_escape(out, value, 0);
    putc('"', out);
}

/* ---- one run ---- */

/* "failed", "score 3.41: reason". */
static int say(FILE *out, const struct junit *j, size_t run)
{
    const struct roxi_sheet *s = j->sheet;
    if (s->verdicts[run].verdict == IX_VERDICT_FAILED)
        fputs("failed; ", out);
    if (s->ranked)
        fprintf(out, "score %.2f: ", s->ranking.score[run]);
    const size_t place = j->place[run];
    roxi_say_reason(out, s, run, place < s->unusual ? roxi_shown_of(s, place) : NULL);
    return 0;
}

/* The first finding's call stack, in lines. -1: memory ran out. */
static int show_path(FILE *out, const struct junit *j, size_t run)
{
    const struct roxi_sheet *s = j->sheet;
    const size_t place = j->place[run];
    const struct roxi_shown *shown = place < s->unusual ? roxi_shown_of(s, place) : NULL;
    if (!shown || !shown->findings.count || !shown->findings.list[0].stack)
        return 0;
    return roxi_finding_show_path(out, s->profiles, &shown->findings.list[0], ROXI_PATH_MOST,
                                  false);
}

typedef int writing(FILE *out, const struct junit *j, size_t run);

static char *written(const struct junit *j, size_t run, writing *write)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    const int result = write(t.out, j, run);
    char *text = ix_text_close(&t);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

static void put_lines(FILE *out, char *text)
{
    char *rest = text;
    for (const char *line; (line = strsep(&rest, "\n")) && (rest || *line);) {
        roxi_svg_escape(out, line, 0);
        putc('\n', out);
    }
}

static int put_details(const struct junit *j, size_t run)
{
    char *words = written(j, run, say), *path = written(j, run, show_path);
    const bool failure = is_failure(j, run);
    if (words && path && failure) {
        const bool failed = j->sheet->verdicts[run].verdict == IX_VERDICT_FAILED;
        fputs("    <failure", j->out);
        put_attribute(j->out, "type", failed ? "failed" : "unusual");
        put_attribute(j->out, "message", words);
        fputs(">\n", j->out);
        put_lines(j->out, path);
        fputs("    </failure>\n", j->out);
    } else if (words && path) {
        if (is_skipped(j, run))
            fputs("    <skipped message=\"no verdict\"/>\n", j->out);
        fputs("    <system-out>", j->out);
        roxi_svg_escape(j->out, words, 0);
        putc('\n', j->out);
        put_lines(j->out, path);
        fputs("    </system-out>\n", j->out);
    }
    free(words);
    const int result = words && path ? 0 : -1;
    free(path);
    return result;
}

static int put_run(const struct junit *j, size_t run)
{
    fputs("  <testcase", j->out);
    put_attribute(j->out, "classname", j->suite);
    put_attribute(j->out, "name", j->sheet->profiles->executions[run].name);
    fprintf(j->out, " time=\"%.3f\">\n", j->seconds[run]);
    int result = 0;
    if (is_skipped(j, run) || roxi_sheet_is_unusual(j->sheet, run))
        result = put_details(j, run);
    fputs("  </testcase>\n", j->out);
    return result;
}

/* ---- the whole ---- */

static int put_suite(const struct junit *j)
{
    const size_t n = j->sheet->profiles->count;
    size_t failures = 0, skipped = 0;
    double seconds = 0;
    for (size_t i = 0; i < n; i++) {
        failures += is_failure(j, i);
        skipped += is_skipped(j, i);
        seconds += j->seconds[i];
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite", j->out);
    put_attribute(j->out, "name", j->suite);
    fprintf(j->out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
            n, failures, skipped, seconds);
    for (size_t i = 0; i < n; i++)
        if (put_run(j, i) != 0)
            return -1;
    fputs("</testsuite>\n", j->out);
    return 0;
}

int roxi_ci_junit(FILE *out, const struct roxi_sheet *s, const char *campaign, bool unusual_fails,
                  struct ix_error *err)
{
    const size_t n = s->profiles->count;
    struct roxi_listing listing;
    if (roxi_listing_read(&listing, campaign, NULL, err) != 0)
        return -1;
    struct junit j = {.out = out,
                      .sheet = s,
                      .suite = suite_name(campaign),
                      .place = calloc(n + 1, sizeof *j.place),
                      .seconds = calloc(n + 1, sizeof *j.seconds),
                      .unusual_fails = unusual_fails};
    for (size_t i = 0; j.place && i < n; i++)
        j.place[i] = n;
    for (size_t i = 0; j.place && i < s->unusual; i++)
        j.place[s->worth[i]] = i;
    if (j.seconds)
        find_seconds(&j, &listing);
    const int result = j.suite && j.place && j.seconds ? put_suite(&j) : -1;
    free(j.suite);
    free(j.place);
    free(j.seconds);
    roxi_listing_free(&listing);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}
