/* SPDX-License-Identifier: Apache-2.0 */
/* roxi matrix: what distinguishes the runs of a campaign, as a matrix. */
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
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

/* CLUTO's labels of rows and columns, if any. */
struct labels {
    struct roxi_output rows, columns;
};

/* Opens the files before the work starts, so that a path that cannot be written is reported at
 * once. */
static int open_labels(struct labels *labels, const struct request *q, struct ix_error *err)
{
    const char *matrix = q->output.output;
    if (q->own.format != CLUTO || !matrix)
        return 0;
    if (roxi_output_open_beside(&labels->rows, matrix, ".rlabel", err) != 0)
        return -1;
    return roxi_output_open_beside(&labels->columns, matrix, ".clabel", err);
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
static int write_labels(struct labels *labels, const struct roxi_table *table, struct ix_error *err)
{
    if (!labels->rows.stream)
        return 0;
    roxi_write_cluto_labels(labels->rows.stream, table->row_names, table->rows);
    roxi_write_cluto_labels(labels->columns.stream, table->col_names, table->cols);
    if (roxi_output_commit(&labels->columns, err) != 0)
        return -1;
    return roxi_output_commit(&labels->rows, err);
}

static int write_all(struct roxi_result *out, struct labels *labels,
                     const struct roxi_run_matrix *features, const struct request *q,
                     struct ix_error *err)
{
    struct roxi_statement s = {0};
    roxi_state_strategy(&s, &q->matrix.compare);
    roxi_state_comparing(&s, &q->matrix.load, &q->matrix.compare);
    roxi_state_diagonal(&s, &q->matrix.compare);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, features->profiles);
    if (write_matrix(out->data.stream, &features->table, q->own.format, err) != 0 ||
        write_labels(labels, &features->table, err) != 0)
        return -1;
    return roxi_result_commit(out, "matrix", &origin, err);
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    struct labels labels = {0};
    struct roxi_run_matrix features;
    int result = open_labels(&labels, q, err);
    if (result == 0)
        result = roxi_run_matrix_make(&features, q->campaign, &q->matrix, err);
    if (result == 0) {
        result = write_all(out, &labels, &features, q, err);
        roxi_run_matrix_free(&features);
    }
    roxi_output_abandon(&labels.rows);
    roxi_output_abandon(&labels.columns);
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

static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    const struct roxi_strategy *strategy = q->matrix.compare.strategy;
    return q->own.format == PHYLIP && !roxi_strategy_is_distance(strategy)
               ? ix_fail(err, "--format phylip is for distances; --strategy %s counts",
                         strategy->name)
               : 0;
}

int roxi_cmd_matrix(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix()};
    const struct ix_option_group groups[] = {
        roxi_strategy_rows(&q.matrix.compare),
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_output_rows(&q.output),
        ROXI_COMPUTING_ROWS(&q.matrix),
        {0},
    };
    const struct roxi_command command = {.name = "matrix",
                                         .about = about,
                                         .after = roxi_strategy_list(),
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
