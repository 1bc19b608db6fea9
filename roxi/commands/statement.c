/* SPDX-License-Identifier: Apache-2.0 */
/* What results state about the options used (options.h). */
#include <stdio.h>
#include <string.h>

#include "roxi/commands/options.h"

static struct roxi_stated *add(struct roxi_statement *s, const char *name,
                               enum roxi_stated_kind kind)
{
    struct roxi_stated *stated = &s->list[s->count++];
    *stated = (struct roxi_stated){.name = name, .kind = kind};
    return stated;
}

void roxi_state_word(struct roxi_statement *s, const char *name, const char *word)
{
    add(s, name, word ? ROXI_STATED_WORD : ROXI_STATED_NOT_GIVEN)->word = word;
}

void roxi_state_number(struct roxi_statement *s, const char *name, double number)
{
    add(s, name, ROXI_STATED_NUMBER)->number = number;
}

void roxi_state_count(struct roxi_statement *s, const char *name, uint64_t count)
{
    add(s, name, ROXI_STATED_COUNT)->count = count;
}

void roxi_state_given(struct roxi_statement *s, const char *name, uint64_t count)
{
    if (count)
        roxi_state_count(s, name, count);
    else
        roxi_state_word(s, name, NULL);
}

void roxi_state_flag(struct roxi_statement *s, const char *name, bool flag)
{
    add(s, name, ROXI_STATED_FLAG)->flag = flag;
}

void roxi_state_strategy(struct roxi_statement *s, const struct roxi_compare_options *o)
{
    roxi_state_word(s, "strategy", o->strategy->name);
}

void roxi_state_loading(struct roxi_statement *s, const struct roxi_load_options *load)
{
    if (load->min_vms == ROXI_ALL_VMS)
        roxi_state_word(s, "min-vms", "all");
    else if (load->min_vms == ROXI_AUTO_VMS)
        roxi_state_word(s, "min-vms", "auto");
    else
        roxi_state_count(s, "min-vms", load->min_vms);
    if (load->test)
        roxi_state_word(s, "test", load->test);
    roxi_state_word(s, "granularity", roxi_granularity_name(load->granularity));
    roxi_state_word(s, "rules", load->rules);
}

void roxi_state_comparing(struct roxi_statement *s, const struct roxi_load_options *load,
                          const struct roxi_compare_options *o)
{
    roxi_state_number(s, "match-reward", o->match_reward);
    roxi_state_loading(s, load);
    roxi_state_word(s, "unmatched", o->unmatched_cost ? "cost" : "ignore");
}

void roxi_state_diagonal(struct roxi_statement *s, const struct roxi_compare_options *o)
{
    roxi_state_word(s, "diagonal", o->diagonal_computed ? "computed" : "zero");
}

void roxi_state_clustering(struct roxi_statement *s, const struct roxi_clustering_options *o)
{
    roxi_state_word(s, "measure", roxi_measure_name(o->measure));
    roxi_state_word(s, "linkage", roxi_linkage_name(o->linkage));
    roxi_state_word(s, "scaling", o->similarity.sqrt_rows ? "sqrt" : "none");
    roxi_state_word(s, "column-model", o->similarity.idf_columns ? "idf" : "none");
    if (o->clusters_auto)
        roxi_state_word(s, "clusters", "auto");
    else
        roxi_state_given(s, "clusters", o->clusters);
    if (o->height_given)
        roxi_state_number(s, "height", o->height);
    else
        roxi_state_word(s, "height", NULL);
}

void roxi_state_ranking(struct roxi_statement *s, const struct roxi_ranking_options *o)
{
    roxi_state_word(s, "role-swap", o->no_role_swap ? "no" : "yes");
}

void roxi_state_clusters(struct roxi_statement *s, const struct roxi_run_matrix_options *matrix,
                         const struct roxi_clustering_options *clustering)
{
    roxi_state_strategy(s, &matrix->compare);
    roxi_state_comparing(s, &matrix->load, &matrix->compare);
    roxi_state_diagonal(s, &matrix->compare);
    roxi_state_clustering(s, clustering);
}

struct roxi_origin roxi_origin_of(const char *campaign, const struct roxi_statement *s,
                                  const struct roxi_profiles *profiles)
{
    return (struct roxi_origin){campaign, s->list, s->count, profiles};
}
