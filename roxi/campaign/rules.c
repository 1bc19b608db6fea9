/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/rules.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules_text.h"
#include "schema/base/grow.h"

const char roxi_rules_default[] = common_rules learn_rules;
const char roxi_rules_thesis[] = common_rules thesis_rules;

enum {
    GROUPS = 10,
    FILE_MAX = 1 << 20,
    PATTERN_MAX = 1024,
    REPEAT_MAX = 255,
    REPEATS = 2,
    NESTED = 4
};

struct rule {
    enum roxi_rule_kind kind;
    unsigned line;
    char *pattern, *replacement; /* owned; replacement NULL: the rule only matches */
    regex_t compiled;
};

struct roxi_rules {
    struct rule *list;
    size_t count, cap;
    bool learn;
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
    free(rule->pattern);
    free(rule->replacement);
}

void roxi_rules_free(struct roxi_rules *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++) {
        regfree(&r->list[i].compiled);
        free_rule(&r->list[i]);
    }
    free(r->list);
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

/* The position in the rules, and what is left of the line. */
struct cursor {
    const char *at, *end;
};

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

/* The last character of the class ([:alpha:] and the like) that begins at p, or of the pattern
 * if it is not closed. */
static const char *class_end(const char *p)
{
    const char kind = p[1];
    for (p += 2; *p && !(*p == kind && p[1] == ']'); p++)
        ;
    return *p ? p + 1 : p - 1;
}

/* The last character of the bracket expression that begins at p, or of the pattern if it is not
 * closed. */
static const char *bracket_end(const char *p)
{
    p += p[1] == '^' ? 2 : 1;
    p += *p == ']';
    for (; *p && *p != ']'; p++)
        if (*p == '[' && p[1] && strchr(":.=", p[1]))
            p = class_end(p);
    return *p ? p : p - 1;
}

/* regcomp copies what is repeated, so each level of nested repeats multiplies the size of the
 * pattern. */
static int check_nesting(const char *pattern, struct ix_error *err)
{
    unsigned inside[PATTERN_MAX + 2] = {0}; /* by depth of groups: deepest repeats inside */
    unsigned depth = 0, last = 0;           /* last: nesting of the item just before */
    for (const char *p = pattern; *p; p++) {
        if (strchr("*+?{", *p)) {
            if (++last > NESTED)
                return ix_fail(err, "the pattern repeats what is repeated, more than %d deep",
                               NESTED);
        } else if (*p == ')' && depth) {
            last = inside[depth--];
        } else {
            last = 0;
            if (*p == '(')
                inside[++depth] = 0;
            else if (*p == '[')
                p = bracket_end(p);
            else if (*p == '\\' && p[1])
                p++;
        }
        inside[depth] = last > inside[depth] ? last : inside[depth];
    }
    return 0;
}

/* Rejects what makes matching take for ever (back-references) or exhausts memory (large
 * repeats). */
static int check_pattern(const char *pattern, struct ix_error *err)
{
    unsigned repeats = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
            if (*p >= '1' && *p <= '9')
                return ix_fail(err, "the pattern has a back-reference, \\%c", *p);
        } else if (*p == '{' && p[1] >= '0' && p[1] <= '9') {
            char *rest;
            unsigned long low = strtoul(p + 1, &rest, 10);
            unsigned long high = *rest == ',' ? strtoul(rest + 1, NULL, 10) : low;
            if (++repeats > REPEATS || low > REPEAT_MAX || high > REPEAT_MAX)
                return ix_fail(err, "the pattern has more than %d repeats {n,m}, or one above %d",
                               REPEATS, REPEAT_MAX);
        }
    }
    return 0;
}

static int check_replacement(const struct rule *rule, struct ix_error *err)
{
    for (const char *p = rule->replacement; p && *p; p++) {
        if (*p != '\\')
            continue;
        p++;
        if (*p != '\\' && !(*p >= '0' && *p <= '9'))
            return ix_fail(err, "in the replacement, '\\' is followed by neither a digit nor '\\'");
        if (*p != '\\' && (size_t)(*p - '0') > rule->compiled.re_nsub)
            return ix_fail(err, "the replacement's \\%c has no group in the pattern", *p);
    }
    return 0;
}

/* Compiles the rule. On failure there is nothing to free. */
static int compile(struct rule *rule, struct ix_error *err)
{
    if (!rule->pattern[0])
        return ix_fail(err, "the pattern is empty");
    if (check_pattern(rule->pattern, err) != 0 || check_nesting(rule->pattern, err) != 0)
        return -1;
    int bad = regcomp(&rule->compiled, rule->pattern, REG_EXTENDED);
    if (bad) {
        char why[128];
        regerror(bad, &rule->compiled, why, sizeof why);
        return ix_fail(err, "the pattern '%s': %s", rule->pattern, why);
    }
    if (check_replacement(rule, err) == 0)
        return 0;
    regfree(&rule->compiled);
    return -1;
}

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
    rule->pattern = read_part(c, delimiter, "pattern", err);
    if (!rule->pattern)
        return -1;
    if (kinds[rule->kind].rewrites) {
        rule->replacement = read_part(c, delimiter, "replacement", err);
        if (!rule->replacement)
            return -1;
    }
    skip_blanks(c);
    if (c->at != c->end)
        return ix_fail(err, "has more after its last '%c'", delimiter);
    return compile(rule, err);
}

