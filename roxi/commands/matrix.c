/* SPDX-License-Identifier: Apache-2.0 */
/* roxi matrix: what distinguishes the runs of a campaign, as a matrix. */
#include <stdlib.h>

#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"
#include "roxi/distance/run_matrix.h"
#include "roxi/report/format.h"

static const char about[] =
    "Prints the distances between all runs of a campaign, or (frame-count,\n"
    "stack-count) how often each frame or call stack occurs in each of them.";

enum format { CSV, CLUTO, NPY, PHYLIP };

struct request {
    const char *campaign;
    struct roxi_run_matrix_options matrix;
    struct roxi_output_options output;
    struct own {
        enum format format;
    } own;
};

/* The output files: the matrix, and CLUTO's labels of rows and columns, if any. */
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

/* Opens the files before the work starts, so that a path that cannot be written is reported at
 * once. */
static int open_files(struct files *files, const struct request *q, struct ix_error *err)
{
    int result = roxi_result_open(&files->matrix, &q->output, err);
    if (q->own.format != CLUTO || !q->output.output)
        return result;
    if (result == 0)
        result = open_labels(&files->rows, q->output.output, ".rlabel", err);
    if (result == 0)
        result = open_labels(&files->columns, q->output.output, ".clabel", err);
    return result;
}

static void abandon(struct files *files)
{
    roxi_output_abandon(&files->rows);
    roxi_output_abandon(&files->columns);
    roxi_result_abandon(&files->matrix);
}

static int write_matrix(FILE *out, const struct roxi_table *table, enum format format,
                        struct ix_error *err)
{
    switch (format) {
    case CSV:
        return roxi_write_csv(out, table, err);
    case CLUTO:
        roxi_write_cluto(out, table);
        break;
    case NPY:
        roxi_write_npy(out, table);
        break;
    case PHYLIP:
        roxi_write_phylip(out, table);
        break;
    }
    return 0;
}

/* The labels first: whoever finds the matrix also finds the labels. */
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

static int write_files(struct files *files, const struct roxi_run_matrix *features,
                       const struct request *q, struct ix_error *err)
{
    struct roxi_statement s = {0};
    FILE *out = files->matrix.data.stream;
    roxi_state_strategy(&s, &q->matrix.compare);
    roxi_state_comparing(&s, &q->matrix.load, &q->matrix.compare);
    roxi_state_diagonal(&s, &q->matrix.compare);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, features->profiles);
    if (write_matrix(out, &features->table, q->own.format, err) != 0 ||
        write_labels(files, &features->table, err) != 0)
        return -1;
    return roxi_result_commit(&files->matrix, "matrix", &origin, err);
}

static int run(const struct request *q, struct ix_error *err)
{
    struct files files = {0};
    struct roxi_run_matrix features;
    int result = open_files(&files, q, err);
    if (result == 0)
        result = roxi_run_matrix_make(&features, q->campaign, &q->matrix, err);
    if (result == 0) {
        result = write_files(&files, &features, q, err);
        roxi_run_matrix_free(&features);
    }
    abandon(&files);
    return result;
}

static const struct ix_option own_rows[] = {{
    .type = IX_OPTION_WORD,
    .name = "format",
    .value = "F",
    .help = "csv; cluto: CLUTO's matrix file, and with -o FILE its labels in FILE.rlabel and "
            "FILE.clabel; npy: NumPy's array; phylip: a distance matrix",
    .preset = "csv",
    .words = "csv|cluto|npy|phylip", /* in the order of enum format */
    .offset = offsetof(struct own, format),
}};

int roxi_cmd_matrix(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix()};
    const struct ix_option_group groups[] = {
        roxi_strategy_rows(&q.matrix.compare),
        {own_rows, 1, &q.own},
        roxi_output_rows(&q.output),
        ROXI_COMPUTING_ROWS(&q.matrix),
        {0},
    };
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "matrix",
                                         .args = "CAMPAIGN",
                                         .args_min = 1,
                                         .args_max = 1,
                                         .about = about,
                                         .after = roxi_strategy_list(),
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, &q.output, argc, argv, &args, &status, err))
        return status;
    q.campaign = args[0];
    if (q.own.format == PHYLIP && !roxi_strategy_is_distance(q.matrix.compare.strategy)) {
        ix_fail(err, "--format phylip is for distances; --strategy %s counts",
                q.matrix.compare.strategy->name);
        return roxi_wrong_use("matrix", err);
    }
    return run(&q, err) == 0 ? ROXI_OK : ROXI_FAILED;
}
