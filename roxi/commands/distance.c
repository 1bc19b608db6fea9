/* SPDX-License-Identifier: Apache-2.0 */
/* roxi distance: the distance between two call stacks given on the command line. */
#include <stdio.h>
#include <stdlib.h>

#include "roxi/base/output.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"
#include "roxi/distance/distance.h"
#include "roxi/distance/stack_string.h"

static const char about[] =
    "Prints the distance between the call stacks A and B: frames joined by ';', the\n"
    "thread's entry first. A frame is Class.method(parameters)return:line, as in\n"
    "a.b.C.run(I[Ljava/lang/String;)V:12, or a class alone. '' is the empty stack.";

struct request {
    struct roxi_compare_options compare;
    struct own {
        const char *output;
    } own;
};

static const struct ix_option own_rows[] = {ROXI_OUTPUT_ROW(struct own, output)};

static int measure(const struct roxi_compare_options *o, const struct roxi_symbols *symbols,
                   const uint32_t *stacks, double *distance, struct ix_error *err)
{
    struct roxi_distance d;
    uint32_t m = roxi_symbols_stack_at(symbols, stacks[0]).depth;
    uint32_t n = roxi_symbols_stack_at(symbols, stacks[1]).depth;
    uint32_t *frames = calloc((size_t)m + n + 1, sizeof *frames);
    if (!frames)
        return ix_fail(err, "out of memory");
    int result = roxi_distance_init(&d, o->strategy, symbols, o->match_reward,
                                    roxi_symbols_deepest(symbols), err);
    if (result == 0) {
        roxi_symbols_unfold(symbols, stacks[0], frames);
        roxi_symbols_unfold(symbols, stacks[1], frames + m);
        *distance = roxi_distance(&d, frames, m, frames + m, n);
        roxi_distance_release(&d);
    }
    free(frames);
    return result;
}

static int print(const char *path, double distance, struct ix_error *err)
{
    struct roxi_output out;
    if (roxi_output_open(&out, path, err) != 0)
        return -1;
    fprintf(out.stream, "%.17g\n", distance);
    return roxi_output_commit(&out, err);
}

static int compare(const struct request *q, char **args, struct roxi_symbols *symbols,
                   struct ix_error *err)
{
    uint32_t stacks[2];
    double distance = 0;
    for (int i = 0; i < 2; i++) {
        if (roxi_stack_parse(symbols, args[i], &stacks[i], err) != 0) {
            ix_fail_in(err, "call stack %c", "AB"[i]);
            return roxi_wrong_use("distance", err);
        }
    }
    if (measure(&q->compare, symbols, stacks, &distance, err) != 0 ||
        print(q->own.output, distance, err) != 0)
        return ROXI_FAILED;
    return ROXI_OK;
}

int roxi_cmd_distance(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.compare = roxi_default_matrix().compare};
    const struct ix_option_group groups[] = {
        roxi_strategy_rows(&q.compare),
        roxi_reward_rows(&q.compare),
        IX_OPTION_GROUP(own_rows, &q.own),
        {0},
    };
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "distance",
                                         .args = "A B",
                                         .args_min = 2,
                                         .args_max = 2,
                                         .about = about,
                                         .after = roxi_strategy_list(),
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, NULL, argc, argv, &args, &status, err))
        return status;
    if (!roxi_strategy_is_distance(q.compare.strategy)) {
        ix_fail(err, "--strategy %s counts; it measures no distance between call stacks",
                q.compare.strategy->name);
        return roxi_wrong_use("distance", err);
    }
    struct roxi_symbols *symbols = roxi_symbols_new();
    if (!symbols) {
        ix_fail(err, "out of memory");
        return ROXI_FAILED;
    }
    status = compare(&q, args, symbols, err);
    roxi_symbols_free(symbols);
    return status;
}
