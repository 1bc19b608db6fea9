/* roxi matrix: what distinguishes the executions of a campaign, as a matrix. */
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/features.h"
#include "roxi/provenance.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints the distances between all executions of a campaign, or (frame-count,\n"
             "stack-count) how often each frame or call stack occurs in each of them.",
    .takes = ROXI_OPT_STRATEGY | ROXI_OPT_LOADING | ROXI_OPT_UNMATCHED | ROXI_OPT_MATCH_REWARD |
             ROXI_OPT_DIAGONAL | ROXI_OPT_MATRIX_FORMAT | ROXI_OPT_OUTPUT |
             ROXI_OPT_WORK,
};

/* Where the matrix goes, and CLUTO's labels of rows and columns, if any. */
struct files {
    struct roxi_result matrix;
    struct roxi_output rows, columns;
};

static int open_labels(struct roxi_output *labels, const char *matrix, const char *ending,
                       struct ix_error *err)
{
    char *path;
    if (asprintf(&path, "%s%s", matrix, ending) < 0)
        return ix_fail(err, "out of memory");
    int result = roxi_output_open(labels, path, err);
    free(path);
    return result;
}

/* Opened before the work, so that a path that cannot be written is known at once. */
static int open_files(struct files *files, const struct roxi_options *o, struct ix_error *err)
{
    int result = roxi_result_open(&files->matrix, o, err);
    if (o->matrix_format != ROXI_CLUTO || !o->output)
        return result;
    if (result == 0)
        result = open_labels(&files->rows, o->output, ".rlabel", err);
    if (result == 0)
        result = open_labels(&files->columns, o->output, ".clabel", err);
    return result;
}

static void abandon(struct files *files)
{
    roxi_output_abandon(&files->rows);
    roxi_output_abandon(&files->columns);
    roxi_result_abandon(&files->matrix);
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

/* The labels first: who finds the matrix finds them too. */
static int write_labels(struct files *files, const struct roxi_table *table, struct ix_error *err)
{
    if (!files->rows.stream)
        return 0;
    roxi_write_cluto_labels(files->rows.stream, table->row_names, table->rows);
    roxi_write_cluto_labels(files->columns.stream, table->col_names, table->cols);
    if (roxi_output_commit(&files->columns, err) != 0)
        return -1;
    return roxi_output_commit(&files->rows, err);
}

static int write_files(struct files *files, const struct roxi_features *features,
                       const struct roxi_options *o, struct ix_error *err)
{
    const struct roxi_origin origin = {o, usage.takes, features->profiles};
    FILE *out = files->matrix.data.stream;
    if (write_matrix(out, &features->table, o->matrix_format, err) != 0 ||
        write_labels(files, &features->table, err) != 0)
        return -1;
    return roxi_result_commit(&files->matrix, "matrix", &origin, err);
}

int roxi_cmd_matrix(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct files files = {0};
    struct roxi_features features;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (o.matrix_format == ROXI_PHYLIP && !roxi_strategy_is_distance(o.strategy)) {
        ix_fail(err, "--format phylip is for distances; --strategy %s counts", o.strategy->name);
        return ROXI_USAGE;
    }
    int result = open_files(&files, &o, err);
    if (result == 0 && (result = roxi_features_make(&features, o.args[0], &o, err)) == 0) {
        result = write_files(&files, &features, &o, err);
        roxi_features_free(&features);
    }
    abandon(&files);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
