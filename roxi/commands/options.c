/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/commands/options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "roxi/base/status.h"
#include "schema/base/bytes.h"
#include "schema/base/units.h"

#define COUNT_MAX 1000000000
#define MEMORY_MIN (16u << 20)
#define ROWS(array, of) ((struct ix_option_group){(array), sizeof(array) / sizeof *(array), (of)})

/* ---- defaults ---- */

static struct roxi_compare_options default_comparing(void)
{
    return (struct roxi_compare_options){.strategy = roxi_strategy_find("gap"), .match_reward = 1};
}

struct roxi_load_options roxi_default_load(void)
{
    return (struct roxi_load_options){.min_vms = ROXI_AUTO_VMS, .to_the_end = true};
}

struct roxi_run_matrix_options roxi_default_matrix(void)
{
    return (struct roxi_run_matrix_options){.load = {.min_vms = ROXI_AUTO_VMS},
                                            .compare = default_comparing()};
}

struct roxi_clustering_options roxi_default_clustering(void)
{
    return (struct roxi_clustering_options){.linkage = ROXI_AVERAGE};
}

/* ---- the strategy ---- */

static int set_strategy(void *target, const char *value, struct ix_error *err)
{
    struct roxi_compare_options *o = target;
    const struct roxi_strategy *s = roxi_strategy_find(value);
    if (s) {
        o->strategy = s;
        return 0;
    }
    struct ix_out names = {0};
    for (size_t i = 0; (s = roxi_strategy_at(i)); i++) {
        ix_put_bytes(&names, " ", 1);
        ix_put_bytes(&names, s->name, strlen(s->name));
    }
    ix_put_u8(&names, 0);
    ix_fail(err, "'%s' is none of%s", value, names.failed ? "" : (const char *)names.data);
    ix_out_free(&names);
    return -1;
}

struct ix_option_group roxi_strategy_rows(struct roxi_compare_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_CALL,
        .name = "strategy",
        .letter = 's',
        .value = "S",
        .help = "how call stacks or counts are compared, see below",
        .preset = "gap",
        .set = set_strategy,
    }};
    return IX_OPTION_GROUP(rows, o);
}

const char *roxi_strategy_list(void)
{
    static char list[1200];
    const struct roxi_strategy *s;
    size_t len = (size_t)snprintf(list, sizeof list, "Strategies:");
    for (size_t i = 0; (s = roxi_strategy_at(i)) && len < sizeof list; i++)
        len += (size_t)snprintf(list + len, sizeof list - len, "\n  %-20s %s", s->name, s->about);
    return list;
}

/* ---- reading logs ---- */

static int set_min_vms(void *target, const char *value, struct ix_error *err)
{
    struct roxi_load_options *o = target;
    size_t n = strcmp(value, "auto") == 0 ? ROXI_AUTO_VMS : ROXI_ALL_VMS;
    if (strcmp(value, "auto") != 0 && strcmp(value, "all") != 0 &&
        ix_option_count(value, 1, COUNT_MAX, &n, err) != 0)
        return ix_fail(err, "'%s' is neither a number from 1 on nor 'all' nor 'auto'", value);
    o->min_vms = (uint32_t)n;
    return 0;
}

