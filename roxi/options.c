#include "roxi/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "roxi/command.h"
#include "roxi/options_words.h"
#include "roxi/rank.h"
#include "schema/bytes.h"

struct option_rule {
    enum roxi_option bit;
    const char *name;
    int letter; /* 0 none */
    const char *value; /* NULL: takes none */
    const char *help; /* lines after the first are indented by the printer */
    int (*set)(struct roxi_options *o, const char *value, struct ix_error *err);
    /* Where there is no `set`: a bool of the options, which becomes true, or says that the value is the
     * second of two words. */
    size_t flag;
    const char *words;
};
#define FLAG(name) offsetof(struct roxi_options, name)

/* ---- values ---- */

static int number(const char *value, size_t *out, struct ix_error *err)
{
    char *end;
    errno = 0;
    unsigned long parsed = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno || parsed < 1 || parsed > 1000000000)
        return ix_fail(err, "'%s' is no number from 1 to 1000000000", value);
    *out = parsed;
    return 0;
}

static int set_strategy(struct roxi_options *o, const char *value, struct ix_error *err)
{
    o->strategy = roxi_strategy_find(value);
    if (o->strategy)
        return 0;
    struct ix_out names = {0};
    const struct roxi_strategy *s;
    for (size_t i = 0; (s = roxi_strategy_at(i)); i++) {
        ix_put_bytes(&names, " ", 1);
        ix_put_bytes(&names, s->name, strlen(s->name));
    }
    ix_put_u8(&names, 0);
    ix_fail(err, "'%s' is none of%s", value, names.failed ? "" : (const char *)names.data);
    ix_out_free(&names);
    return -1;
}

/* Far beyond use, and far from overflow: costs grow with the square of a stack's length. */
#define MATCH_REWARD_MAX 1e9

static int set_match_reward(struct roxi_options *o, const char *value, struct ix_error *err)
{
    char *end;
    o->match_reward = strtod(value, &end);
    if (end == value || *end || !(o->match_reward > 0 && o->match_reward <= MATCH_REWARD_MAX))
        return ix_fail(err, "'%s' is no number above 0 and up to %g", value, MATCH_REWARD_MAX);
    return 0;
}

static int set_min_vms(struct roxi_options *o, const char *value, struct ix_error *err)
{
    size_t n = 0; /* all */
    if (strcmp(value, "all") != 0 && number(value, &n, err) != 0)
        return ix_fail(err, "'%s' is neither a number from 1 on nor 'all'", value);
    o->load.min_vms = (uint32_t)n;
    return 0;
}

static int set_rules(struct roxi_options *o, const char *value, struct ix_error *err)
{
    if (!*value)
        return ix_fail(err, "a file name is needed");
    o->load.rules = value;
    return 0;
}

/* The words are in the order of enum roxi_granularity. */
static int set_granularity(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "line|method|class", err);
    if (chosen < 0)
        return -1;
    o->load.granularity = (enum roxi_granularity)chosen;
    return 0;
}

static int set_unmatched(struct roxi_options *o, const char *value, struct ix_error *err)
{
    o->unmatched_given = true;
    return roxi_choose_flag(value, "ignore|cost", &o->unmatched_cost, err);
}

/* The words are in the order of enum roxi_engine_choice. */
static int set_engine(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "fast|reference|portable|avx2|avx512", err);
    if (chosen < 0)
        return -1;
    o->engine = (enum roxi_engine_choice)chosen;
    return 0;
}

/* Bytes; from here on allocations beyond it fail, and the command with a message. */
static int set_memlimit(struct roxi_options *o, const char *value, struct ix_error *err)
{
    (void)o;
    char *unit;
    errno = 0;
    double bytes = strtod(value, &unit);
    const char *units = "kmgt", *at = *unit ? strchr(units, *unit | 0x20) : NULL;
    if (value[0] < '0' || value[0] > '9' || errno || (*unit && (!at || unit[1])))
        return ix_fail(err, "'%s' is no size such as 500m or 4g", value);
    for (ptrdiff_t i = at ? at - units : -1; i >= 0; i--)
        bytes *= 1024;
    if (bytes < 16 << 20 || bytes > 1e18)
        return ix_fail(err, "'%s' is below 16m, or absurd", value);
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    return setrlimit(RLIMIT_AS, &limit) == 0
               ? 0
               : ix_fail(err, "cannot be set: %s", strerror(errno));
}

