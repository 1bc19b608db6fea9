/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/campaign/nodes.h"
#include "schema/base/grow.h"
#include "schema/base/idmap.h"

/* Results by string number: the result plus 1; 0: not known yet. */
struct memory {
    uint32_t *known; /* owned */
    size_t count, cap;
};

enum what { CLASSES, THREADS, FRAMES, WHATS };

struct roxi_names {
    struct roxi_symbols *symbols;
    const struct roxi_rules *rules;
    const struct roxi_templates *templates;
    FILE *explain;
    bool frames; /* there are rules for frames */
    struct memory memory[WHATS];
    struct ix_idmap in_groups; /* threads by name and group: the result plus 1 */
    struct roxi_node *nodes;   /* owned */
    size_t node_count, node_cap;
    struct ix_error failure;
    struct ix_out text, lines, template, node; /* scratch */
};

struct roxi_names *roxi_names_new(struct roxi_symbols *symbols, const struct roxi_rules *rules,
                                  const struct roxi_templates *templates, FILE *explain,
                                  struct ix_error *err)
{
    struct roxi_names *n = calloc(1, sizeof *n);
    if (!n) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    n->symbols = symbols;
    n->rules = rules;
    n->templates = templates;
    n->explain = explain;
    n->frames =
        roxi_rules_count(rules, ROXI_RULE_SKIP_FRAME) || roxi_rules_count(rules, ROXI_RULE_IDLE);
    return n;
}

void roxi_names_free(struct roxi_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < WHATS; i++)
        free(n->memory[i].known);
    ix_out_free(&n->text);
    ix_out_free(&n->lines);
    ix_out_free(&n->template);
    ix_out_free(&n->node);
    free(n->nodes);
    ix_idmap_free(&n->in_groups);
    free(n);
}

const char *roxi_names_failure(const struct roxi_names *n)
{
    return n->failure.text[0] ? n->failure.text : NULL;
}

/* The entry for a string's result, 0 if it is not known yet; NULL: out of memory. */
static uint32_t *recall(struct memory *m, uint32_t string)
{
    if (string >= m->count) {
        uint32_t *known = ix_grow(m->known, &m->cap, (size_t)string + 1, sizeof *known);
        if (!known)
            return NULL;
        m->known = known;
        memset(known + m->count, 0, (string + 1 - m->count) * sizeof *known);
        m->count = (size_t)string + 1;
    }
    return &m->known[string];
}

static void tell(struct roxi_names *n, const char *kind, const char *name, const char *becomes,
                 const char *lines)
{
    if (!n->explain)
        return;
    fprintf(n->explain, "%s\t", kind);
    text_print(n->explain, name);
    fputc('\t', n->explain);
    text_print(n->explain, becomes);
    fprintf(n->explain, "\t%s\n", lines);
}

static void tell_line(struct roxi_names *n, const char *kind, const char *name, const char *becomes,
                      int line)
{
    char text[16];
    snprintf(text, sizeof text, "%d", line);
    tell(n, kind, name, becomes, text);
}

static uint32_t class(struct roxi_names *n, const char *name)
{
    if (roxi_rules_rewrite(n->rules, ROXI_RULE_CLASS, name, &n->text, &n->lines, &n->failure) != 0)
        return ROXI_NONE;
    const char *normal = (const char *)n->text.data;
    if (strcmp(normal, name) != 0)
        tell(n, "class", name, normal, (const char *)n->lines.data);
    return roxi_symbols_string(n->symbols, normal, strlen(normal));
}

uint32_t roxi_names_class(struct roxi_names *n, const char *name)
{
    const uint32_t raw = roxi_symbols_string(n->symbols, name, strlen(name));
    uint32_t *known = raw == ROXI_NONE ? NULL : recall(&n->memory[CLASSES], raw);
    if (!known)
        return ROXI_NONE;
    if (*known)
        return *known - 1;
    const uint32_t normal = class(n, name);
    if (normal != ROXI_NONE)
        *known = normal + 1;
    return normal;
}