struct ix_option_group roxi_load_rows(struct roxi_load_options *o)
{
    static const struct ix_option rows[] = {
        {
            .type = IX_OPTION_CALL,
            .name = "min-vms",
            .value = "N",
            .help =
                "use only packets that at least N JVMs of the run answered, or 'all' of them; "
                "auto: 2, or 1 if no two JVMs of a run answered the same packet; where runs are "
                "ranked, all that follow the first of these, too",
            .preset = "auto",
            .set = set_min_vms,
        },
        {
            .type = IX_OPTION_TEXT,
            .name = "test",
            .value = "NAME",
            .help = "only the runs of this JUnit test: its name, or what follows a dot in it; "
                    "required if the campaign has runs of several tests",
            .offset = offsetof(struct roxi_load_options, test),
        },
        {
            .type = IX_OPTION_WORD,
            .name = "granularity",
            .value = "G",
            .help = "how much of a frame is compared: line, method (no lines) or class; with "
                    "method or class, builds of a program can be compared with each other",
            .preset = "line",
            .words = "line|method|class",
            .offset = offsetof(struct roxi_load_options, granularity),
        },
        {
            .type = IX_OPTION_TEXT,
            .name = "rules",
            .value = "FILE",
            .help = "rules for names, instead of those that 'roxi rules' prints, or beside them "
                    "after a line "
                    "built-in; thesis: cut "
                    "threads' names as the thesis did",
            .offset = offsetof(struct roxi_load_options, rules),
        },
        {
            .type = IX_OPTION_FLAG,
            .name = "explain-names",
            .help = "print to standard error what became of each name: kind, name, result, lines "
                    "of the rules, and the run that made a template so wide",
            .offset = offsetof(struct roxi_load_options, explain),
        },
    };
    return IX_OPTION_GROUP(rows, o);
}

/* ---- comparing ---- */

struct ix_option_group roxi_unmatched_rows(struct roxi_compare_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_SWITCH,
        .name = "unmatched",
        .value = "U",
        .help = "a role or thread that only one of two runs has: ignore it, or cost: its stacks' "
                "distances to the empty stack",
        .preset = "ignore",
        .words = "ignore|cost",
        .offset = offsetof(struct roxi_compare_options, unmatched_cost),
    }};
    return IX_OPTION_GROUP(rows, o);
}

/* Far beyond useful values, and far from overflow: costs grow with the square of a stack's
 * length. */
#define MATCH_REWARD_MAX 1e9

static int set_match_reward(void *target, const char *value, struct ix_error *err)
{
    struct roxi_compare_options *o = target;
    char *end;
    o->match_reward = strtod(value, &end);
    if (end == value || *end || !(o->match_reward > 0 && o->match_reward <= MATCH_REWARD_MAX))
        return ix_fail(err, "'%s' is not a number above 0 and up to %g", value, MATCH_REWARD_MAX);
    return 0;
}

struct ix_option_group roxi_reward_rows(struct roxi_compare_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_CALL,
        .name = "match-reward",
        .value = "R",
        .help = "what identical frames gain in call-stack-1 to 3",
        .preset = "1",
        .set = set_match_reward,
    }};
    return IX_OPTION_GROUP(rows, o);
}

struct ix_option_group roxi_diagonal_rows(struct roxi_compare_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_SWITCH,
        .name = "diagonal",
        .value = "D",
        .help = "a run's distance to itself: zero, or computed by the formula",
        .preset = "zero",
        .words = "zero|computed",
        .offset = offsetof(struct roxi_compare_options, diagonal_computed),
    }};
    return IX_OPTION_GROUP(rows, o);
}

struct ix_option_group roxi_engine_rows(struct roxi_compare_options *o)
{
    static const struct ix_option rows[] = {
        {
            .type = IX_OPTION_WORD,
            .name = "engine",
            .value = "E",
            .help =
                "how distances are computed: fast; reference, simple and slow; or the fast engine "
                "with one instruction set: portable, avx2, avx512. The results are identical",
            .preset = "fast",
            .words = "fast|reference|portable|avx2|avx512", /* as enum roxi_engine_choice */
            .offset = offsetof(struct roxi_compare_options, engine),
        },
        {
            .type = IX_OPTION_SWITCH,
            .name = "pruning",
            .value = "P",
            .help = "yes: compute what call stacks have in common once, or not at all; no: disable "
                    "this optimisation. The results are identical",
            .preset = "yes",
            .words = "yes|no",
            .offset = offsetof(struct roxi_compare_options, no_pruning),
        },
    };
    return IX_OPTION_GROUP(rows, o);
}