static int set_clusters(struct roxi_options *o, const char *value, struct ix_error *err)
{
    o->clusters = 0;
    o->clusters_auto = strcmp(value, "auto") == 0;
    if (!o->clusters_auto && number(value, &o->clusters, err) != 0)
        return ix_fail(err, "'%s' is neither a number from 1 on nor 'auto'", value);
    return 0;
}

static int set_height(struct roxi_options *o, const char *value, struct ix_error *err)
{
    char *end;
    o->height = strtod(value, &end);
    o->height_given = true;
    return end != value && !*end && isfinite(o->height) ? 0
                                                        : ix_fail(err, "'%s' is no number", value);
}

static int set_on(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "cosine|distance", err);
    if (chosen < 0)
        return -1;
    o->on = (enum roxi_measure)chosen;
    return 0;
}

static int set_method(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "random|one-per-cluster|n-per-cluster|small-clusters|adaptive", err);
    if (chosen < 0)
        return -1;
    o->method = (enum roxi_method)chosen;
    o->method_given = true;
    return 0;
}

static int set_size(struct roxi_options *o, const char *value, struct ix_error *err)
{
    return number(value, &o->size, err);
}

static int set_seed(struct roxi_options *o, const char *value, struct ix_error *err)
{
    char *end;
    errno = 0;
    o->seed = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno)
        return ix_fail(err, "'%s' is no number from 0 to 2^64 - 1", value);
    return 0;
}

static int set_json(struct roxi_options *o, const char *value, struct ix_error *err)
{
    (void)value;
    (void)err;
    o->json = true;
    o->svg = false;
    return 0;
}

/* Of two formats the last one counts, --json being one. */
static int set_report(struct roxi_options *o, const char *value, const char *words,
                      struct ix_error *err)
{
    const int chosen = roxi_choose(value, words, err);
    o->json = chosen == 1;
    o->svg = chosen == 2;
    return chosen < 0 ? -1 : 0;
}

static int set_table_format(struct roxi_options *o, const char *value, struct ix_error *err)
{
    return set_report(o, value, "csv|json|svg", err);
}

static int set_rank_format(struct roxi_options *o, const char *value, struct ix_error *err)
{
    return set_report(o, value, "tsv|json|svg", err);
}

static int set_aspects(struct roxi_options *o, const char *value, struct ix_error *err)
{
    return roxi_aspects_parse(value, &o->aspects, err);
}

static int set_baseline(struct roxi_options *o, const char *value, struct ix_error *err)
{
    if (!*value)
        return ix_fail(err, "the directory of a campaign is needed");
    o->baseline = value;
    return 0;
}

/* As in 1%, or 0.01. */
static int set_alarm(struct roxi_options *o, const char *value, struct ix_error *err)
{
    char *end;
    o->alarm = strtod(value, &end);
    if (end != value && strcmp(end, "%") == 0) {
        o->alarm /= 100;
        end++;
    }
    if (end == value || *end || !(o->alarm > 0 && o->alarm <= 0.5))
        return ix_fail(err, "'%s' is no share above 0 and up to a half, such as 1%% or 0.01",
                       value);
    return 0;
}

static int set_linkage(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "single|complete|average|ward", err);
    if (chosen < 0)
        return -1;
    o->linkage = (enum roxi_linkage)chosen;
    return 0;
}

static int set_neighbours(struct roxi_options *o, const char *value, struct ix_error *err)
{
    return number(value, &o->neighbours, err);
}

static int set_matrix_format(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "csv|cluto|npy|phylip", err);
    if (chosen < 0)
        return -1;
    o->matrix_format = (enum roxi_matrix_format)chosen;
    return 0;
}

static int set_cluster_format(struct roxi_options *o, const char *value, struct ix_error *err)
{
    int chosen = roxi_choose(value, "tsv|cluto|csv|json|newick|linkage|rhclust|svg", err);
    if (chosen < 0)
        return -1;
    o->cluster_format = (enum roxi_cluster_format)chosen;
    return 0;
}

static int set_output(struct roxi_options *o, const char *value, struct ix_error *err)
{
    if (!*value)
        return ix_fail(err, "a file name is needed");
    o->output = value;
    return 0;
}

