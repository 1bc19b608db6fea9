/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_names.h"

#include <string.h>

#include "roxi/campaign/nodes.h"

struct taking {
    struct ix_log_reader *log;
    const struct roxi_rules *rules;
    struct ix_intern *names;
    struct ix_out text, key; /* scratch */
};

/* A key is the name and the group, empty if it cannot be a node, both terminated. */
static int take_name(struct taking *t, uint32_t number, struct ix_error *err)
{
    bool added;
    const struct ix_thread thread = ix_log_thread_at(t->log, number);
    if (roxi_rules_rewrite(t->rules, ROXI_RULE_THREAD, thread.name, &t->text, NULL, err) != 0)
        return -1;
    const char *group = roxi_group_may_be_node(thread.group) ? thread.group : "";
    ix_out_clear(&t->key);
    ix_put_bytes(&t->key, t->text.data, t->text.len);
    ix_put_bytes(&t->key, group, strlen(group) + 1);
    if (t->key.failed || ix_intern(t->names, t->key.data, t->key.len, &added) == IX_INTERN_FAILED)
        return ix_fail(err, "out of memory");
    return 0;
}

static int take_threads(struct taking *t, uint32_t from, struct ix_error *err)
{
    const struct ix_changes changes = ix_log_changes(t->log);
    const uint32_t count = ix_log_thread_count(t->log);
    int result = 0;
    for (uint32_t i = from; i < count && result == 0; i++)
        result = take_name(t, i, err);
    for (size_t i = 0; i < changes.redefined_count && result == 0; i++)
        result = take_name(t, changes.redefined[i], err);
    return result;
}

int roxi_log_names(struct ix_log_reader *log, const struct roxi_rules *rules,
                   struct ix_intern *names, struct roxi_packets *packets, struct ix_error *err)
{
    struct taking t = {.log = log, .rules = rules, .names = names};
    uint32_t part = 0, known = 1;
    uint64_t packet;
    int more;
    while ((more = ix_log_next_names(log, &packet, err)) > 0) {
        if (ix_log_part(log) != part)
            known = 1;
        part = ix_log_part(log);
        if (take_threads(&t, known, err) != 0)
            break;
        if (roxi_packets_add(packets, packet) != 0) {
            ix_fail(err, "out of memory");
            break;
        }
        known = ix_log_thread_count(log);
    }
    ix_out_free(&t.text);
    ix_out_free(&t.key);
    return more < 0 ? ROXI_NAMES_BROKEN : -(more > 0);
}

int roxi_names_learn(struct roxi_templates *t, const struct ix_intern *names)
{
    int result = 0;
    for (uint32_t i = 0; i < names->count && result == 0; i++) {
        const char *name = (const char *)names->keys.data + (i ? names->ends[i - 1] : 0);
        result = roxi_templates_add(t, name, name + strlen(name) + 1);
    }
    return result == 0 ? roxi_templates_end_vm(t) : result;
}
