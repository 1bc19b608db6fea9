/* SPDX-License-Identifier: Apache-2.0 */
/* How well the ranking does on systems that its constants were not chosen on: bench/ranking DIR...
 * for unpacked campaigns (DIR/campaign, and DIR/silent, if there is one, with the names of runs to
 * leave out, and DIR/rules, else examples/rules). Each system is ranked with the constants that are
 * best, in the mean, on the others. Prints a line for each system: its name, failed runs, runs, the
 * constants, and average precision of all runs and of draws in which 2, 5, 10, 20 and 33 % of the
 * runs failed; then the same of the longest runs first; then what the constants would be that fit
 * all systems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roxi/campaign/load.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/evaluate/inspection_effort.h"
#include "roxi/rank/score.h"

enum { SYSTEMS = 16, SHARES = 5, FIGURES = 1 + SHARES, DRAWS = 8, CHOICES = 60, NAME = 200 };

static const double shares[SHARES] = {0.02, 0.05, 0.1, 0.2, 0.33};
static const double resolutions[] = {2, 3, 4, 6}, quiets[] = {0.4, 0.5, 0.6};
static const double powers[] = {0, 1, 2, 3, 4};
enum { POWERS = sizeof powers / sizeof *powers };

struct system {
    const char *name;
    struct roxi_profiles *profiles;
    bool *failed;
    size_t failures;
    double figures[CHOICES][FIGURES], length[FIGURES];
};

static void die(const char *what)
{
    fprintf(stderr, "bench/ranking: %s\n", what);
    exit(1);
}

static struct roxi_score_constants choice(size_t i)
{
    struct roxi_score_constants c = roxi_score_default;
    c.by_length = powers[i % POWERS];
    c.resolution = resolutions[i / POWERS / 3];
    c.quiet = quiets[i / POWERS % 3];
    return c;
}

/* ---- systems ---- */

static bool is_listed(const char *list, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == '\n') && (at[len] == '\n' || !at[len]))
            return true;
    return false;
}

/* The names of runs to leave out, one to a line; empty if there are none. */
static void read_silent(const char *dir, char *list, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/silent", dir);
    FILE *in = fopen(path, "r");
    const size_t n = in ? fread(list, 1, size - 1, in) : 0;
    list[n] = '\0';
    if (in)
        fclose(in);
}

static void leave_out(struct system *s, struct roxi_verdict *v, const char *silent)
{
    struct roxi_profiles *p = s->profiles;
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (is_listed(silent, p->executions[i].name)) {
            roxi_profile_release(&p->executions[i]);
            continue;
        }
        s->failed[n] = v[i].verdict == IX_VERDICT_FAILED;
        s->failures += s->failed[n];
        p->executions[n++] = p->executions[i];
    }
    p->count = n;
}

static void load(struct system *s, const char *dir)
{
    static char silent[1 << 16];
    char campaign[4096], rules[4096];
    struct ix_error err = {""};
    snprintf(rules, sizeof rules, "%s/rules", dir);
    const struct roxi_load_options options = {.min_vms = ROXI_AUTO_VMS,
                                              .to_the_end = true,
                                              .rules = access(rules, F_OK) == 0 ? rules
                                                                                : "examples/rules"};
    const char *slash = strrchr(dir, '/');
    s->name = slash ? slash + 1 : dir;
    snprintf(campaign, sizeof campaign, "%s/campaign", dir);
    s->profiles = roxi_load(campaign, &options, &err);
    struct roxi_verdict *v = s->profiles ? roxi_verdicts_load(campaign, s->profiles, &err) : NULL;
    if (!v)
        die(err.text);
    roxi_verdicts_drop_unknown(s->profiles, v);
    s->failed = calloc(s->profiles->count + 1, sizeof *s->failed);
    if (!s->failed)
        die("out of memory");
    read_silent(dir, silent, sizeof silent);
    leave_out(s, v, silent);
    free(v);
}

/* ---- draws ---- */

struct draw {
    struct roxi_profiles profiles; /* some of the runs; borrows all */
    bool *failed;
};

static uint64_t seed;
static size_t below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}

/* Takes `count` of the runs that failed, or of the others. */
static void take(struct draw *d, const struct system *s, bool failed, size_t count)
{
    size_t *of = calloc(s->profiles->count + 1, sizeof *of), n = 0;
    if (!of)
        die("out of memory");
    for (size_t i = 0; i < s->profiles->count; i++)
        if (s->failed[i] == failed)
            of[n++] = i;
    for (; count > 0; count--) {
        const size_t at = below(n);
        d->failed[d->profiles.count] = failed;
        d->profiles.executions[d->profiles.count++] = s->profiles->executions[of[at]];
        of[at] = of[--n];
    }
    free(of);
}

