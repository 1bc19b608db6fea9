/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads, a line each; an empty line ends a run. Whatever they are, a template is
 * bounded, and has a node only if the name contains it, but for case. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "roxi/campaign/templates.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef void name_fn(struct roxi_templates *t, const char *name);

static void add(struct roxi_templates *t, const char *name)
{
    static uint32_t run;
    if (*name ? roxi_templates_add(t, name, NULL)
              : roxi_templates_end_vm(t) | roxi_templates_end_run(t, run++))
        abort();
}

static bool contains(const char *name, struct ix_span part)
{
    for (; part.len && strlen(name) >= part.len; name++)
        if (strncasecmp(name, part.text, part.len) == 0)
            return true;
    return part.len == 0;
}

static void apply(struct roxi_templates *t, const char *name)
{
    struct ix_out out = {0};
    struct ix_span node;
    if (roxi_templates_apply(t, name, NULL, &out, &node) != 0)
        abort();
    if (strlen((const char *)out.data) > strlen(name) || !contains(name, node))
        abort();
    roxi_templates_since(t, name);
    ix_out_free(&out);
}

static void each_line(struct roxi_templates *t, char *text, size_t size, name_fn *take)
{
    for (char *at = text, *end = text + size; at < end; at += strlen(at) + 1)
        take(t, at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct roxi_templates *t = roxi_templates_new();
    if (!text || !t)
        abort();
    for (size_t i = 0; i < size; i++)
        text[i] = data[i] == '\n' ? '\0' : (char)data[i];
    text[size] = '\0';
    each_line(t, text, size, add);
    add(t, "");
    if (roxi_templates_learn(t) != 0)
        abort();
    each_line(t, text, size, apply);
    roxi_templates_free(t);
    free(text);
    return 0;
}
