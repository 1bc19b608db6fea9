/* The words that stand for options' values (options.h). */
#include "roxi/options_words.h"

#include <string.h>

#include "roxi/options.h"

int roxi_choose(const char *value, const char *words, struct ix_error *err)
{
    size_t len = strlen(value);
    const char *word = words;
    for (int i = 0;; i++) {
        size_t word_len = strcspn(word, "|");
        if (len == word_len && strncmp(value, word, len) == 0)
            return i;
        if (!word[word_len])
            return ix_fail(err, "'%s' is none of %s", value, words);
        word += word_len + 1;
    }
}

int roxi_choose_flag(const char *value, const char *words, bool *flag, struct ix_error *err)
{
    int chosen = roxi_choose(value, words, err);
    if (chosen < 0)
        return -1;
    *flag = chosen == 1;
    return 0;
}

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