static void tell_template(struct roxi_names *n, const char *name)
{
    if (!n->explain)
        return;
    const uint32_t since = roxi_templates_since(n->templates, (const char *)n->text.data);
    fputs("thread\t", n->explain);
    text_print(n->explain, name);
    fputc('\t', n->explain);
    text_print(n->explain, (const char *)n->template.data);
    fprintf(n->explain, "\t%s\t", (const char *)n->lines.data);
    text_print(n->explain, (const char *)n->node.data);
    fputc('\t', n->explain);
    if (since != UINT32_MAX)
        fprintf(n->explain, "%" PRIu32, since + 1);
    fputc('\n', n->explain);
}

/* Puts '*' in place of the node's name in the template, so that it is the same for all nodes. */
static void leave_out_node(struct roxi_names *n)
{
    const char *node = (const char *)n->node.data, *template = (const char *)n->template.data;
    const char *found = strstr(template, node);
    struct ix_out result = {0};
    if (!found)
        return;
    ix_put_bytes(&result, template, (size_t)(found - template));
    ix_put_u8(&result, '*');
    ix_put_bytes(&result, found + strlen(node), strlen(found + strlen(node)) + 1);
    ix_out_free(&n->template);
    n->template = result;
}

/* Finds the template and the node, which may be empty, of the rewritten name in `text`: what a rule
 * says is not asked of the templates. */
static int find_template(struct roxi_names *n, const char *group)
{
    const char *text = (const char *)n->text.data;
    struct ix_span node = {"", 0};
    ix_out_clear(&n->template);
    if (n->templates && roxi_templates_apply(n->templates, text, group, &n->template, &node) != 0)
        return -1;
    if (!n->templates)
        ix_put_bytes(&n->template, text, strlen(text) + 1);
    if (n->template.failed ||
        roxi_rules_extract(n->rules, ROXI_RULE_NODE, text, &n->node, &n->failure) != 0)
        return -1;
    if (n->node.len > 1) {
        leave_out_node(n);
    } else {
        ix_out_clear(&n->node);
        ix_put_bytes(&n->node, node.text, node.len);
        ix_put_u8(&n->node, 0);
    }
    return n->template.failed || n->node.failed ? -1 : 0;
}

static uint32_t intern(struct roxi_names *n, const struct ix_out *text)
{
    return roxi_symbols_string(n->symbols, (const char *)text->data,
                               strlen((const char *)text->data));
}

/* Remembers that the thread is of a node; its string, or ROXI_NONE. */
static uint32_t add_node(struct roxi_names *n)
{
    struct roxi_node *nodes = ix_grow(n->nodes, &n->node_cap, n->node_count + 1, sizeof *nodes);
    if (!nodes)
        return ROXI_NONE;
    n->nodes = nodes;
    struct roxi_node added = {.node = intern(n, &n->node), .template = intern(n, &n->template)};
    ix_out_clear(&n->text);
    ix_put_bytes(&n->text, n->node.data, n->node.len - 1);
    ix_put_u8(&n->text, '/');
    ix_put_bytes(&n->text, n->template.data, n->template.len);
    added.thread = n->text.failed ? ROXI_NONE : intern(n, &n->text);
    if (added.node == ROXI_NONE || added.template == ROXI_NONE || added.thread == ROXI_NONE)
        return ROXI_NONE;
    nodes[n->node_count++] = added;
    return added.thread;
}

const struct roxi_node *roxi_names_nodes(const struct roxi_names *n, size_t *count)
{
    *count = n->node_count;
    return n->nodes;
}