static int set_provenance(struct roxi_options *o, const char *value, struct ix_error *err)
{
    if (!*value)
        return ix_fail(err, "a file name is needed");
    o->provenance = value;
    return 0;
}

/* ---- the table ---- */

static const struct option_rule rules[] = {
    {ROXI_OPT_STRATEGY, "strategy", 's', "S",
     "how call stacks or counts are compared, see below;\n"
     "default gap",
     .set = set_strategy},
    {ROXI_OPT_CLUSTERS, "clusters", 'k', "K",
     "merge until K clusters are left; auto: as many as\nhave the highest mean silhouette, up to 300",
     .set = set_clusters},
    {ROXI_OPT_HEIGHT, "height", 0, "H",
     "instead: merge what is no farther apart than H\n(cosine: 1 - similarity)", .set = set_height},
    {ROXI_OPT_ON, "on", 0, "D",
     "cluster by cosine, of the matrix' rows, or by the\ndistance of executions; default cosine",
     .set = set_on},
    {ROXI_OPT_LINKAGE, "linkage", 0, "L", "single, complete, average or ward; default average",
     .set = set_linkage},
    {ROXI_OPT_SCALING, "scaling", 0, "M",
     "none, or sqrt: the square root of every value;\ndefault none",
     .words = "none|sqrt", .flag = FLAG(sqrt_rows)},
    {ROXI_OPT_COLUMN_MODEL, "column-model", 0, "M",
     "none, or idf: a column weighs the more the fewer\nrows have it; default none",
     .words = "none|idf", .flag = FLAG(idf_columns)},
    {ROXI_OPT_NEIGHBOURS, "neighbours", 0, "K",
     "compare with the K nearest executions;\ndefault the square root of their number",
     .set = set_neighbours},
    {ROXI_OPT_MIN_VMS, "min-vms", 0, "N",
     "use only packets that at least N JVMs of the\nexecution answered, or 'all'; default 2;\n"
     "1 for a system of one JVM",
     .set = set_min_vms},
    {ROXI_OPT_GRANULARITY, "granularity", 0, "G",
     "how much of a frame is compared: line, method (no\nlines) or class; so that two builds of a "
     "program\ncan be compared; default line",
     .set = set_granularity},
    {ROXI_OPT_RULES, "rules", 0, "FILE",
     "rules for names, instead of those that\n'roxi rules' prints", .set = set_rules},
    {ROXI_OPT_EXPLAIN, "explain-names", 0, NULL,
     "show on standard error what became of names:\nkind, name, result, lines of the rules",
     .flag = FLAG(load.explain)},
    {ROXI_OPT_UNMATCHED, "unmatched", 0, "U",
     "a role or thread that only one execution has:\nignore, or cost: its stacks' distances to "
     "the\n"
     "empty stack; default ignore (rankings: cost)",
     .set = set_unmatched},
    {ROXI_OPT_MATCH_REWARD, "match-reward", 0, "R",
     "what identical frames gain in call-stack-1 to 3;\ndefault 1", .set = set_match_reward},
    {ROXI_OPT_DIAGONAL, "diagonal", 0, "D",
     "an execution's distance to itself: zero, or\ncomputed by the formula; default zero",
     .words = "zero|computed", .flag = FLAG(diagonal_computed)},
    {ROXI_OPT_ENGINE, "engine", 0, "E",
     "how distances are computed: fast, or reference,\nplainly and slowly; or the fast engine "
     "with one\ninstruction set: portable, avx2, avx512. All give\nthe same; default fast",
     .set = set_engine},
    {ROXI_OPT_PRUNING, "pruning", 0, "P",
     "yes: what call stacks have in common is computed\nonce, or not at all; no: every pair whole, for\n"
     "comparison, with the same result; default yes",
     .words = "yes|no", .flag = FLAG(no_pruning)},
    {ROXI_OPT_KEEP, "keep", 0, "K",
     "yes: distances are kept in CAMPAIGN/kept, and of\nthose that are there only new ones computed;\n"
     "no: neither; default yes",
     .words = "yes|no", .flag = FLAG(no_keeping)},
    {ROXI_OPT_RESUME, "resume", 0, NULL,
     "go on with the same computation that was\ninterrupted", .flag = FLAG(resume)},
    {ROXI_OPT_MEMLIMIT, "memlimit", 0, "SIZE",
     "take no more memory (address space) than this,\nsuch as 500m or 4g: fail with a message instead",
     .set = set_memlimit},
    {ROXI_OPT_MATRIX_FORMAT, "format", 0, "F",
     "csv; cluto: CLUTO's matrix file, and with -o FILE\nits labels in FILE.rlabel and FILE.clabel;\n"
     "npy: NumPy's array; phylip: a distance matrix;\ndefault csv",
     .set = set_matrix_format},
    {ROXI_OPT_CLUSTER_FORMAT, "format", 0, "F",
     "tsv: NAME<TAB>CLUSTER; csv; cluto: a number a line,\nand with -o FILE the tree in FILE.tree; "
     "json: all\nof it; whole trees: newick, linkage (SciPy, .npy),\nrhclust (R, JSON), svg (a dendrogram); default tsv",
     .set = set_cluster_format},
    {ROXI_OPT_METHOD, "method", 'm', "M", "how executions are chosen, see below; required",
     .set = set_method},
    {ROXI_OPT_SIZE, "size", 'n', "N",
     "how many executions; n-per-cluster: of each cluster", .set = set_size},
    {ROXI_OPT_SIZE, "seed", 0, "N", "of the choice at random; default 1", .set = set_seed},
    {ROXI_OPT_EFFORT, "effort", 0, NULL,
     "instead: how many executions are looked at until\n"
     "the failures are found, by every way there is",
     .flag = FLAG(effort)},
    {ROXI_OPT_EFFORT, "format", 0, "F", "csv, json, or svg: curves as a plot; default csv",
     .set = set_table_format},
    {ROXI_OPT_RANKING, "format", 0, "F", "tsv, json, or svg: scores as a plot; default tsv",
     .set = set_rank_format},
    {ROXI_OPT_ASPECTS, "aspects", 0, "LIST",
     "what is compared: stacks, ends, early, states,\n"
     "packets, threads, stays, moves, with commas\nbetween; default the first four",
     .set = set_aspects},
    {ROXI_OPT_ASPECTS, "peers", 0, "P",
     "roles such as 'Server 1' and 'Server 2' of which\neach did what the other one typically does:\n"
     "exchange their names, or compare as named;\ndefault exchange",
     .words = "exchange|named", .flag = FLAG(named)},
    {ROXI_OPT_RANKING, "reference", 0, "R",
     "compare with all executions, or with those that a\n"
     "user labelled passed, which come last then: all,\nlabelled; default all",
     .words = "all|labelled", .flag = FLAG(by_labelled)},
    {ROXI_OPT_RANKING, "explain", 0, NULL, "say of each execution what its score is made of",
     .flag = FLAG(explain)},
    {ROXI_OPT_BASELINE, "baseline", 0, "GOOD", "a campaign of good executions; required",
     .set = set_baseline},
    {ROXI_OPT_BASELINE, "alarm", 0, "RATE",
     "so many good executions are called unusual, at\nmost: 1%, or 0.01; default 1%",
     .set = set_alarm},
    {ROXI_OPT_VERDICTS, "by", 0, "B",
     "rank: the most unusual one that nobody has looked\n"
     "at; clusters: adaptive sampling; default rank,\nbut clusters with --clusters or --height",
     .words = "rank|clusters", .flag = FLAG(by_clusters)},
    {ROXI_OPT_VERDICTS, "verdicts", 0, "V",
     "seen: a run that passed by its exit status has not\nbeen looked at yet; all: it counts like one "
     "that a\nuser called passed; default seen",
     .words = "seen|all", .flag = FLAG(trust_passed)},
    {ROXI_OPT_JSON, "json", 0, NULL, "print JSON, for scripts", .set = set_json},
    {ROXI_OPT_OUTPUT, "output", 'o', "FILE", "write there instead of to standard output",
     .set = set_output},
    {ROXI_OPT_OUTPUT, "provenance", 0, "FILE",
     "also write there where the output comes from:\nversion, options, inputs, as JSON",
     .set = set_provenance},
};
enum { RULES = sizeof rules / sizeof rules[0], CODE = 256 };

