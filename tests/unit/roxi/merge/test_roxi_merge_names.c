/* SPDX-License-Identifier: Apache-2.0 */
/* What runs are called when campaigns are merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/merge/names.h"

enum { SHARDS = 3, RUNS = 2 };

static struct ix_error err;

struct given {
    const char *dir, *runs[RUNS]; /* dir NULL: no more; a run NULL: none */
};

/* The new names, separated by blanks, or NULL if there is an error. The caller frees it. */
static char *named(const struct given *given, size_t *renamed)
{
    struct roxi_shard shards[SHARDS] = {0};
    struct roxi_shard_run runs[SHARDS][RUNS] = {0};
    size_t count = 0, size = 0;
    char *text = NULL;
    for (; count < SHARDS && given[count].dir; count++) {
        struct roxi_shard *s = &shards[count];
        *s = (struct roxi_shard){.dir = given[count].dir, .runs = runs[count]};
        s->real = strdup(given[count].dir);
        for (size_t i = 0; i < RUNS && given[count].runs[i]; i++)
            s->runs[s->count++].name = strdup(given[count].runs[i]);
    }
    err.text[0] = '\0';
    const int rc = roxi_merge_name(shards, count, renamed, &err);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < shards[i].count; k++) {
            if (rc == 0)
                fprintf(out, "%s%s", i + k ? " " : "", shards[i].runs[k].new_name);
            free(shards[i].runs[k].name);
            free(shards[i].runs[k].new_name);
        }
        free(shards[i].real);
    }
    fclose(out);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

static void names(void **state)
{
    static const struct {
        const struct given given[SHARDS];
        size_t renamed;
        const char *want;
    } rows[] = {
        {{{"/a", {"x", "y"}}}, 0, "x y"},
        {{{"/a", {"x"}}, {"/b", {"y"}}}, 0, "x y"},
        {{{"/s/a", {"x", "y"}}, {"/s/b", {"x"}}}, 2, "a-x a-y b-x"},
        {{{"/s/a", {"x", "y"}}, {"/s/b", {"z"}}, {"/s/c", {"y"}}}, 2, "a-x a-y z c-y"},
        /* alike at the end */
        {{{"/s/1/camp", {"x"}}, {"/s/2/camp", {"x"}}}, 2, "1-x 2-x"},
        {{{"/s/1/a/camp", {"x"}}, {"/s/2/a/camp", {"x"}}}, 2, "1-x 2-x"},
        {{{"/camp", {"x"}}, {"/s/camp", {"x"}}}, 2, "camp-x s-camp-x"},
        /* not all of them */
        {{{"/s/1/camp", {"x"}}, {"/s/2/camp", {"x"}}, {"/s/3/other", {"x"}}},
         3,
         "1-camp-x 2-camp-x 3-other-x"},
        {{{"/a/b/c", {"x"}}, {"/a/d/c", {"x"}}, {"/e/b/c", {"x"}}}, 3, "a-b-x a-d-x e-b-x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t renamed = 99;
        char *got = named(rows[i].given, &renamed);
        if (!got)
            fail_msg("%zu: %s", i, err.text);
        assert_string_equal(got, rows[i].want);
        assert_int_equal(renamed, rows[i].renamed);
        free(got);
    }
}

static void refused(void **state)
{
    static char long_dir[212] = "/s/";
    memset(long_dir + 3, 'd', sizeof long_dir - 4);
    const struct {
        struct given given[SHARDS];
        const char *says;
    } rows[] = {
        {{{"/s/a", {"x"}}, {"/s/b", {"x"}}, {"/s/c", {"a-x"}}},
         "a run of '/s/a' and one of '/s/c' would both be named 'a-x'; rename one of the "},
        {{{"/s/a", {"x"}}, {long_dir, {"x"}}}, "rename the directory: the run's name 'ddd"},
        {{{"/s/a", {"x"}}, {"/s/b\n", {"x"}}}, "'/s/b\\x0A' cannot be part of a run's name"},
        {{{"/s/a", {"x"}}, {"/s/\xff", {"x"}}}, "cannot be part of a run's name: not UTF-8"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t renamed;
        char *got = named(rows[i].given, &renamed);
        assert_null(got);
        if (!strstr(err.text, rows[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, rows[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