static void draw(struct draw *d, const struct system *s, double share)
{
    const size_t good = s->profiles->count - s->failures;
    size_t failed = s->failures;
    size_t passed = (size_t)lround((double)failed * (1 - share) / share);
    if (passed > good) {
        passed = good;
        failed = (size_t)lround((double)passed * share / (1 - share));
        failed = failed ? failed : 1;
    }
    d->profiles.count = 0;
    take(d, s, true, failed);
    take(d, s, false, passed);
}

static double precision(const double *score, const struct draw *d)
{
    struct roxi_inspection_effort e;
    if (roxi_inspection_effort_ranked(score, d->failed, d->profiles.count, &e) != 0)
        die("out of memory");
    return e.precision;
}

/* Adds the precision of the choices that differ in the power only, of which c is the first one. */
static void rank(const struct draw *d, const struct roxi_score_constants *c,
                 double figures[][FIGURES], size_t figure, double weight)
{
    const struct roxi_score_options o = {.constants = c};
    struct roxi_ranking r;
    struct ix_error err = {""};
    if (roxi_score(&d->profiles, &o, &r, &err) != 0)
        die(err.text);
    for (size_t k = 0; k < POWERS; k++) {
        for (size_t i = 0; i < r.n; i++)
            r.score[i] = roxi_score_by_length(r.evidence[i], r.longer[i], powers[k]);
        figures[k][figure] += weight * precision(r.score, d);
    }
    roxi_ranking_free(&r);
}

static double rank_by_length(const struct draw *d)
{
    double *length = calloc(d->profiles.count + 1, sizeof *length);
    if (!length)
        die("out of memory");
    for (size_t i = 0; i < d->profiles.count; i++) {
        const struct roxi_profile *x = &d->profiles.executions[i];
        length[i] = (double)roxi_participation_length(x->roles, x->role_count);
    }
    const double ap = precision(length, d);
    free(length);
    return ap;
}

static void measure_draw(struct system *s, const struct draw *d, size_t figure, double weight)
{
    for (size_t i = 0; i < CHOICES; i += POWERS) {
        const struct roxi_score_constants c = choice(i);
        rank(d, &c, s->figures + i, figure, weight);
    }
    s->length[figure] += weight * rank_by_length(d);
}

static void measure(struct system *s)
{
    const size_t n = s->profiles->count;
    struct draw d = {.profiles = *s->profiles, .failed = calloc(n + 1, sizeof *d.failed)};
    d.profiles.executions = calloc(n + 1, sizeof *d.profiles.executions);
    if (!d.failed || !d.profiles.executions)
        die("out of memory");
    seed = 1;
    memcpy(d.failed, s->failed, n * sizeof *d.failed);
    memcpy(d.profiles.executions, s->profiles->executions, n * sizeof *d.profiles.executions);
    measure_draw(s, &d, 0, 1);
    for (size_t share = 0; share < SHARES; share++) {
        for (int i = 0; i < DRAWS; i++) {
            draw(&d, s, shares[share]);
            measure_draw(s, &d, 1 + share, 1.0 / DRAWS);
        }
    }
    free(d.failed);
    free(d.profiles.executions);
}

/* ---- leaving one out ---- */

/* The choice that is best in the mean over all systems but `without`. */
static size_t best_without(const struct system *systems, size_t n, size_t without)
{
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < CHOICES; i++) {
        double sum = 0;
        for (size_t s = 0; s < n; s++)
            for (size_t f = 0; s != without && f < FIGURES; f++)
                sum += systems[s].figures[i][f];
        if (sum > most + 1e-9) {
            most = sum;
            best = i;
        }
    }
    return best;
}

static void print_row(const char *name, const struct system *s, const char *how,
                      const double *figures)
{
    printf("%s\t%zu\t%zu\t%s", name, s->failures, s->profiles->count, how);
    for (size_t f = 0; f < FIGURES; f++)
        printf("\t%.3f", figures[f]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static struct system systems[SYSTEMS];
    const size_t n = (size_t)argc - 1;
    char how[NAME];
    if (argc < 3 || n > SYSTEMS)
        die("give two to sixteen directories of unpacked campaigns");
    for (size_t i = 0; i < n; i++) {
        load(&systems[i], argv[i + 1]);
        measure(&systems[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t best = best_without(systems, n, i);
        const struct roxi_score_constants c = choice(best);
        snprintf(how, sizeof how, "resolution %g, quiet %g, length %g", c.resolution, c.quiet,
                 c.by_length);
        print_row(systems[i].name, &systems[i], how, systems[i].figures[best]);
        print_row(systems[i].name, &systems[i], "length", systems[i].length);
    }
    const struct roxi_score_constants all = choice(best_without(systems, n, n));
    printf("fit\t\t\tresolution %g, quiet %g, length %g\n", all.resolution, all.quiet,
           all.by_length);
    for (size_t i = 0; i < n; i++) {
        free(systems[i].failed);
        roxi_profiles_free(systems[i].profiles);
    }
    return 0;
}