struct roxi_options roxi_options_default(void)
{
    return (struct roxi_options){.strategy = roxi_strategy_find("gap"),
                                 .match_reward = 1,
                                 .load = {.min_vms = 2},
                                 .linkage = ROXI_AVERAGE,
                                 .aspects = roxi_rank_aspects,
                                 .alarm = 0.01,
                                 .seed = 1};
}

/* ---- help ---- */

static void print_rule(const struct option_rule *rule)
{
    char name[64];
    snprintf(name, sizeof name, "%c%c%s --%s %s", rule->letter ? '-' : ' ',
             rule->letter ? rule->letter : ' ', rule->letter ? "," : " ", rule->name,
             rule->value ? rule->value : "");
    const char *left = name;
    for (const char *line = rule->help; *line;) {
        size_t len = strcspn(line, "\n");
        printf("  %-26s %.*s\n", left, (int)len, line);
        left = "";
        line += len + (line[len] == '\n');
    }
}

static int print_help(const struct roxi_usage *usage, const char *command, struct ix_error *err)
{
    printf("Usage: roxi %s [OPTION]... %s\n%s\n\n", command, usage->args, usage->about);
    for (size_t i = 0; i < RULES; i++)
        if (usage->takes & rules[i].bit)
            print_rule(&rules[i]);
    if (usage->takes & ROXI_OPT_STRATEGY) {
        printf("\nStrategies:\n");
        const struct roxi_strategy *s;
        for (size_t i = 0; (s = roxi_strategy_at(i)); i++)
            printf("  %-20s %s\n", s->name, s->about);
    }
    if (fflush(stdout) == 0)
        return ROXI_OK;
    ix_fail(err, "cannot write standard output: %s", strerror(errno));
    return ROXI_FAILED;
}

