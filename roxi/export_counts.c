/* How often each call stack was seen: what the formats that add up have in common. */
#include <string.h>

#include "roxi/export.h"

/* The number of the thread's group; EXPORT_NONE: memory ran out. */
static uint32_t group_of(struct export *x, struct export_counts *counts, uint32_t thread,
                         unsigned by)
{
    struct export_group key = {0};
    char room[EXPORT_ROOM];
    bool added;
    if (by & EXPORT_BY_EXECUTION)
        key.execution = export_string(&x->dictionary, x->execution->name);
    if (by & EXPORT_BY_THREAD) {
        struct ix_thread t = ix_log_thread_at(x->reader, thread);
        key.role = export_string(&x->dictionary, x->vm->role);
        key.thread = export_string(&x->dictionary, export_thread_name(&t, room));
    }
    if (key.execution == EXPORT_NONE || key.role == EXPORT_NONE || key.thread == EXPORT_NONE)
        return EXPORT_NONE;
    counts->groups.key_size = sizeof key;
    return ix_intern(&counts->groups, &key, sizeof key, &added);
}

int export_count(struct export *x, struct export_counts *counts, const struct ix_snapshot *s,
                 unsigned by, struct ix_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t stack = export_log_stack(&x->log, s->entries[i].stack);
        uint32_t group = group_of(x, counts, s->entries[i].thread, by);
        if (stack == EXPORT_NONE || group == EXPORT_NONE ||
            roxi_tally_add(&counts->seen, roxi_pair(group, stack), 1) == ROXI_NONE)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

struct export_group export_group_at(const struct export_counts *counts, uint32_t group)
{
    struct export_group g;
    memcpy(&g, counts->groups.keys.data + group * sizeof g, sizeof g);
    return g;
}

void export_counts_free(struct export_counts *counts)
{
    ix_intern_free(&counts->groups);
    roxi_tally_free(&counts->seen);
}
