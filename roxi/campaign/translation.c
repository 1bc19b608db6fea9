/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/translation.h"

#include <stdlib.h>
#include <string.h>

struct roxi_extent roxi_extent(const struct roxi_profiles *p)
{
    return (struct roxi_extent){.symbols = roxi_symbols_count(p->symbols),
                                .groups = (uint32_t)p->groups.n};
}

int roxi_translate_use(const struct roxi_translation *t, struct roxi_use *to,
                       const struct roxi_use *from, uint32_t role)
{
    int result = 0;
    for (size_t i = 0; i < from->most_count && result == 0; i++) {
        struct roxi_most most = from->most[i];
        most.group = t ? t->groups[most.group] : most.group;
        result = roxi_use_add_most(to, most);
    }
    for (size_t i = 0; i < from->process_count && result == 0; i++) {
        struct roxi_process_use process = from->processes[i];
        process.role = role;
        result = roxi_use_add_process(to, &process);
    }
    for (size_t i = 0; i < from->thrown_count && result == 0; i++) {
        struct roxi_thrown thrown = from->thrown[i];
        thrown.role = role;
        if (t) {
            thrown.class_name = t->strings[thrown.class_name];
            thrown.stack = t->stacks[thrown.stack];
            thrown.group = thrown.group == ROXI_NONE ? ROXI_NONE : t->groups[thrown.group];
        }
        result = roxi_use_add_thrown(to, &thrown);
    }
    for (size_t i = 0; i < from->started_count && result == 0; i++) {
        struct roxi_started started = from->started[i];
        if (t) {
            started.group = t->groups[started.group];
            started.stack = t->stacks[started.stack];
        }
        result = roxi_use_add_started(to, &started);
    }
    to->tells_firsts |= from->tells_firsts;
    to->tells_places |= from->tells_places;
    to->tells_called |= from->tells_called;
    to->tells_covered |= from->tells_covered;
    to->tells_pauses |= from->tells_pauses;
    for (size_t i = 0; i < from->called_count && result == 0; i++) {
        struct roxi_called called = from->called[i];
        called.role = role;
        called.stack = t ? t->stacks[called.stack] : called.stack;
        result = roxi_use_add_called(to, &called);
    }
    for (size_t i = 0; i < from->covered_count && result == 0; i++) {
        struct roxi_covered covered = from->covered[i];
        covered.role = role;
        covered.stack = t ? t->stacks[covered.stack] : covered.stack;
        result = roxi_use_add_covered(to, &covered);
    }
    for (size_t i = 0; i < from->executed_count && result == 0; i++) {
        struct roxi_executed executed = from->executed[i];
        executed.role = role;
        executed.stack = t ? t->stacks[executed.stack] : executed.stack;
        result = roxi_use_add_executed(to, &executed);
    }
    for (size_t i = 0; i < from->first_count && result == 0; i++) {
        struct roxi_first first = from->firsts[i];
        first.role = role;
        if (t) {
            first.class_name = t->strings[first.class_name];
            first.stack = t->stacks[first.stack];
            first.group = first.group == ROXI_NONE ? ROXI_NONE : t->groups[first.group];
        }
        result = roxi_use_add_first(to, &first);
    }
    return result;
}

void roxi_translation_free(struct roxi_translation *t)
{
    free(t->strings);
    free(t->frames);
    free(t->stacks);
    free(t->groups);
    *t = (struct roxi_translation){0};
}

/* Makes room at once for everything that the dictionary contains by now. */
static int make_room(struct roxi_translation *t)
{
    const struct roxi_extent all = roxi_extent(t->from);
    if (t->stacks)
        return 0;
    t->strings = calloc((size_t)all.symbols.strings + 1, sizeof *t->strings);
    t->frames = calloc((size_t)all.symbols.frames + 1, sizeof *t->frames);
    t->stacks = calloc((size_t)all.symbols.stacks + 1, sizeof *t->stacks);
    t->groups = calloc((size_t)all.groups + 1, sizeof *t->groups);
    t->done.symbols.stacks = 1; /* the empty stack is 0 in every dictionary */
    return t->strings && t->frames && t->stacks && t->groups ? 0 : -1;
}

static int strings_and_frames(struct roxi_translation *t, struct roxi_symbols_count until)
{
    const struct roxi_symbols *from = t->from->symbols;
    for (uint32_t i = t->done.symbols.strings; i < until.strings; i++) {
        const char *text = roxi_symbols_text(from, i);
        t->strings[i] = roxi_symbols_string(t->to->symbols, text, strlen(text));
        if (t->strings[i] == ROXI_NONE)
            return -1;
    }
    for (uint32_t i = t->done.symbols.frames; i < until.frames; i++) {
        struct roxi_frame f = roxi_symbols_frame_at(from, i);
        f.class_name = t->strings[f.class_name];
        f.method = t->strings[f.method];
        f.descriptor = t->strings[f.descriptor];
        t->frames[i] = roxi_symbols_frame(t->to->symbols, f);
        if (t->frames[i] == ROXI_NONE)
            return -1;
    }
    return 0;
}

int roxi_translate(struct roxi_translation *t, struct roxi_extent until)
{
    if (make_room(t) != 0 || strings_and_frames(t, until.symbols) != 0)
        return -1;
    for (uint32_t i = t->done.symbols.stacks; i < until.symbols.stacks; i++) {
        const struct roxi_stack s = roxi_symbols_stack_at(t->from->symbols, i);
        t->stacks[i] = roxi_symbols_stack(t->to->symbols, t->stacks[s.parent], t->frames[s.frame]);
        if (t->stacks[i] == ROXI_NONE)
            return -1;
    }
    for (uint32_t i = t->done.groups; i < until.groups; i++) {
        const uint64_t key = roxi_tally_key(&t->from->groups, i);
        t->groups[i] = roxi_profiles_group(t->to, t->strings[key >> 32], t->strings[(uint32_t)key]);
        if (t->groups[i] == ROXI_NONE)
            return -1;
    }
    t->done = until;
    return 0;
}