/* ---- parsing ---- */

static const struct option_rule *rule_for(int code, unsigned takes)
{
    for (size_t i = 0; i < RULES; i++)
        if ((takes & rules[i].bit) && (code == CODE + (int)i || code == rules[i].letter))
            return &rules[i];
    return NULL;
}

/* What getopt_long wants: `words` and `letters` have room for all rules and --help. */
static void describe(unsigned takes, struct option *words, char *letters)
{
    size_t w = 0, l = 0;
    letters[l++] = ':';
    for (size_t i = 0; i < RULES; i++) {
        if (!(takes & rules[i].bit))
            continue;
        words[w++] = (struct option){rules[i].name,
                                     rules[i].value ? required_argument : no_argument, NULL,
                                     CODE + (int)i};
        if (rules[i].letter) {
            letters[l++] = (char)rules[i].letter;
            letters[l++] = ':';
        }
    }
    letters[l++] = 'h';
    letters[l] = '\0';
    words[w++] = (struct option){"help", no_argument, NULL, 'h'};
    words[w] = (struct option){0};
}

static int apply(const struct option_rule *rule, struct roxi_options *o, const char *value,
                 struct ix_error *err)
{
    if (rule->set)
        return rule->set(o, value, err);
    bool *flag = (bool *)((char *)o + rule->flag);
    if (rule->words)
        return roxi_choose_flag(value, rule->words, flag, err);
    *flag = true;
    return 0;
}

bool roxi_options_parse(struct roxi_options *o, const struct roxi_usage *usage, int argc,
                        char **argv, int *status, struct ix_error *err)
{
    struct option words[RULES + 2];
    char letters[2 * RULES + 3];
    int code;
    describe(usage->takes, words, letters);
    opterr = 0;
    optind = 0; /* GNU: start anew, whatever was parsed before */
    while ((code = getopt_long(argc, argv, letters, words, NULL)) != -1) {
        if (code == 'h') {
            *status = print_help(usage, argv[0], err);
            return false;
        }
        const struct option_rule *rule = rule_for(code, usage->takes);
        if (!rule) {
            *status = roxi_bad_option(code, argv, err);
            return false;
        }
        if (apply(rule, o, optarg, err) != 0) {
            ix_fail_in(err, "--%s", rule->name);
            *status = ROXI_USAGE;
            return false;
        }
    }
    o->args = argv + optind;
    *status = ROXI_USAGE;
    if (o->provenance && strcmp(o->provenance, o->output ? o->output : "-") == 0) {
        ix_fail(err, "--provenance and --output name the same file");
        return false;
    }
    if (argc - optind == usage->arg_count)
        return true;
    if (argc - optind < usage->arg_count)
        ix_fail(err, "expected %s", usage->args);
    else
        ix_fail(err, "'%s' is more than the expected %s", argv[optind + usage->arg_count],
                usage->args);
    return false;
}