/* The word that stands alone on its line. */
static bool read_learn(struct cursor c)
{
    static const char word[] = "learn-threads";
    const size_t len = sizeof word - 1;
    if ((size_t)(c.end - c.at) < len || memcmp(c.at, word, len) != 0)
        return false;
    c.at += len;
    skip_blanks(&c);
    return c.at == c.end;
}

static int read_line(struct roxi_rules *r, struct cursor c, unsigned line, struct ix_error *err)
{
    skip_blanks(&c);
    if (c.at == c.end || *c.at == '#')
        return 0;
    if (memchr(c.at, '\0', (size_t)(c.end - c.at)))
        return ix_fail(err, "has a zero byte");
    if (read_learn(c)) {
        r->learn = true;
        return 0;
    }
    struct rule *list = ix_grow(r->list, &r->cap, r->count + 1, sizeof *list);
    if (!list)
        return ix_fail(err, "out of memory");
    r->list = list;
    struct rule rule = {.line = line};
    if (read_rule(&c, &rule, err) != 0) {
        free_rule(&rule);
        return -1;
    }
    list[r->count++] = rule;
    return 0;
}

struct roxi_rules *roxi_rules_parse(const char *text, size_t len, const char *name,
                                    struct ix_error *err)
{
    struct roxi_rules *r = calloc(1, sizeof *r);
    if (!r) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    const char *at = text, *end = text + len;
    for (unsigned line = 1; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (read_line(r, (struct cursor){at, stop}, line, err) != 0) {
            ix_fail_in(err, "rules %s, line %u", name, line);
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

unsigned roxi_rules_match(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == kind && regexec(&r->list[i].compiled, text, 0, NULL, 0) == 0)
            return r->list[i].line;
    return 0;
}

static void put_replacement(struct ix_out *out, const char *replacement, const char *text,
                            const regmatch_t *match)
{
    for (const char *p = replacement; *p; p++) {
        if (*p != '\\' || *++p == '\\') {
            ix_put_bytes(out, p, 1);
            continue;
        }
        const regmatch_t *group = &match[*p - '0'];
        if (group->rm_so >= 0)
            ix_put_bytes(out, text + group->rm_so, (size_t)(group->rm_eo - group->rm_so));
    }
}

/* Appends `text` with every match replaced, terminated. */
static void replace(const struct rule *rule, const char *text, struct ix_out *out)
{
    regmatch_t match[GROUPS];
    int flags = 0;
    ix_out_clear(out);
    while (regexec(&rule->compiled, text, GROUPS, match, flags) == 0) {
        ix_put_bytes(out, text, (size_t)match[0].rm_so);
        put_replacement(out, rule->replacement, text, match);
        text += match[0].rm_eo;
        flags = REG_NOTBOL;
        if (match[0].rm_so == match[0].rm_eo) {
            if (!*text)
                break;
            ix_put_bytes(out, text++, 1);
        }
    }
    ix_put_bytes(out, text, strlen(text) + 1);
}

static void put_line(struct ix_out *lines, unsigned line)
{
    char text[16];
    int len = snprintf(text, sizeof text, "%s%u", lines->len ? "," : "", line);
    ix_put_bytes(lines, text, (size_t)len);
}

int roxi_rules_rewrite(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result, struct ix_out *lines)
{
    struct ix_out next = {0};
    bool failed = false;
    ix_out_clear(result);
    ix_put_bytes(result, text, strlen(text) + 1);
    if (lines)
        ix_out_clear(lines);
    for (size_t i = 0; i < r->count && !failed; i++) {
        if (r->list[i].kind != kind)
            continue;
        failed = result->failed;
        if (failed)
            break;
        replace(&r->list[i], (const char *)result->data, &next);
        failed = next.failed;
        const bool changed = !failed && next.len > 1 &&
                             (next.len != result->len || memcmp(next.data, result->data, next.len));
        if (!changed)
            continue;
        struct ix_out swap = *result;
        *result = next;
        next = swap;
        if (lines)
            put_line(lines, r->list[i].line);
    }
    ix_out_free(&next);
    if (lines)
        ix_put_u8(lines, 0);
    return failed || result->failed || (lines && lines->failed) ? -1 : 0;
}

int roxi_rules_extract(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result)
{
    ix_out_clear(result);
    for (size_t i = 0; i < r->count && !result->len; i++) {
        regmatch_t match[GROUPS];
        if (r->list[i].kind == kind && regexec(&r->list[i].compiled, text, GROUPS, match, 0) == 0)
            put_replacement(result, r->list[i].replacement, text, match);
    }
    ix_put_u8(result, 0);
    return result->failed ? -1 : 0;
}