struct ix_option_group roxi_cache_rows(struct roxi_run_matrix_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_SWITCH,
        .name = "cache",
        .value = "C",
        .help = "yes: store distances in CAMPAIGN/cache and compute only those that are not there; "
                "no: neither read nor write it",
        .preset = "yes",
        .words = "yes|no",
        .offset = offsetof(struct roxi_run_matrix_options, no_cache),
    }};
    return IX_OPTION_GROUP(rows, o);
}

struct ix_option_group roxi_resume_rows(struct roxi_run_matrix_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_FLAG,
        .name = "resume",
        .help = "continue this computation where it was interrupted",
        .offset = offsetof(struct roxi_run_matrix_options, resume),
    }};
    return IX_OPTION_GROUP(rows, o);
}

/* In bytes. From now on allocations beyond the limit fail, and the command ends with a message. */
static int set_memlimit(void *target, const char *value, struct ix_error *err)
{
    (void)target;
    uint64_t bytes;
    if (!ix_parse_size(value, strlen(value), &bytes) || bytes < MEMORY_MIN)
        return ix_fail(err, "'%s' is not a size of 16m or more, such as 500m or 4g", value);
    const struct rlimit limit = {bytes, bytes};
    return setrlimit(RLIMIT_AS, &limit) == 0
               ? 0
               : ix_fail(err, "cannot set the limit: %s", strerror(errno));
}

struct ix_option_group roxi_memlimit_rows(void)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_CALL,
        .name = "memlimit",
        .value = "SIZE",
        .help = "fail with a message instead of using more memory (address space) than this: a "
                "whole number with k, m, g or t, such as 500m or 4g",
        .set = set_memlimit,
    }};
    static char nowhere; /* unused, but a group must have a target */
    return IX_OPTION_GROUP(rows, &nowhere);
}

/* ---- clusters ---- */

struct ix_option_group roxi_linkage_rows(struct roxi_clustering_options *o)
{
    static const struct ix_option rows[] = {
        {
            .type = IX_OPTION_WORD,
            .name = "measure",
            .value = "M",
            .help = "cluster by cosine, the similarity of the matrix's rows, or by distance, the "
                    "distances between runs",
            .preset = "cosine",
            .words = "cosine|distance", /* in the order of enum roxi_measure */
            .offset = offsetof(struct roxi_clustering_options, measure),
        },
        {
            .type = IX_OPTION_WORD,
            .name = "linkage",
            .value = "L",
            .help = "single, complete, average or ward",
            .preset = "average",
            .words = "single|complete|average|ward", /* in the order of enum roxi_linkage */
            .offset = offsetof(struct roxi_clustering_options, linkage),
        },
        {
            .type = IX_OPTION_SWITCH,
            .name = "scaling",
            .value = "S",
            .help = "none, or sqrt: the square root of every value",
            .preset = "none",
            .words = "none|sqrt",
            .offset = offsetof(struct roxi_clustering_options, similarity.sqrt_rows),
        },
        {
            .type = IX_OPTION_SWITCH,
            .name = "column-model",
            .value = "C",
            .help = "none, or idf: the fewer rows have a column, the more it weighs",
            .preset = "none",
            .words = "none|idf",
            .offset = offsetof(struct roxi_clustering_options, similarity.idf_columns),
        },
    };
    return IX_OPTION_GROUP(rows, o);
}

static int set_clusters(void *target, const char *value, struct ix_error *err)
{
    struct roxi_clustering_options *o = target;
    o->clusters = 0;
    o->clusters_auto = strcmp(value, "auto") == 0;
    if (!o->clusters_auto && ix_option_count(value, 1, COUNT_MAX, &o->clusters, err) != 0)
        return ix_fail(err, "'%s' is neither a number from 1 on nor 'auto'", value);
    return 0;
}

static int set_height(void *target, const char *value, struct ix_error *err)
{
    struct roxi_clustering_options *o = target;
    char *end;
    o->height = strtod(value, &end);
    o->height_given = true;
    return end != value && !*end && isfinite(o->height)
               ? 0
               : ix_fail(err, "'%s' is not a number", value);
}

