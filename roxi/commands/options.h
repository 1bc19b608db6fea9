/* SPDX-License-Identifier: Apache-2.0 */
/* Options that several commands share: groups of rows (schema/commandline/options.h), each of
 * which fills in a struct of the part of roxi that uses it; and how a result states them
 * (provenance.h). */
#ifndef ROXI_OPTIONS_H
#define ROXI_OPTIONS_H

#include "roxi/campaign/load_options.h"
#include "roxi/cluster/clustering.h"
#include "roxi/distance/run_matrix.h"
#include "roxi/rank/ranking.h"
#include "roxi/report/provenance.h"
#include "schema/commandline/options.h"

/* ---- defaults ---- */

struct roxi_load_options roxi_default_load(void);         /* where runs are ranked or explained */
struct roxi_run_matrix_options roxi_default_matrix(void); /* strategy gap */
struct roxi_clustering_options roxi_default_clustering(void); /* cosine, average linkage */

/* ---- groups ---- */

/* --strategy */
struct ix_option_group roxi_strategy_rows(struct roxi_compare_options *o);
/* --min-vms, --granularity, --rules, --explain-names */
struct ix_option_group roxi_load_rows(struct roxi_load_options *o);
/* --unmatched, default ignore or cost */
struct ix_option_group roxi_unmatched_rows(struct roxi_compare_options *o);
/* --match-reward */
struct ix_option_group roxi_reward_rows(struct roxi_compare_options *o);
/* --diagonal */
struct ix_option_group roxi_diagonal_rows(struct roxi_compare_options *o);
/* --engine, --pruning */
struct ix_option_group roxi_engine_rows(struct roxi_compare_options *o);
/* --cache */
struct ix_option_group roxi_cache_rows(struct roxi_run_matrix_options *o);
/* --resume */
struct ix_option_group roxi_resume_rows(struct roxi_run_matrix_options *o);
/* --memlimit, which takes effect at once */
struct ix_option_group roxi_memlimit_rows(void);
/* --measure, --linkage, --scaling, --column-model */
struct ix_option_group roxi_linkage_rows(struct roxi_clustering_options *o);
/* --clusters, --height */
struct ix_option_group roxi_cut_rows(struct roxi_clustering_options *o);
/* --role-swap */
struct ix_option_group roxi_ranking_rows(struct roxi_ranking_options *o);
/* --json */
struct ix_option_group roxi_json_rows(bool *json);
/* --output, --provenance */
struct ix_option_group roxi_output_rows(struct roxi_output_options *o);

/* Rows that commands put into tables of their own, each of which fills in a member of a struct. */

/* --json: `format` becomes `word`, as by --format json */
#define ROXI_JSON_ROW(of, format, word)                                                            \
    {                                                                                              \
        .type = IX_OPTION_CHOICE, .name = "json", .help = "the same as --format json",             \
        .offset = offsetof(of, format), .min = (word)                                              \
    }
/* -o, --output: a const char *, or NULL for standard output */
#define ROXI_OUTPUT_ROW(of, file)                                                                  \
    {                                                                                              \
        .type = IX_OPTION_TEXT, .name = "output", .letter = 'o', .value = "FILE",                  \
        .help = "write to FILE instead of standard output", .offset = offsetof(of, file)           \
    }
/* -p, --packet: a size_t, or 0 for all packets */
#define ROXI_PACKET_ROW(of, packet)                                                                \
    {                                                                                              \
        .type = IX_OPTION_COUNT, .name = "packet", .letter = 'p', .value = "P",                    \
        .help = "only packet P", .min = 1, .max = SIZE_MAX, .offset = offsetof(of, packet)         \
    }

/* All options for computing a matrix, except the strategy. */
#define ROXI_COMPUTING_ROWS(matrix)                                                                \
    roxi_load_rows(&(matrix)->load), roxi_unmatched_rows(&(matrix)->compare),                      \
        roxi_reward_rows(&(matrix)->compare), roxi_diagonal_rows(&(matrix)->compare),              \
        roxi_cache_rows(matrix), roxi_resume_rows(matrix), roxi_engine_rows(&(matrix)->compare),   \
        roxi_memlimit_rows()

/* The text printed below the options of a command that has --strategy. A constant. */
const char *roxi_strategy_list(void);

/* ---- parsing ---- */

/* Parses; `output` is what roxi_output_rows fills in, or NULL. True: continue. False: return
 * *status from the command; either --help was printed, or the message is in *err. */
bool roxi_options_parse(const struct ix_command_line *line,
                        const struct roxi_output_options *output, int argc, char **argv,
                        char ***args, int *status, struct ix_error *err);

/* Adds to the message how to get help; returns ROXI_USAGE. */
int roxi_wrong_use(const char *command, struct ix_error *err);

/* Checks that the options of a command that clusters fit together. 0, or -1 with a message.
 * must_cut: they must determine a number of clusters. */
int roxi_clustering_check(const struct roxi_clustering_options *o,
                          const struct roxi_strategy *strategy, bool must_cut,
                          struct ix_error *err);

/* ---- what is stated ---- */

struct roxi_statement {
    struct roxi_stated list[24];
    size_t count;
};

void roxi_state_word(struct roxi_statement *s, const char *name, const char *word); /* NULL: none */
void roxi_state_number(struct roxi_statement *s, const char *name, double number);
void roxi_state_count(struct roxi_statement *s, const char *name, uint64_t count);
/* The same; 0 means not given. */
void roxi_state_given(struct roxi_statement *s, const char *name, uint64_t count);
void roxi_state_flag(struct roxi_statement *s, const char *name, bool flag);

void roxi_state_strategy(struct roxi_statement *s, const struct roxi_compare_options *o);
void roxi_state_loading(struct roxi_statement *s, const struct roxi_load_options *load);
void roxi_state_comparing(struct roxi_statement *s, const struct roxi_load_options *load,
                          const struct roxi_compare_options *o);
void roxi_state_diagonal(struct roxi_statement *s, const struct roxi_compare_options *o);
void roxi_state_clustering(struct roxi_statement *s, const struct roxi_clustering_options *o);
void roxi_state_ranking(struct roxi_statement *s, const struct roxi_ranking_options *o);

/* Everything that a command states whose result depends on distances and clusters. */
void roxi_state_clusters(struct roxi_statement *s, const struct roxi_run_matrix_options *matrix,
                         const struct roxi_clustering_options *clustering);

/* The statement must outlive the result. */
struct roxi_origin roxi_origin_of(const char *campaign, const struct roxi_statement *s,
                                  const struct roxi_profiles *profiles);

#endif
