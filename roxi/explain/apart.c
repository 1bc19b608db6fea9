/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/apart.h"

#include <stdlib.h>

#include "roxi/base/text_escape.h"

enum { NAMED = 5 }; /* of roles of either, in a sentence */
enum { IN_RUNS = 1, IN_OTHERS = 2, LISTED = 4 };

static void mark(unsigned char *marks, const struct roxi_profiles *p, const bool *runs,
                 unsigned char with)
{
    for (size_t r = 0; r < p->count; r++)
        for (size_t i = 0; runs[r] && i < p->executions[r].role_count; i++)
            marks[p->executions[r].roles[i].role] |= with;
}

/* Appends the roles that have exactly this mark; returns how many. */
static size_t list(uint32_t *roles, unsigned char *marks, const struct roxi_profiles *p,
                   unsigned char with)
{
    size_t count = 0;
    for (size_t r = 0; r < p->count; r++) {
        const struct roxi_profile *x = &p->executions[r];
        for (size_t i = 0; i < x->role_count; i++) {
            if (marks[x->roles[i].role] != with)
                continue;
            marks[x->roles[i].role] |= LISTED;
            roles[count++] = x->roles[i].role;
        }
    }
    return count;
}

int roxi_apart_make(struct roxi_apart *a, const struct roxi_profiles *p, const bool *of,
                    const bool *others)
{
    const size_t strings = roxi_symbols_count(p->symbols).strings;
    unsigned char *marks = calloc(strings + 1, 1);
    *a = (struct roxi_apart){.roles = calloc(strings + 1, sizeof *a->roles)};
    if (!marks || !a->roles) {
        free(marks);
        roxi_apart_free(a);
        return -1;
    }
    mark(marks, p, of, IN_RUNS);
    mark(marks, p, others, IN_OTHERS);
    a->here = list(a->roles, marks, p, IN_RUNS);
    a->there = list(a->roles + a->here, marks, p, IN_OTHERS);
    free(marks);
    return 0;
}

void roxi_apart_free(struct roxi_apart *a)
{
    free(a->roles);
    *a = (struct roxi_apart){0};
}

static bool has(const struct roxi_apart *a, uint32_t role)
{
    for (size_t i = 0; i < a->here + a->there; i++)
        if (a->roles[i] == role)
            return true;
    return false;
}

/* Role 0 of the peer, which is not known, is the empty string, and no role's name. */
static bool is_apart(const struct roxi_apart *a, const struct roxi_finding *x)
{
    return has(a, x->who.role) || has(a, x->as.role) || (x->peer.role && has(a, x->peer.role));
}

void roxi_apart_leave_out(const struct roxi_apart *a, struct roxi_findings *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (!is_apart(a, &f->list[i]))
            f->list[kept++] = f->list[i];
    f->count = kept;
}

static void say_roles(FILE *out, const uint32_t *roles, size_t count, const struct roxi_symbols *s)
{
    const size_t named = count < NAMED ? count : NAMED;
    for (size_t i = 0; i < named; i++) {
        fputs(i == 0 ? "" : i + 1 == count ? " and " : ", ", out);
        text_print(out, roxi_symbols_text(s, roles[i]));
    }
    if (count > named)
        fprintf(out, " and %zu more", count - named);
    fputs(count == 1 ? " is" : " are", out);
}

void roxi_apart_say(FILE *out, const struct roxi_apart *a, const struct roxi_symbols *s,
                    const char *runs, const char *others)
{
    if (!a->here && !a->there)
        return;
    fputs((a->here ? a->here : a->there) == 1 ? "Role " : "Roles ", out);
    if (a->here) {
        say_roles(out, a->roles, a->here, s);
        fprintf(out, " only in runs %s", runs);
    }
    fputs(a->here && a->there ? ", and " : "", out);
    if (a->there) {
        say_roles(out, a->roles + a->here, a->there, s);
        fprintf(out, " only in %s %s", a->here ? "those" : "runs", others);
    }
    fputs("; their other differences are left out.", out);
}

static void put_roles(struct roxi_json *j, const char *key, const uint32_t *roles, size_t count,
                      const struct roxi_symbols *s)
{
    roxi_json_key(j, key);
    roxi_json_open(j, '[');
    for (size_t i = 0; i < count; i++)
        roxi_json_string(roxi_json_value(j), roxi_symbols_text(s, roles[i]));
    roxi_json_close(j);
}

void roxi_apart_json(struct roxi_json *j, const struct roxi_apart *a, const struct roxi_symbols *s)
{
    put_roles(j, "roles_only_in_runs", a->roles, a->here, s);
    put_roles(j, "roles_only_in_others", a->roles + a->here, a->there, s);
}
