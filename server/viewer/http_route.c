/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/http_route.h"

#include <openssl/crypto.h>
#include <string.h>

bool ixor_route_token(const char *path, const char token[IXOR_TOKEN_LEN + 1], const char **rest)
{
    if (path[0] != '/' || strnlen(path + 1, IXOR_TOKEN_LEN) < IXOR_TOKEN_LEN)
        return false;
    *rest = path + 1 + IXOR_TOKEN_LEN;
    return CRYPTO_memcmp(path + 1, token, IXOR_TOKEN_LEN) == 0 &&
           ((*rest)[0] == '/' || (*rest)[0] == '\0');
}

/* Skips `word` if it comes next. */
static bool take(const char **at, const char *word)
{
    const size_t len = strlen(word);
    if (strncmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

static bool take_number(const char **at, int64_t max, int64_t *value)
{
    int64_t sum = 0;
    if (**at < '1' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        const int digit = **at - '0';
        if (sum > (max - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

static bool ends(const char *at)
{
    return *at == '\0';
}

/* Parses what follows "/api/vm/". */
static bool parse_vm(const char *at, struct ixor_route *r)
{
    int64_t thread;
    if (!take_number(&at, INT64_MAX, &r->vm))
        return false;
    if (take(&at, "/packets")) {
        r->kind = IXOR_ROUTE_PACKETS;
        return ends(at);
    }
    if (!take(&at, "/packet/") || (!take(&at, "last") && !take_number(&at, INT64_MAX, &r->packet)))
        return false;
    r->kind = IXOR_ROUTE_THREADS;
    if (ends(at))
        return true;
    if (!take(&at, "/thread/") || !take_number(&at, UINT32_MAX, &thread))
        return false;
    r->kind = IXOR_ROUTE_STACK;
    r->thread = (uint32_t)thread;
    return ends(at);
}

/* Parses what follows "/api/execution/". */
static bool parse_moment(const char *at, struct ixor_route *r)
{
    r->kind = IXOR_ROUTE_MOMENT;
    return take_number(&at, INT64_MAX, &r->execution) && take(&at, "/packet/") &&
           take_number(&at, INT64_MAX, &r->packet) && ends(at);
}

bool ixor_route_parse(const char *rest, const char *query, struct ixor_route *route)
{
    static const struct {
        const char *path;
        enum ixor_route_kind kind;
    } plain[] = {
        {"/", IXOR_ROUTE_PAGE},           {"/api/state", IXOR_ROUTE_STATE},
        {"/api/waits", IXOR_ROUTE_WAITS}, {"/api/snapshot", IXOR_ROUTE_SNAPSHOT},
        {"/api/pause", IXOR_ROUTE_PAUSE}, {"/api/resume", IXOR_ROUTE_RESUME},
    };
    *route = (struct ixor_route){0};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcmp(rest, plain[i].path) != 0)
            continue;
        route->kind = plain[i].kind;
        if (!query || !*query)
            return true;
        return (route->kind == IXOR_ROUTE_STATE || route->kind == IXOR_ROUTE_WAITS) &&
               take(&query, "execution=") && take_number(&query, INT64_MAX, &route->execution) &&
               ends(query);
    }
    if (query && *query)
        return false;
    if (take(&rest, "/api/vm/"))
        return parse_vm(rest, route);
    return take(&rest, "/api/execution/") && parse_moment(rest, route);
}

bool ixor_route_is_action(const struct ixor_route *route)
{
    return route->kind >= IXOR_ROUTE_SNAPSHOT;
}
