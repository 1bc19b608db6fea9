/* The words that stand for options' values (options.h). */
#include "roxi/options.h"

/* In the order of the enums; the functions that set them have the same words. */
const char *roxi_linkage_name(enum roxi_linkage linkage)
{
    static const char *const words[] = {"single", "complete", "average", "ward"};
    return words[linkage];
}

const char *roxi_measure_name(enum roxi_measure measure)
{
    static const char *const words[] = {"cosine", "distance"};
    return words[measure];
}

const char *roxi_method_name(enum roxi_method method)
{
    static const char *const words[] = {"random", "one-per-cluster", "n-per-cluster",
                                        "small-clusters", "adaptive"};
    return words[method];
}

const char *roxi_granularity_name(enum roxi_granularity granularity)
{
    static const char *const words[] = {"line", "method", "class"};
    return words[granularity];
}
