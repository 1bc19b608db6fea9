/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"
#include "schema/catalogue/suggest.h"

#define LISTED 10 /* tests in a message */

struct test {
    char *name; /* owned */
    size_t runs;
};

struct search {
    const char *wanted, *run;
    struct test *tests; /* those that are wanted, owned */
    size_t count, cap;
    bool any; /* a run is a test's */
    bool found_run;
    size_t of_run; /* of tests, from 1; 0: of none */
    struct ix_error *err;
};

bool roxi_test_has(const char *test, const struct ix_execution *e)
{
    const char *of = ix_execution_test(e);
    return !test || (of && strcmp(of, test) == 0);
}

bool roxi_test_is(const char *name, const char *wanted)
{
    const size_t len = strlen(name), end = strlen(wanted);
    if (len < end || strcmp(name + (len - end), wanted) != 0)
        return false;
    return len == end || name[len - end - 1] == '.';
}

static struct test *find(struct search *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->tests[i].name, name) == 0)
            return &s->tests[i];
    return NULL;
}

static struct test *add(struct search *s, const char *name)
{
    struct test *all = ix_grow(s->tests, &s->cap, s->count + 1, sizeof *all);
    if (!all)
        return NULL;
    s->tests = all;
    all[s->count] = (struct test){.name = strdup(name)};
    return all[s->count].name ? &all[s->count++] : NULL;
}

static int take(void *user, const struct ix_execution *e)
{
    struct search *s = user;
    const char *name = ix_execution_test(e);
    const bool is_run = s->run && strcmp(e->name, s->run) == 0;
    s->found_run = s->found_run || is_run;
    s->any = s->any || name;
    if (!name)
        return 0;
    if (s->wanted && !roxi_test_is(name, s->wanted))
        return 0;
    struct test *t = find(s, name);
    if (!t)
        t = add(s, name);
    if (!t)
        return ix_fail(s->err, "out of memory");
    t->runs++;
    if (is_run)
        s->of_run = (size_t)(t - s->tests) + 1;
    return 0;
}

static int by_runs(const void *a, const void *b)
{
    const struct test *x = a, *y = b;
    if (x->runs != y->runs)
        return x->runs < y->runs ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* The message has room for a few; those with most runs come first. */
static int fail_several(struct search *s, const char *campaign, struct ix_error *err)
{
    char list[sizeof err->text] = "";
    size_t at = 0, listed = 0;
    qsort(s->tests, s->count, sizeof *s->tests, by_runs);
    for (; listed < s->count && listed < LISTED && at < sizeof list / 2; listed++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s'%s' (%zu)", listed ? ", " : "",
                               s->tests[listed].name, s->tests[listed].runs);
    return ix_fail(err,
                   "'%s' has runs of %zu tests, which cannot be compared with each other; choose "
                   "one with --test: %s%s",
                   campaign, s->count, list, listed < s->count ? ", ..." : "");
}

static int choose(struct search *s, struct ix_catalogue *c, const char **name, struct ix_error *err)
{
    const char *campaign = ix_catalogue_dir(c);
    *name = NULL;
    if (s->wanted && !s->count)
        return ix_fail(err, "option --test: '%s' has no runs of a test '%s'", campaign, s->wanted);
    if (s->wanted && find(s, s->wanted)) {
        *name = s->wanted;
        return 0;
    }
    if (!s->wanted && s->run && s->any && !s->found_run)
        return ix_catalogue_fail_unknown(c, s->run, err);
    if (!s->wanted && s->of_run)
        *name = s->tests[s->of_run - 1].name;
    else if (s->count > 1)
        return fail_several(s, campaign, err);
    else if (s->count == 1)
        *name = s->tests[0].name;
    return 0;
}

int roxi_test_choose(struct ix_catalogue *c, const char *wanted, const char *run, char **test,
                     struct ix_error *err)
{
    struct search s = {.wanted = wanted, .run = run, .err = err};
    const char *name = NULL;
    int result = ix_catalogue_executions(c, take, &s, err);
    if (result == 0)
        result = choose(&s, c, &name, err);
    *test = name && result == 0 ? strdup(name) : NULL;
    if (name && result == 0 && !*test)
        result = ix_fail(err, "out of memory");
    for (size_t i = 0; i < s.count; i++)
        free(s.tests[i].name);
    free(s.tests);
    return result;
}
