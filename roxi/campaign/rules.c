/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/rules.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules_text.h"
#include "schema/base/grow.h"
#include "schema/tracelog/tracelog.h"

const char roxi_rules_default[] = common_rules learn_rules;
const char roxi_rules_thesis[] = common_rules thesis_rules;

enum {
    GROUPS = 10,
    FILE_MAX = 1 << 20,
    SHOWN_MAX = 40, /* bytes of a name in a message */
    PATTERN_MAX = 1024,
    /* What a rule may take for one name: steps of backtracking for the first match, a share of them
     * for each further one, so that it is a second or so at most; KiB of memory; bytes of the
     * result. The built-in patterns need a few steps for each byte of a name, which has 64 KiB at
     * most. */
    STEPS_MAX = 1000000,
    STEPS_MIN = 100,
    MEMORY_MAX = 16384,
    RESULT_MAX = 2 * IX_LOG_STRING_MAX
};

struct rule {
    enum roxi_rule_kind kind;
    unsigned line, column;       /* of the pattern's first character, from 1 */
    char *pattern, *replacement; /* owned; replacement NULL: the rule only matches */
    pcre2_code *compiled;        /* owned */
};

struct roxi_rules {
    struct rule *list;
    size_t count, cap;
    bool learn;
    char *name;                  /* owned; for messages */
    pcre2_match_context *limits; /* owned */
};

static const struct {
    const char *word;
    bool rewrites;
} kinds[ROXI_RULE_KINDS] = {
    [ROXI_RULE_CLASS] = {"class", true},
    [ROXI_RULE_THREAD] = {"thread", true},
    [ROXI_RULE_NODE] = {"node", true},
    [ROXI_RULE_SKIP_THREAD] = {"skip-thread", false},
    [ROXI_RULE_SKIP_FRAME] = {"skip-frame", false},
    [ROXI_RULE_IDLE] = {"idle", false},
};

const char *roxi_rule_word(enum roxi_rule_kind kind)
{
    return kinds[kind].word;
}

static void free_rule(struct rule *rule)
{
    pcre2_code_free(rule->compiled);
    free(rule->pattern);
    free(rule->replacement);
}

void roxi_rules_free(struct roxi_rules *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++)
        free_rule(&r->list[i]);
    pcre2_match_context_free(r->limits);
    free(r->list);
    free(r->name);
    free(r);
}

size_t roxi_rules_count(const struct roxi_rules *r, enum roxi_rule_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        n += r->list[i].kind == kind;
    return n;
}

bool roxi_rules_learn(const struct roxi_rules *r)
{
    return r->learn;
}

/* ---- reading ---- */

/* A line of the rules, and the position in it. */
struct cursor {
    const char *line, *at, *end;
};

static unsigned column_of(const struct cursor *c)
{
    return (unsigned)(c->at - c->line) + 1;
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static int read_kind(struct cursor *c, enum roxi_rule_kind *kind, struct ix_error *err)
{
    const char *word = c->at;
    while (c->at < c->end && ((*c->at >= 'a' && *c->at <= 'z') || *c->at == '-'))
        c->at++;
    const size_t len = (size_t)(c->at - word);
    for (size_t k = 0; k < ROXI_RULE_KINDS; k++) {
        if (strlen(kinds[k].word) == len && memcmp(kinds[k].word, word, len) == 0) {
            *kind = (enum roxi_rule_kind)k;
            return 0;
        }
    }
    return ix_fail(err, "begins with none of class, thread, node, skip-thread, skip-frame, idle, "
                        "learn-threads");
}

/* The text up to the next delimiter, which is skipped. */
static char *read_part(struct cursor *c, char delimiter, const char *what, struct ix_error *err)
{
    char *part = malloc((size_t)(c->end - c->at) + 1);
    size_t len = 0;
    if (!part) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    for (; c->at < c->end && *c->at != delimiter; c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end) {
            c->at++;
            if (*c->at != delimiter)
                part[len++] = '\\';
        }
        part[len++] = *c->at;
    }
    part[len] = '\0';
    if (c->at == c->end || len > PATTERN_MAX) {
        if (c->at == c->end)
            ix_fail(err, "the %s is not ended by another '%c'", what, delimiter);
        else
            ix_fail(err, "the %s is longer than %d bytes", what, PATTERN_MAX);
        free(part);
        return NULL;
    }
    c->at++;
    return part;
}

static int check_replacement(const struct rule *rule, struct ix_error *err)
{
    uint32_t groups = 0;
    pcre2_pattern_info(rule->compiled, PCRE2_INFO_CAPTURECOUNT, &groups);
    for (const char *p = rule->replacement; p && *p; p++) {
        if (*p != '\\')
            continue;
        p++;
        if (*p != '\\' && !(*p >= '0' && *p <= '9'))
            return ix_fail(err, "in the replacement, '\\' is followed by neither a digit nor '\\'");
        if (*p != '\\' && (uint32_t)(*p - '0') > groups)
            return ix_fail(err, "the replacement's \\%c has no group in the pattern", *p);
    }
    return 0;
}

