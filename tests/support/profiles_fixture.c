/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/profiles_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/distance/stack_string.h"
#include "roxi/rank/words.h"

struct roxi_profiles *profiles;

int profiles_set_up(void **state)
{
    (void)state;
    profiles = roxi_profiles_new();
    return profiles ? 0 : -1;
}

int profiles_tear_down(void **state)
{
    (void)state;
    roxi_profiles_free(profiles);
    return 0;
}

uint32_t name_number(const char *text)
{
    return roxi_symbols_string(profiles->symbols, text, strlen(text));
}

uint32_t stack_number(const char *text)
{
    uint32_t number;
    assert_int_equal(roxi_stack_parse(profiles->symbols, text, &number, NULL), 0);
    return number;
}

void add_seen(const struct seen *seen, size_t count)
{
    struct roxi_tally t = {0};
    for (size_t i = 0; i < count; i++) {
        const uint32_t group =
            roxi_profiles_group(profiles, name_number(seen[i].role), name_number(seen[i].thread));
        assert_int_not_equal(
            roxi_tally_add(&t, roxi_pair(group, stack_number(seen[i].stack)), seen[i].count),
            ROXI_NONE);
    }
    assert_int_equal(roxi_profiles_add(profiles, "run", &t, NULL), 0);
    roxi_tally_free(&t);
}

void add_role(const char *role, uint64_t answered, uint64_t early, uint32_t bad_ends)
{
    struct roxi_profile *x = &profiles->executions[profiles->count - 1];
    x->roles = reallocarray(x->roles, x->role_count + 1, sizeof *x->roles);
    assert_non_null(x->roles);
    x->roles[x->role_count++] = (struct roxi_participation){
        .role = name_number(role), .answered = answered, .early = early, .bad_ends = bad_ends};
    x->role_count = roxi_participation_merge(x->roles, x->role_count);
}

void tell_firsts(void)
{
    profiles->executions[profiles->count - 1].use.tells_firsts = true;
}

void add_first(const char *role, const char *class_name, uint64_t packet)
{
    struct roxi_use *use = &profiles->executions[profiles->count - 1].use;
    const struct roxi_first first = {.role = name_number(role),
                                     .class_name = name_number(class_name),
                                     .group = ROXI_NONE,
                                     .packet = packet};
    tell_firsts();
    assert_int_equal(roxi_use_add_first(use, &first), 0);
    roxi_use_order(use);
}

struct roxi_ranking rank_all(const bool *reference)
{
    struct roxi_ranking r;
    struct ix_error err = {""};
    const struct roxi_ranking_options o = {0};
    if (roxi_ranking_make(&r, profiles, &o, reference, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < r.n; i++) {
        double sum = 0;
        for (size_t k = r.first[i]; k < r.first[i + 1]; k++) {
            assert_true(r.parts[k].part > 0);
            assert_true(k == r.first[i] || r.parts[k].part <= r.parts[k - 1].part);
            sum += r.parts[k].part;
        }
        assert_true(sum < r.evidence[i] + 1e-9);
    }
    return r;
}

const char *explained(const struct roxi_ranking *r, size_t run)
{
    static char text[2000];
    text[0] = '\0';
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    roxi_rank_explain(out, r, run);
    fclose(out);
    return text;
}
