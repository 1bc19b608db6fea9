/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_names.h"

#include <string.h>

struct taking {
    struct ix_log_reader *log;
    const struct roxi_rules *rules;
    struct ix_intern *names;
    struct ix_out text; /* scratch */
};

/* The names are terminated. */
static int take_name(struct taking *t, uint32_t thread, struct ix_error *err)
{
    bool added;
    const char *name = ix_log_thread_at(t->log, thread).name;
    if (roxi_rules_count(t->rules, ROXI_RULE_THREAD)) {
        if (roxi_rules_rewrite(t->rules, ROXI_RULE_THREAD, name, &t->text, NULL, err) != 0)
            return -1;
        name = (const char *)t->text.data;
    }
    return ix_intern(t->names, name, strlen(name) + 1, &added) == IX_INTERN_FAILED
               ? ix_fail(err, "out of memory")
               : 0;
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
    return more < 0 ? ROXI_NAMES_BROKEN : -(more > 0);
}

int roxi_names_learn(struct roxi_templates *t, const struct ix_intern *names)
{
    int result = 0;
    for (uint32_t i = 0; i < names->count && result == 0; i++)
        result =
            roxi_templates_add(t, (const char *)names->keys.data + (i ? names->ends[i - 1] : 0));
    return result == 0 ? roxi_templates_end_vm(t) : result;
}
