/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes URLs of the viewer: what is understood must be what was written. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/viewer/http_route.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

/* The route as a URL. */
static void write_route(const struct ixor_route *r, char *url, size_t size)
{
    char packet[24] = "last";
    if (r->packet)
        snprintf(packet, sizeof packet, "%" PRId64, r->packet);
    switch (r->kind) {
    case IXOR_ROUTE_PAGE:
        snprintf(url, size, "/");
        break;
    case IXOR_ROUTE_STATE:
        if (r->execution)
            snprintf(url, size, "/api/state?execution=%" PRId64, r->execution);
        else
            snprintf(url, size, "/api/state");
        break;
    case IXOR_ROUTE_WAITS:
        if (r->execution)
            snprintf(url, size, "/api/waits?execution=%" PRId64, r->execution);
        else
            snprintf(url, size, "/api/waits");
        break;
    case IXOR_ROUTE_MOMENT:
        snprintf(url, size, "/api/execution/%" PRId64 "/packet/%s", r->execution, packet);
        break;
    case IXOR_ROUTE_PACKETS:
        snprintf(url, size, "/api/vm/%" PRId64 "/packets", r->vm);
        break;
    case IXOR_ROUTE_THREADS:
        snprintf(url, size, "/api/vm/%" PRId64 "/packet/%s", r->vm, packet);
        break;
    case IXOR_ROUTE_STACK:
        snprintf(url, size, "/api/vm/%" PRId64 "/packet/%s/thread/%" PRIu32, r->vm, packet,
                 r->thread);
        break;
    case IXOR_ROUTE_SNAPSHOT:
        snprintf(url, size, "/api/snapshot");
        break;
    case IXOR_ROUTE_PAUSE:
        snprintf(url, size, "/api/pause");
        break;
    case IXOR_ROUTE_RESUME:
        snprintf(url, size, "/api/resume");
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), again[256];
    const char *rest;
    struct ixor_route r;
    demand(text != NULL);
    if (ixor_route_token(text, TOKEN, &rest))
        demand(strncmp(text + 1, TOKEN, IXOR_TOKEN_LEN) == 0 && rest == text + 1 + IXOR_TOKEN_LEN);
    char *query = strchr(text, '?');
    if (query)
        *query++ = '\0';
    if (ixor_route_parse(text, query, &r)) {
        if (query && *query)
            query[-1] = '?';
        write_route(&r, again, sizeof again);
        demand(strcmp(again, text) == 0);
    }
    free(text);
    return 0;
}
