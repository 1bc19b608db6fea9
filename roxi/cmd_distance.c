/* roxi distance: the distance between two call stacks given on the command line. */
#include <stdio.h>
#include <stdlib.h>

#include "roxi/command.h"
#include "roxi/distance.h"
#include "roxi/options.h"
#include "roxi/output.h"
#include "roxi/stack_string.h"

static const struct roxi_usage usage = {
    .args = "A B",
    .arg_count = 2,
    .about = "Prints the distance between the call stacks A and B: frames joined by ';', the\n"
             "thread's entry first. A frame is Class.method(parameters)return:line, as in\n"
             "a.b.C.run(I[Ljava/lang/String;)V:12, or a class alone. '' is the empty stack.",
    .takes = ROXI_OPT_STRATEGY | ROXI_OPT_MATCH_REWARD | ROXI_OPT_OUTPUT,
};

static int measure(const struct roxi_options *o, const struct roxi_symbols *symbols,
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

static int print(const struct roxi_options *o, double distance, struct ix_error *err)
{
    struct roxi_output out;
    if (roxi_output_open(&out, o->output, err) != 0)
        return -1;
    fprintf(out.stream, "%.17g\n", distance);
    return roxi_output_commit(&out, err);
}

int roxi_cmd_distance(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (!roxi_strategy_is_distance(o.strategy)) {
        ix_fail(err, "--strategy %s counts; it measures no distance between call stacks",
                o.strategy->name);
        return ROXI_USAGE;
    }
    struct roxi_symbols *symbols = roxi_symbols_new();
    if (!symbols) {
        ix_fail(err, "out of memory");
        return ROXI_FAILED;
    }
    uint32_t stacks[2];
    double distance = 0;
    status = ROXI_OK;
    for (int i = 0; i < 2 && status == ROXI_OK; i++) {
        if (roxi_stack_parse(symbols, o.args[i], &stacks[i], err) != 0) {
            ix_fail_in(err, "call stack %c", "AB"[i]);
            status = ROXI_USAGE;
        }
    }
    if (status == ROXI_OK &&
        (measure(&o, symbols, stacks, &distance, err) != 0 || print(&o, distance, err) != 0))
        status = ROXI_FAILED;
    roxi_symbols_free(symbols);
    return status;
}
