#include "roxi/features.h"

#include <stdlib.h>

#include "roxi/compare.h"
#include "roxi/counts.h"
#include "roxi/load.h"
#include "roxi/stack_string.h"

static int label_rows(struct roxi_features *f, struct ix_error *err)
{
    f->row_names = calloc(f->profiles->count, sizeof *f->row_names);
    if (!f->row_names)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < f->profiles->count; i++)
        f->row_names[i] = f->profiles->executions[i].name;
    return 0;
}

/* Frames and stacks as `roxi distance` reads them. */
static int label_columns(struct roxi_features *f, enum roxi_kind kind, struct ix_error *err)
{
    f->labels = calloc(f->counts.cols + 1, sizeof *f->labels);
    if (!f->labels)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < f->counts.cols; i++) {
        struct ix_out text = {0};
        if (kind == ROXI_FRAME_COUNT)
            roxi_frame_print(&text, f->profiles->symbols, f->symbols[i]);
        else
            roxi_stack_print(&text, f->profiles->symbols, f->symbols[i]);
        ix_put_u8(&text, 0);
        f->labels[i] = (char *)text.data;
        if (text.failed)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

static int measure(struct roxi_features *f, const struct roxi_options *o, struct ix_error *err)
{
    struct roxi_compare_options compare = {.strategy = o->strategy,
                                           .match_reward = o->match_reward,
                                           .unmatched_cost = o->unmatched_cost,
                                           .diagonal_computed = o->diagonal_computed};
    if (roxi_compare(f->profiles, &compare, &f->distances, err) != 0)
        return -1;
    f->table = (struct roxi_table){.rows = f->distances.n,
                                   .cols = f->distances.n,
                                   .whole = &f->distances,
                                   .row_names = f->row_names,
                                   .col_names = f->row_names};
    return 0;
}

static int count(struct roxi_features *f, const struct roxi_options *o, struct ix_error *err)
{
    if (roxi_counts(f->profiles, o->strategy->kind, &f->counts, &f->symbols, err) != 0 ||
        label_columns(f, o->strategy->kind, err) != 0)
        return -1;
    f->table = (struct roxi_table){.rows = f->counts.rows,
                                   .cols = f->counts.cols,
                                   .sparse = &f->counts,
                                   .row_names = f->row_names,
                                   .col_names = (const char *const *)f->labels};
    return 0;
}

int roxi_features_make(struct roxi_features *f, const char *campaign, const struct roxi_options *o,
                       struct ix_error *err)
{
    *f = (struct roxi_features){.profiles = roxi_load(campaign, o->min_vms, err)};
    if (!f->profiles)
        return -1;
    bool distance = roxi_strategy_is_distance(o->strategy);
    if (label_rows(f, err) == 0 && (distance ? measure(f, o, err) : count(f, o, err)) == 0)
        return 0;
    roxi_features_free(f);
    return -1;
}

void roxi_features_free(struct roxi_features *f)
{
    for (size_t i = 0; f->labels && i < f->counts.cols; i++)
        free(f->labels[i]);
    free(f->labels);
    free(f->row_names);
    free(f->symbols);
    roxi_sparse_free(&f->counts);
    roxi_matrix_free(&f->distances);
    roxi_profiles_free(f->profiles);
    *f = (struct roxi_features){0};
}
