/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/thread_nodes.h"

#include <stdlib.h>

#include "roxi/campaign/load.h"
#include "roxi/campaign/names.h"
#include "schema/base/idmap.h"

struct roxi_thread_nodes {
    struct roxi_rules *rules;
    struct roxi_templates *templates;
    struct roxi_symbols *symbols;
    struct roxi_names *names;
    struct ix_idmap node_of; /* from a normalised thread to its node; strings, the node's plus 1 */
    size_t listed;           /* of the names' nodes, how many are in it */
};

static int load_names(struct roxi_thread_nodes *n, const char *campaign, const char *run,
                      struct ix_error *err)
{
    const char *const runs[] = {run, NULL};
    const struct roxi_load_options options = {.min_vms = 1, .histories = runs, .quiet = true};
    n->symbols = roxi_symbols_new();
    n->rules = n->symbols ? roxi_rules_named(options.rules, err) : NULL;
    if (!n->symbols)
        return ix_fail(err, "out of memory");
    n->templates = n->rules ? roxi_load_templates(campaign, &options, n->rules, err) : NULL;
    n->names = n->templates ? roxi_names_new(n->symbols, n->rules, n->templates, NULL, err) : NULL;
    return n->names ? 0 : -1;
}

struct roxi_thread_nodes *roxi_thread_nodes_learn(const char *campaign, const char *run,
                                                  struct ix_error *err)
{
    struct roxi_thread_nodes *n = calloc(1, sizeof *n);
    if (!n) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    if (load_names(n, campaign, run, err) == 0)
        return n;
    roxi_thread_nodes_free(n);
    return NULL;
}

void roxi_thread_nodes_free(struct roxi_thread_nodes *n)
{
    if (!n)
        return;
    ix_idmap_free(&n->node_of);
    roxi_names_free(n->names);
    roxi_symbols_free(n->symbols);
    roxi_templates_free(n->templates);
    roxi_rules_free(n->rules);
    free(n);
}

/* Takes over what the names have found since. */
static int list_nodes(struct roxi_thread_nodes *n)
{
    size_t count;
    const struct roxi_node *nodes = roxi_names_nodes(n->names, &count);
    for (; n->listed < count; n->listed++)
        if (ix_idmap_put(&n->node_of, nodes[n->listed].thread, nodes[n->listed].node + 1) != 0)
            return -1;
    return 0;
}

const char *roxi_thread_nodes_of(struct roxi_thread_nodes *n, const char *name, const char *group,
                                 struct ix_error *err)
{
    const uint32_t thread = roxi_names_thread(n->names, name, group);
    if (thread == ROXI_LEFT_OUT)
        return "";
    if (thread == ROXI_NONE || list_nodes(n) != 0) {
        const char *why = roxi_names_failure(n->names);
        ix_fail(err, "%s", why ? why : "out of memory");
        return NULL;
    }
    const uint32_t node = ix_idmap_get(&n->node_of, thread);
    return node ? roxi_symbols_text(n->symbols, node - 1) : "";
}
