/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/settings/expand.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/protocol/protocol.h"

/* A string under construction in the caller's array; one byte is kept for the terminator. */
struct text {
    char *at;
    size_t len, size;
    bool full;
};

static void put(struct text *t, const char *bytes, size_t len)
{
    if (t->full || len >= t->size - t->len) {
        t->full = true;
        return;
    }
    memcpy(t->at + t->len, bytes, len);
    t->len += len;
}

/* Appends a name chosen by a user, made safe as part of a file name. */
static void put_name(struct text *t, const char *name)
{
    for (size_t i = 0; name[i]; i++) {
        unsigned char c = (unsigned char)name[i];
        bool bad = c <= ' ' || c == '/' || c == 0x7f || (c == '.' && i == 0);
        put(t, bad ? "_" : &name[i], 1);
    }
}

static int unknown(const char *sequence, struct ix_error *err)
{
    return ix_fail(err, "'%%%.1s' is not known; known are %%p %%r %%e %%h %%t %%{NAME} %%%%",
                   sequence);
}

static void put_started(struct text *t, time_t started)
{
    char text[32];
    struct tm tm;
    if (!gmtime_r(&started, &tm))
        return;
    put(t, text, strftime(text, sizeof text, "%Y%m%dT%H%M%S", &tm));
}

#define VARIABLE_MAX 255u /* longest name of an environment variable */

/* Length of the name in %{NAME}, `at` after the brace; 0: there is none. */
static size_t variable(const char *at, struct ix_error *err)
{
    const size_t len = strcspn(at, "}");
    if (at[len] && len && len <= VARIABLE_MAX)
        return len;
    ix_fail(err, "'%%{' needs the name of an environment variable and '}'");
    return 0;
}

int ixa_expand_check(const char *pattern, struct ix_error *err)
{
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at, '%')) {
        if (at[1] == '{' ? !variable(at + 2, err) : !at[1] || !strchr("preht%", at[1]))
            return at[1] == '{' ? -1 : unknown(at + 1, err);
        at += 2;
    }
    return 0;
}

/* Expands %{NAME}, `at` after the brace. Returns what follows the closing brace, or NULL. */
static const char *put_variable(struct text *t, const char *at, struct ix_error *err)
{
    char name[VARIABLE_MAX + 1];
    const size_t len = variable(at, err);
    if (!len)
        return NULL;
    memcpy(name, at, len);
    name[len] = 0;
    const char *value = getenv(name);
    if (!value) {
        ix_fail(err, "environment variable %s in '%%{%s}' is not set", name, name);
        return NULL;
    }
    put(t, value, strlen(value));
    return at + len + 1;
}

/* Expands one sequence, `at` after its percent sign. Returns what follows it, or NULL. */
static const char *put_sequence(struct text *t, const char *at, const struct ixa_expand *v,
                                struct ix_error *err)
{
    char pid[16];
    switch (*at) {
    case 'p':
        put(t, pid, (size_t)snprintf(pid, sizeof pid, "%u", v->pid));
        break;
    case 'r':
        put_name(t, v->role);
        break;
    case 'e':
        put_name(t, *v->execution ? v->execution : "current");
        break;
    case 'h':
        put_name(t, v->host);
        break;
    case 't':
        put_started(t, v->started);
        break;
    case '%':
        put(t, "%", 1);
        break;
    case '{':
        return put_variable(t, at + 1, err);
    default:
        unknown(at, err);
        return NULL;
    }
    return at + 1;
}

static int expand(struct text *t, const char *pattern, const struct ixa_expand *values,
                  struct ix_error *err)
{
    for (const char *at = pattern; at && *at;) {
        size_t plain = strcspn(at, "%");
        put(t, at, plain);
        at += plain;
        if (*at && !(at = put_sequence(t, at + 1, values, err)))
            return -1;
    }
    return t->full ? ix_fail(err, "the path is longer than %zu bytes", t->size - 1) : 0;
}

/* Prepends the working directory if the expanded path is relative. This comes after expansion
 * because a variable at the start may be absolute. */
static int make_absolute(struct text *t, struct ix_error *err)
{
    char relative[IX_PATH_MAX + 1];
    size_t len = t->len;
    if (len && *t->at == '/')
        return 0;
    if (len >= sizeof relative)
        return ix_fail(err, "the path is longer than %zu bytes", sizeof relative - 1);
    memcpy(relative, t->at, len);
    if (!getcwd(t->at, t->size))
        return ix_fail(err, "the working directory: %s", strerror(errno));
    t->len = strlen(t->at);
    if (t->len > 1)
        put(t, "/", 1);
    put(t, relative, len);
    return t->full ? ix_fail(err, "the path is longer than %zu bytes", t->size - 1) : 0;
}

int ixa_expand_path(char *path, size_t size, const char *pattern, const struct ixa_expand *values,
                    struct ix_error *err)
{
    struct text t = {.at = path, .size = size};
    if (expand(&t, pattern, values, err) != 0 || make_absolute(&t, err) != 0)
        return -1;
    path[t.len] = 0;
    return 0;
}

/* A path, cut before its extension. */
struct cut_path {
    char stem[IX_PATH_MAX + 1], ending[IX_PATH_MAX + 1];
};

static void cut_path(struct cut_path *cut, const char *path)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    const size_t stem_len = dot ? (size_t)(dot - path) : strlen(path);
    snprintf(cut->stem, sizeof cut->stem, "%.*s", (int)stem_len, path);
    snprintf(cut->ending, sizeof cut->ending, "%s", path + stem_len);
}

static int number_path(char *path, size_t size, const struct cut_path *cut, uint64_t number)
{
    const int len =
        snprintf(path, size, "%s-%llu%s", cut->stem, (unsigned long long)number, cut->ending);
    return len < 0 || (size_t)len >= size ? -1 : 0;
}

int ixa_numbered_path(char *path, size_t size, uint64_t number)
{
    struct cut_path cut = {0};
    cut_path(&cut, path);
    return number_path(path, size, &cut, number);
}

int ixa_unused_path(char *path, size_t size)
{
    struct cut_path cut = {0};
    cut_path(&cut, path);
    for (uint64_t number = 2; access(path, F_OK) == 0; number++)
        if (number > 1000 || number_path(path, size, &cut, number) != 0)
            return -1;
    return 0;
}
