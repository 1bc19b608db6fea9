/* The options that several commands share: one table of them, from which they are parsed and --help
 * is printed. */
#ifndef ROXI_OPTIONS_H
#define ROXI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "roxi/cluster.h"
#include "roxi/compare.h"
#include "roxi/load.h"
#include "roxi/sampling.h"
#include "roxi/strategy.h"
#include "schema/error.h"

/* Which options a command takes. */
enum roxi_option {
    ROXI_OPT_STRATEGY = 1 << 0,
    ROXI_OPT_MATCH_REWARD = 1 << 1,
    ROXI_OPT_MIN_VMS = 1 << 2,
    ROXI_OPT_UNMATCHED = 1 << 3,
    ROXI_OPT_DIAGONAL = 1 << 4,
    ROXI_OPT_CLUSTERS = 1 << 5,
    ROXI_OPT_LINKAGE = 1 << 6,
    ROXI_OPT_SCALING = 1 << 7,
    ROXI_OPT_COLUMN_MODEL = 1 << 8,
    ROXI_OPT_NEIGHBOURS = 1 << 9,
    ROXI_OPT_MATRIX_FORMAT = 1 << 10,
    ROXI_OPT_CLUSTER_FORMAT = 1 << 11,
    ROXI_OPT_OUTPUT = 1 << 12,
    ROXI_OPT_ENGINE = 1 << 13,
    ROXI_OPT_RULES = 1 << 14,
    ROXI_OPT_GRANULARITY = 1 << 15,
    ROXI_OPT_EXPLAIN = 1 << 16,
    ROXI_OPT_KEEP = 1 << 17,
    ROXI_OPT_RESUME = 1 << 18,
    ROXI_OPT_MEMLIMIT = 1 << 19,
    ROXI_OPT_ON = 1 << 20,
    ROXI_OPT_HEIGHT = 1 << 21,
    ROXI_OPT_METHOD = 1 << 22,
    ROXI_OPT_SIZE = 1 << 23, /* --size, --seed */
    ROXI_OPT_EFFORT = 1 << 24, /* --effort, --format csv|json|svg */
    ROXI_OPT_JSON = 1 << 25,
    ROXI_OPT_VERDICTS = 1 << 26,
    ROXI_OPT_PRUNING = 1 << 27,
    ROXI_OPT_ASPECTS = 1 << 28, /* --aspects, --peers */
    ROXI_OPT_RANKING = 1 << 29, /* --reference, --explain, --format tsv|json|svg */
    ROXI_OPT_BASELINE = 1 << 30, /* --baseline, --alarm */
    /* All that says how long work is done. */
    ROXI_OPT_WORK = ROXI_OPT_ENGINE | ROXI_OPT_PRUNING | ROXI_OPT_KEEP | ROXI_OPT_RESUME |
                    ROXI_OPT_MEMLIMIT,
    /* All that says how logs are read. */
    ROXI_OPT_LOADING =
        ROXI_OPT_MIN_VMS | ROXI_OPT_RULES | ROXI_OPT_GRANULARITY | ROXI_OPT_EXPLAIN,
    /* What decides how far apart executions are, and how they are clustered. */
    ROXI_OPTS_COMPARE = ROXI_OPT_STRATEGY | ROXI_OPT_LOADING | ROXI_OPT_UNMATCHED |
                        ROXI_OPT_MATCH_REWARD | ROXI_OPT_DIAGONAL | ROXI_OPT_WORK,
    /* What decides how unusual they are. */
    ROXI_OPTS_RANK = ROXI_OPT_STRATEGY | ROXI_OPT_LOADING | ROXI_OPT_UNMATCHED |
                     ROXI_OPT_MATCH_REWARD | ROXI_OPT_NEIGHBOURS | ROXI_OPT_ASPECTS |
                     ROXI_OPT_ENGINE | ROXI_OPT_PRUNING | ROXI_OPT_MEMLIMIT,
    ROXI_OPTS_LINK = ROXI_OPT_LINKAGE | ROXI_OPT_SCALING | ROXI_OPT_COLUMN_MODEL | ROXI_OPT_ON,
    ROXI_OPTS_CUT = ROXI_OPT_CLUSTERS | ROXI_OPT_HEIGHT,
};

enum roxi_cluster_format {
    ROXI_CLUSTER_TSV,
    ROXI_CLUSTER_CLUTO,
    ROXI_CLUSTER_CSV,
    ROXI_CLUSTER_JSON,
    ROXI_CLUSTER_NEWICK,
    ROXI_CLUSTER_LINKAGE,
    ROXI_CLUSTER_RHCLUST,
    ROXI_CLUSTER_SVG,
};

enum roxi_matrix_format { ROXI_CSV, ROXI_CLUTO, ROXI_NPY, ROXI_PHYLIP };

struct roxi_options {
    const struct roxi_strategy *strategy;
    double match_reward;
    enum roxi_engine_choice engine;
    struct roxi_load_options load;
    bool unmatched_given; /* --unmatched */
    bool unmatched_cost, diagonal_computed, sqrt_rows, idf_columns;
    bool no_pruning; /* every cell is computed */
    bool no_keeping; /* neither use distances computed before nor keep these */
    bool resume;     /* go on with what was interrupted */
    enum roxi_matrix_format matrix_format;
    enum roxi_cluster_format cluster_format;
    enum roxi_measure on;
    enum roxi_linkage linkage;
    size_t clusters, neighbours; /* 0: not given */
    bool clusters_auto, height_given;
    double height;
    enum roxi_method method;
    bool method_given;
    size_t size;         /* of a sample; 0: not given */
    uint64_t seed;       /* of the choice at random */
    bool effort;         /* instead of the thesis' tables */
    unsigned aspects;    /* 1 << enum roxi_aspect */
    bool named;          /* --peers named */
    bool by_labelled;    /* --reference labelled */
    bool explain;        /* what scores are made of */
    bool by_clusters;    /* --by clusters */
    const char *baseline; /* a campaign; NULL: not given */
    double alarm;        /* false alarms, as a share of good executions */
    bool json;           /* instead of what a human reads, */
    bool svg;            /* or a plot: at most one of both */
    bool trust_passed;   /* a run that nobody but its exit status called passed counts as labelled */
    const char *output;          /* NULL: standard output */
    const char *provenance;      /* a file that says where the output comes from; NULL: none */
    char **args;                 /* what is not an option */
};

struct roxi_usage {
    const char *args;  /* as in "CAMPAIGN" */
    int arg_count;     /* exactly so many */
    const char *about; /* a paragraph of lines, at most 80 characters wide */
    unsigned takes;    /* ROXI_OPT_* */
};

/* The words for --linkage, --on, --method and --granularity, as given on the command line. */
const char *roxi_linkage_name(enum roxi_linkage linkage);
const char *roxi_measure_name(enum roxi_measure measure);
const char *roxi_method_name(enum roxi_method method);
const char *roxi_granularity_name(enum roxi_granularity granularity);

/* The defaults: gap, as --help tells them. */
struct roxi_options roxi_options_default(void);

/* Fills *o, which holds the defaults. True: go on. False: return *status from the command; either
 * --help was printed, or the message is in *err. */
bool roxi_options_parse(struct roxi_options *o, const struct roxi_usage *usage, int argc,
                        char **argv, int *status, struct ix_error *err);

#endif