/* Moves the cursor from the pattern's beginning to its offset `wrong`: a backslash before the
 * delimiter is not in the pattern. */
static void point_at(struct cursor *c, char delimiter, size_t wrong)
{
    for (; wrong && c->at < c->end; wrong--)
        c->at += c->at[0] == '\\' && c->at + 1 < c->end && c->at[1] == delimiter ? 2 : 1;
}

/* Compiles the pattern, which begins at *begin; points there at what is wrong with it. */
static int compile(struct rule *rule, struct cursor *begin, char delimiter, struct ix_error *err)
{
    if (!rule->pattern[0])
        return ix_fail(err, "the pattern is empty");
    int why;
    size_t wrong;
    rule->compiled = pcre2_compile((PCRE2_SPTR)rule->pattern, PCRE2_ZERO_TERMINATED,
                                   PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF |
                                       PCRE2_NEVER_BACKSLASH_C,
                                   &why, &wrong, NULL);
    if (rule->compiled)
        return 0;
    PCRE2_UCHAR text[128];
    pcre2_get_error_message(why, text, sizeof text);
    point_at(begin, delimiter, wrong);
    return ix_fail(err, "the pattern '%s': %s", rule->pattern, (const char *)text);
}

/* On failure the cursor is near what is wrong. */
static int read_rule(struct cursor *c, struct rule *rule, struct ix_error *err)
{
    if (read_kind(c, &rule->kind, err) != 0)
        return -1;
    skip_blanks(c);
    if (c->at == c->end)
        return ix_fail(err, "has no pattern; write %s /PATTERN/%s", kinds[rule->kind].word,
                       kinds[rule->kind].rewrites ? "REPLACEMENT/" : "");
    const char delimiter = *c->at++;
    if (delimiter == '\\' || (delimiter & 0x80))
        return ix_fail(err, "the pattern begins with no delimiter such as '/'");
    struct cursor begin = *c;
    rule->column = column_of(c);
    rule->pattern = read_part(c, delimiter, "pattern", err);
    if (!rule->pattern)
        return -1;
    if (compile(rule, &begin, delimiter, err) != 0) {
        *c = begin;
        return -1;
    }
    begin = *c;
    if (kinds[rule->kind].rewrites) {
        rule->replacement = read_part(c, delimiter, "replacement", err);
        if (!rule->replacement)
            return -1;
    }
    if (check_replacement(rule, err) != 0) {
        *c = begin;
        return -1;
    }
    skip_blanks(c);
    return c->at == c->end ? 0 : ix_fail(err, "has more after its last '%c'", delimiter);
}

/* Does the word stand alone on the line? */
static bool is_word(struct cursor c, const char *word)
{
    const size_t len = strlen(word);
    if ((size_t)(c.end - c.at) < len || memcmp(c.at, word, len) != 0)
        return false;
    c.at += len;
    skip_blanks(&c);
    return c.at == c.end;
}

static int add_rule(struct roxi_rules *r, struct cursor *c, unsigned line, struct ix_error *err)
{
    struct rule *list = ix_grow(r->list, &r->cap, r->count + 1, sizeof *list);
    if (!list)
        return ix_fail(err, "out of memory");
    r->list = list;
    struct rule rule = {.line = line};
    if (read_rule(c, &rule, err) != 0) {
        free_rule(&rule);
        return -1;
    }
    list[r->count++] = rule;
    return 0;
}

static int read_built_in(struct roxi_rules *r, unsigned line, struct ix_error *err);

static int read_line(struct roxi_rules *r, struct cursor *c, unsigned line, struct ix_error *err)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at == '#')
        return 0;
    const char *zero = memchr(c->at, '\0', (size_t)(c->end - c->at));
    if (zero) {
        c->at = zero;
        return ix_fail(err, "has a zero byte");
    }
    if (is_word(*c, "built-in"))
        return read_built_in(r, line, err);
    if (!is_word(*c, "learn-threads"))
        return add_rule(r, c, line, err);
    r->learn = true;
    return 0;
}

/* The built-in rules, in place of the line that asks for them. */
static int read_built_in(struct roxi_rules *r, unsigned line, struct ix_error *err)
{
    const char *at = roxi_rules_default;
    int result = 0;
    while (*at && result == 0) {
        const size_t len = strcspn(at, "\n");
        struct cursor c = {at, at, at + len};
        result = read_line(r, &c, line, err);
        at += len + (at[len] != 0);
    }
    return result;
}

