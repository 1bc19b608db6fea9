/* roxi matrix: what distinguishes the executions of a campaign, as a matrix. */
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/features.h"
#include "roxi/output.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints the distances between all executions of a campaign, or (frame-count,\n"
             "stack-count) how often each frame or call stack occurs in each of them.",
    .takes = ROXI_OPT_STRATEGY | ROXI_OPT_LOADING | ROXI_OPT_UNMATCHED | ROXI_OPT_MATCH_REWARD |
             ROXI_OPT_DIAGONAL | ROXI_OPT_MATRIX_FORMAT | ROXI_OPT_OUTPUT |
             ROXI_OPT_WORK,
};

/* The matrix, and CLUTO's files of row and column labels. */
enum { FILES = 3 };

/* Opened before the work, so that a path that cannot be written is known at once. */
static int open_files(struct roxi_output *files, const struct roxi_options *o, size_t *opened,
                      struct ix_error *err)
{
    static const char *const endings[FILES] = {"", ".rlabel", ".clabel"};
    size_t want = o->matrix_format == ROXI_CLUTO && o->output ? FILES : 1;
    for (*opened = 0; *opened < want; (*opened)++) {
        char *path = NULL;
        if (o->output && asprintf(&path, "%s%s", o->output, endings[*opened]) < 0)
            return ix_fail(err, "out of memory");
        int result = roxi_output_open(&files[*opened], path, err);
        free(path);
        if (result != 0)
            return -1;
    }
    return 0;
}

static int write_matrix(FILE *out, const struct roxi_table *table,
                        enum roxi_matrix_format format, struct ix_error *err)
{
    switch (format) {
    case ROXI_CSV:
        return roxi_write_csv(out, table, err);
    case ROXI_CLUTO:
        roxi_write_cluto(out, table);
        break;
    case ROXI_NPY:
        roxi_write_npy(out, table);
        break;
    case ROXI_PHYLIP:
        roxi_write_phylip(out, table);
        break;
    }
    return 0;
}

static int write_files(struct roxi_output *files, size_t opened, const struct roxi_table *table,
                       enum roxi_matrix_format format, struct ix_error *err)
{
    if (write_matrix(files[0].stream, table, format, err) != 0)
        return -1;
    if (opened == FILES) {
        roxi_write_cluto_labels(files[1].stream, table->row_names, table->rows);
        roxi_write_cluto_labels(files[2].stream, table->col_names, table->cols);
    }
    /* The labels first: who finds the matrix finds them too. */
    for (size_t i = opened; i-- > 0;)
        if (roxi_output_commit(&files[i], err) != 0)
            return -1;
    return 0;
}

int roxi_cmd_matrix(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_output files[FILES] = {0};
    struct roxi_features features;
    size_t opened = 0;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (o.matrix_format == ROXI_PHYLIP && !roxi_strategy_is_distance(o.strategy)) {
        ix_fail(err, "--format phylip is for distances; --strategy %s counts", o.strategy->name);
        return ROXI_USAGE;
    }
    int result = open_files(files, &o, &opened, err);
    if (result == 0 && (result = roxi_features_make(&features, o.args[0], &o, err)) == 0) {
        result = write_files(files, opened, &features.table, o.matrix_format, err);
        roxi_features_free(&features);
    }
    for (size_t i = 0; i < opened; i++)
        roxi_output_abandon(&files[i]);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