struct ix_option_group roxi_cut_rows(struct roxi_clustering_options *o)
{
    static const struct ix_option rows[] = {
        {
            .type = IX_OPTION_CALL,
            .name = "clusters",
            .letter = 'k',
            .value = "K",
            .help =
                "merge until K clusters are left; auto: the number, up to 300, with the highest "
                "mean silhouette",
            .set = set_clusters,
        },
        {
            .type = IX_OPTION_CALL,
            .name = "height",
            .value = "H",
            .help = "instead: merge clusters that are no farther apart than H (cosine: 1 - "
                    "similarity)",
            .set = set_height,
        },
    };
    return IX_OPTION_GROUP(rows, o);
}

int roxi_clustering_check(const struct roxi_clustering_options *o,
                          const struct roxi_strategy *strategy, bool must_cut, struct ix_error *err)
{
    const int ways = (o->clusters > 0) + o->clusters_auto + o->height_given;
    const bool distance = o->measure == ROXI_ON_DISTANCE;
    if (ways > 1)
        return ix_fail(err, "--clusters and --height both say where to stop: give one of them");
    if (must_cut && ways == 0)
        return ix_fail(err, "--clusters K is missing: how many clusters? Or --clusters auto, or "
                            "--height H");
    if (distance && !roxi_strategy_is_distance(strategy))
        return ix_fail(err, "--measure distance: --strategy %s counts", strategy->name);
    if (distance && (o->similarity.sqrt_rows || o->similarity.idf_columns))
        return ix_fail(err, "--scaling and --column-model are for --measure cosine");
    return 0;
}

/* ---- ranking ---- */

struct ix_option_group roxi_ranking_rows(struct roxi_ranking_options *o)
{
    static const struct ix_option rows[] = {{
        .type = IX_OPTION_SWITCH,
        .name = "role-swap",
        .value = "R",
        .help = "if another one of like roles, such as 'Server 1' and 'Server 2', leads than in "
                "most runs: yes: exchange their names; no: compare them as named",
        .preset = "yes",
        .words = "yes|no",
        .offset = offsetof(struct roxi_ranking_options, no_role_swap),
    }};
    return IX_OPTION_GROUP(rows, o);
}

/* ---- output ---- */

struct ix_option_group roxi_json_rows(bool *json)
{
    static const struct ix_option rows[] = {
        {.type = IX_OPTION_FLAG, .name = "json", .help = "print JSON, for scripts"},
    };
    return IX_OPTION_GROUP(rows, json);
}

struct ix_option_group roxi_output_rows(struct roxi_output_options *o)
{
    static const struct ix_option rows[] = {
        ROXI_OUTPUT_ROW(struct roxi_output_options, output),
        {
            .type = IX_OPTION_TEXT,
            .name = "provenance",
            .value = "FILE",
            .help = "also write to FILE where the output comes from: version, options, inputs, as "
                    "JSON",
            .offset = offsetof(struct roxi_output_options, provenance),
        },
    };
    return IX_OPTION_GROUP(rows, o);
}

/* ---- parsing ---- */

int roxi_wrong_use(const char *command, struct ix_error *err)
{
    ix_option_hint("roxi", command, err);
    return ROXI_USAGE;
}

bool roxi_options_parse(const struct ix_command_line *line,
                        const struct roxi_output_options *output, int argc, char **argv,
                        char ***args, int *status, struct ix_error *err)
{
    switch (ix_options_parse(line, argc, argv, args, err)) {
    case IX_PARSED_ARGS:
        break;
    case IX_PARSED_HELP:
        *status = ROXI_OK;
        return false;
    case IX_PARSED_WRONG:
        *status = ROXI_USAGE;
        return false;
    case IX_PARSED_STUCK:
        *status = ROXI_FAILED;
        return false;
    }
    if (output && output->provenance &&
        strcmp(output->provenance, output->output ? output->output : "-") == 0) {
        ix_fail(err, "--provenance and --output name the same file");
        *status = roxi_wrong_use(line->command, err);
        return false;
    }
    return true;
}