static struct roxi_rules *new_rules(const char *name, struct ix_error *err)
{
    struct roxi_rules *r = calloc(1, sizeof *r);
    if (r && (r->name = strdup(name)) && (r->limits = pcre2_match_context_create(NULL))) {
        pcre2_set_heap_limit(r->limits, MEMORY_MAX);
        return r;
    }
    roxi_rules_free(r);
    ix_fail(err, "out of memory");
    return NULL;
}

struct roxi_rules *roxi_rules_parse(const char *text, size_t len, const char *name,
                                    struct ix_error *err)
{
    struct roxi_rules *r = new_rules(name, err);
    const char *at = text, *end = text + len;
    for (unsigned line = 1; r && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct cursor c = {at, at, stop};
        if (read_line(r, &c, line, err) != 0) {
            ix_fail_in(err, "rules %s, line %u, column %u", name, line, column_of(&c));
            roxi_rules_free(r);
            return NULL;
        }
        at = newline ? newline + 1 : end;
    }
    return r;
}

struct roxi_rules *roxi_rules_read(const char *path, struct ix_error *err)
{
    FILE *file = fopen(path, "r");
    char *text = file ? malloc(FILE_MAX + 1) : NULL;
    size_t len = text ? fread(text, 1, FILE_MAX + 1, file) : 0;
    struct roxi_rules *r = NULL;
    if (!file || (text && ferror(file)))
        ix_fail(err, "cannot read the rules '%s': %s", path, strerror(errno));
    else if (!text)
        ix_fail(err, "out of memory");
    else if (len > FILE_MAX)
        ix_fail(err, "rules %s: longer than %d bytes", path, FILE_MAX);
    else
        r = roxi_rules_parse(text, len, path, err);
    if (file)
        fclose(file);
    free(text);
    return r;
}

struct roxi_rules *roxi_rules_named(const char *name, struct ix_error *err)
{
    if (!name)
        return roxi_rules_parse(roxi_rules_default, strlen(roxi_rules_default), "built in", err);
    if (strcmp(name, "thesis") == 0)
        return roxi_rules_parse(roxi_rules_thesis, strlen(roxi_rules_thesis), "thesis", err);
    return roxi_rules_read(name, err);
}

/* ---- applying ---- */

/* Matches rules with names; the last match. */
struct matcher {
    const struct roxi_rules *rules;
    pcre2_match_context *limits; /* owned */
    pcre2_match_data *data;      /* owned */
    const size_t *at;            /* where groups begin and end */
    uint32_t groups, matches;    /* matches: of the present rule and name */
};

/* It must be freed in any case. */
static int matcher_init(struct matcher *m, const struct roxi_rules *r, struct ix_error *err)
{
    *m = (struct matcher){.rules = r,
                          .limits = pcre2_match_context_copy(r->limits),
                          .data = pcre2_match_data_create(GROUPS, NULL)};
    if (!m->limits || !m->data)
        return ix_fail(err, "out of memory");
    m->at = pcre2_get_ovector_pointer(m->data);
    return 0;
}

static void matcher_free(struct matcher *m)
{
    pcre2_match_context_free(m->limits);
    pcre2_match_data_free(m->data);
}

static int too_much(const struct matcher *m, const struct rule *rule, const char *what,
                    struct ix_span name, struct ix_error *err)
{
    return ix_fail(err,
                   "rules %s, line %u, column %u: this pattern %s for a name of %zu bytes, '%.*s'",
                   m->rules->name, rule->line, rule->column, what, name.len,
                   name.len < SHOWN_MAX ? (int)name.len : SHOWN_MAX, name.text);
}

/* 1: found from `from` on, and *m says where; 0: not found; -1 with a message. */
static int find(struct matcher *m, const struct rule *rule, struct ix_span name, size_t from,
                struct ix_error *err)
{
    m->matches = from ? m->matches + 1 : 1;
    const uint32_t share = STEPS_MAX / m->matches;
    pcre2_set_match_limit(m->limits, share > STEPS_MIN ? share : STEPS_MIN);
    const int found =
        pcre2_match(rule->compiled, (PCRE2_SPTR)name.text, name.len, from, 0, m->data, m->limits);
    if (found == PCRE2_ERROR_NOMATCH)
        return 0;
    if (found < 0)
        return too_much(m, rule, "takes too much time or memory", name, err);
    m->groups = found ? (uint32_t)found : GROUPS; /* 0: the pattern has more groups */
    return 1;
}

/* The first rule of the kind that matches; NULL: none, or *failed with a message. */
static const struct rule *first_match(struct matcher *m, enum roxi_rule_kind kind,
                                      struct ix_span name, bool *failed, struct ix_error *err)
{
    const struct roxi_rules *r = m->rules;
    *failed = false;
    for (size_t i = 0; i < r->count && !*failed; i++) {
        const int found = r->list[i].kind == kind ? find(m, &r->list[i], name, 0, err) : 0;
        *failed = found < 0;
        if (found > 0)
            return &r->list[i];
    }
    return NULL;
}