static uint32_t thread(struct roxi_names *n, const char *name, const char *group)
{
    if (roxi_rules_rewrite(n->rules, ROXI_RULE_THREAD, name, &n->text, &n->lines, &n->failure) != 0)
        return ROXI_NONE;
    const char *text = (const char *)n->text.data;
    const int skipped = roxi_rules_match(n->rules, ROXI_RULE_SKIP_THREAD, text, &n->failure);
    if (skipped < 0)
        return ROXI_NONE;
    if ((skipped || !n->templates) && strcmp(text, name) != 0)
        tell(n, "thread", name, text, (const char *)n->lines.data);
    if (skipped)
        tell_line(n, "thread", text, "(skipped)", skipped);
    if (skipped)
        return ROXI_LEFT_OUT;
    if (find_template(n, group) != 0)
        return ROXI_NONE;
    if (n->templates)
        tell_template(n, name);
    return n->node.len > 1 ? add_node(n) : intern(n, &n->template);
}

/* The same for a thread whose group matters. */
static uint32_t thread_in_group(struct roxi_names *n, uint32_t raw, const char *group)
{
    const uint32_t string = roxi_symbols_string(n->symbols, group, strlen(group));
    if (string == ROXI_NONE)
        return ROXI_NONE;
    const uint64_t key = roxi_pair(raw, string);
    const uint32_t known = ix_idmap_get(&n->in_groups, key);
    if (known)
        return known - 1;
    const uint32_t normal = thread(n, roxi_symbols_text(n->symbols, raw), group);
    return normal != ROXI_NONE && ix_idmap_put(&n->in_groups, key, normal + 1) == 0 ? normal
                                                                                    : ROXI_NONE;
}

uint32_t roxi_names_thread(struct roxi_names *n, const char *name, const char *group)
{
    const uint32_t raw = roxi_symbols_string(n->symbols, name, strlen(name));
    if (raw != ROXI_NONE && n->templates && roxi_group_may_be_node(group))
        return thread_in_group(n, raw, group);
    uint32_t *known = raw == ROXI_NONE ? NULL : recall(&n->memory[THREADS], raw);
    if (!known)
        return ROXI_NONE;
    if (*known)
        return *known - 1;
    const uint32_t normal = thread(n, name, NULL);
    if (normal != ROXI_NONE)
        *known = normal + 1;
    return normal;
}

static enum roxi_frame_use use_of(struct roxi_names *n, const char *frame)
{
    int line = roxi_rules_match(n->rules, ROXI_RULE_SKIP_FRAME, frame, &n->failure);
    if (line > 0) {
        tell_line(n, "frame", frame, "(skipped)", line);
        return ROXI_FRAME_SKIPPED;
    }
    if (line == 0)
        line = roxi_rules_match(n->rules, ROXI_RULE_IDLE, frame, &n->failure);
    if (line > 0) {
        tell_line(n, "frame", frame, "(idle)", line);
        return ROXI_FRAME_IDLE;
    }
    return line < 0 ? ROXI_FRAME_UNKNOWN : ROXI_FRAME_KEPT;
}

enum roxi_frame_use roxi_names_frame(struct roxi_names *n, uint32_t class_name, uint32_t method)
{
    if (!n->frames)
        return ROXI_FRAME_KEPT;
    const char *class_text = roxi_symbols_text(n->symbols, class_name);
    const char *method_text = roxi_symbols_text(n->symbols, method);
    ix_out_clear(&n->text);
    ix_put_bytes(&n->text, class_text, strlen(class_text));
    ix_put_u8(&n->text, '.');
    ix_put_bytes(&n->text, method_text, strlen(method_text) + 1);
    if (n->text.failed)
        return ROXI_FRAME_UNKNOWN;
    const uint32_t name =
        roxi_symbols_string(n->symbols, (const char *)n->text.data, n->text.len - 1);
    uint32_t *known = name == ROXI_NONE ? NULL : recall(&n->memory[FRAMES], name);
    if (!known)
        return ROXI_FRAME_UNKNOWN;
    if (*known)
        return (enum roxi_frame_use)(*known - 1);
    const enum roxi_frame_use use = use_of(n, (const char *)n->text.data);
    if (use != ROXI_FRAME_UNKNOWN)
        *known = (uint32_t)use + 1;
    return use;
}
