/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what the agent is told: three lines, of which the last two may be missing: the options
 * string, the system property for the role, the command of the JVM. Whatever is accepted must fit.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/settings/expand.h"
#include "agent/settings/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

/* A copy that ends where it should, so that reading behind it is seen. */
static char *line_of(const uint8_t **at, const uint8_t *end)
{
    if (*at >= end)
        return NULL;
    const uint8_t *line_end = memchr(*at, '\n', (size_t)(end - *at));
    size_t len = (size_t)((line_end ? line_end : end) - *at);
    char *line = strndup((const char *)*at, len);
    *at += len + 1;
    return line;
}

static void fits(const struct ixa_options *o)
{
    demand(strnlen(o->host, sizeof o->host) < sizeof o->host);
    demand(strnlen(o->role, sizeof o->role) < sizeof o->role);
    demand(strnlen(o->execution, sizeof o->execution) < sizeof o->execution);
    demand(strnlen(o->log, sizeof o->log) < sizeof o->log);
    demand(o->depth <= IXA_DEPTH_MAX);
    demand(!o->memory || (o->memory >= IXA_SIZE_MIN && o->memory <= IXA_SIZE_MAX));
    demand(!o->maxlog || (o->maxlog >= IXA_SIZE_MIN && o->maxlog <= IXA_SIZE_MAX));
}

static void parse(struct ixa_options *o, const char *text)
{
    struct ix_error err = {""};
    const int status = ixa_options_parse(o, text, &err);
    demand(strnlen(err.text, sizeof err.text) < sizeof err.text);
    demand(status == 0 || err.text[0]);
    fits(o);
    if (status != 0)
        return;
    demand(!o->log[0] || ixa_expand_check(o->log, &err) == 0);
    /* The same once more changes nothing. */
    const struct ixa_options before = *o;
    demand(ixa_options_parse(o, text, &err) == 0);
    demand(strcmp(before.host, o->host) == 0 && before.port == o->port);
    demand(strcmp(before.role, o->role) == 0 && strcmp(before.execution, o->execution) == 0);
    demand(strcmp(before.log, o->log) == 0 && before.depth == o->depth);
    demand(before.memory == o->memory && before.maxlog == o->maxlog);
}

static void expand(const struct ixa_options *o)
{
    const struct ixa_expand values = {
        .role = o->role, .execution = o->execution, .host = "host", .pid = 1, .started = 2};
    struct ix_error err = {""};
    char path[IX_PATH_MAX + 1];
    if (ixa_expand_path(path, sizeof path, o->log, &values, &err) == 0)
        demand(strnlen(path, sizeof path) < sizeof path && path[0]);
    else
        demand(err.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *at = data, *end = data + size;
    char *text = line_of(&at, end), *role = line_of(&at, end), *command = line_of(&at, end);
    struct ixa_options o = {0};
    struct ix_error err = {""};
    parse(&o, text);
    if (ixa_options_complete(&o, role, command, &err) == 0) {
        demand(o.host[0] && o.port && o.role[0] && o.log[0] && o.depth && o.memory);
        expand(&o);
    } else {
        demand(err.text[0]);
    }
    fits(&o);
    free(text);
    free(role);
    free(command);
    return 0;
}