int roxi_rules_match(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                     struct ix_error *err)
{
    struct matcher m;
    bool failed;
    if (!roxi_rules_count(r, kind))
        return 0;
    const struct ix_span name = {text, strlen(text)};
    const struct rule *rule = NULL;
    failed = matcher_init(&m, r, err) != 0;
    if (!failed)
        rule = first_match(&m, kind, name, &failed, err);
    matcher_free(&m);
    return failed ? -1 : rule ? (int)rule->line : 0;
}

static void put_replacement(struct ix_out *out, const char *replacement, const char *text,
                            const struct matcher *m)
{
    for (const char *p = replacement; *p; p++) {
        if (*p != '\\' || *++p == '\\') {
            ix_put_bytes(out, p, 1);
            continue;
        }
        const uint32_t group = (uint32_t)(*p - '0');
        if (group < m->groups && m->at[2 * group] != PCRE2_UNSET)
            ix_put_bytes(out, text + m->at[2 * group], m->at[2 * group + 1] - m->at[2 * group]);
    }
}

/* Appends `name` with every match replaced, terminated. -1 with a message. */
static int replace(struct matcher *m, const struct rule *rule, struct ix_span name,
                   struct ix_out *out, struct ix_error *err)
{
    size_t from = 0;
    int found;
    ix_out_clear(out);
    while ((found = find(m, rule, name, from, err)) > 0) {
        const size_t begin = m->at[0], end = m->at[1];
        ix_put_bytes(out, name.text + from, begin - from);
        put_replacement(out, rule->replacement, name.text, m);
        if (out->len > RESULT_MAX)
            return too_much(m, rule, "and its replacement make too much", name, err);
        from = end;
        if (begin == end) {
            if (from == name.len)
                break;
            ix_put_bytes(out, name.text + from++, 1);
        }
    }
    ix_put_bytes(out, name.text + from, name.len - from);
    ix_put_u8(out, 0);
    if (found >= 0 && out->failed)
        return ix_fail(err, "out of memory");
    return found < 0 ? -1 : 0;
}

static void put_line(struct ix_out *lines, unsigned line)
{
    char text[16];
    int len = snprintf(text, sizeof text, "%s%u", lines->len ? "," : "", line);
    ix_put_bytes(lines, text, (size_t)len);
}

/* Applies a rule to `result`; `next` is scratch. */
static int apply(struct matcher *m, const struct rule *rule, struct ix_out *result,
                 struct ix_out *next, struct ix_out *lines, struct ix_error *err)
{
    const struct ix_span name = {(const char *)result->data, result->len - 1};
    if (replace(m, rule, name, next, err) != 0)
        return -1;
    if (next->len <= 1 ||
        (next->len == result->len && memcmp(next->data, result->data, next->len) == 0))
        return 0;
    const struct ix_out swap = *result;
    *result = *next;
    *next = swap;
    if (lines)
        put_line(lines, rule->line);
    return 0;
}

static int apply_all(const struct roxi_rules *r, enum roxi_rule_kind kind, struct ix_out *result,
                     struct ix_out *lines, struct ix_error *err)
{
    struct matcher m;
    struct ix_out next = {0};
    int status = matcher_init(&m, r, err);
    for (size_t i = 0; i < r->count && status == 0; i++)
        if (r->list[i].kind == kind)
            status = apply(&m, &r->list[i], result, &next, lines, err);
    matcher_free(&m);
    ix_out_free(&next);
    return status;
}

int roxi_rules_rewrite(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result, struct ix_out *lines, struct ix_error *err)
{
    int status = 0;
    ix_out_clear(result);
    ix_put_bytes(result, text, strlen(text) + 1);
    if (lines)
        ix_out_clear(lines);
    if (!result->failed && roxi_rules_count(r, kind))
        status = apply_all(r, kind, result, lines, err);
    if (lines)
        ix_put_u8(lines, 0);
    return status == 0 && (result->failed || (lines && lines->failed))
               ? ix_fail(err, "out of memory")
               : status;
}

int roxi_rules_extract(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result, struct ix_error *err)
{
    struct matcher m;
    bool failed = false;
    ix_out_clear(result);
    if (roxi_rules_count(r, kind)) {
        const struct ix_span name = {text, strlen(text)};
        const struct rule *rule = NULL;
        failed = matcher_init(&m, r, err) != 0;
        if (!failed)
            rule = first_match(&m, kind, name, &failed, err);
        if (rule)
            put_replacement(result, rule->replacement, text, &m);
        matcher_free(&m);
    }
    ix_put_u8(result, 0);
    if (!failed && result->failed)
        return ix_fail(err, "out of memory");
    return failed ? -1 : 0;
}
