/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

struct roxi_log_method {
    bool known; /* false: not requested yet */
    enum roxi_frame_use use;
    uint32_t class_name, name, descriptor; /* strings, reduced to the granularity */
};

struct roxi_log_frame {
    uint32_t number; /* in the dictionary; meaningless if the frame is skipped */
    enum roxi_frame_use use;
    uint32_t alone; /* + 1: the stack of this frame alone; 0: not requested yet */
};

struct roxi_log_thread {
    const char *name; /* the log's; the pointer changes when the thread is renamed */
    uint32_t normal;
};

void roxi_log_symbols_init(struct roxi_log_symbols *l, const struct ix_log_reader *log,
                           struct roxi_symbols *symbols, struct roxi_names *names,
                           enum roxi_granularity granularity)
{
    *l = (struct roxi_log_symbols){
        .log = log, .symbols = symbols, .names = names, .granularity = granularity};
}

void roxi_log_symbols_release(struct roxi_log_symbols *l)
{
    free(l->classes);
    free(l->methods);
    free(l->frames);
    free(l->stacks);
    free(l->threads);
    *l = (struct roxi_log_symbols){0};
}

/* Grows *array to at least `want` items, the new ones zero. */
static void *extend(void *array, size_t *count, size_t *cap, size_t want, size_t size)
{
    char *grown = ix_grow(array, cap, want, size);
    if (grown && want > *count) {
        memset(grown + *count * size, 0, (want - *count) * size);
        *count = want;
    }
    return grown;
}

static uint32_t class_name(struct roxi_log_symbols *l, uint32_t number)
{
    if (!l->classes[number]) {
        struct ix_class c = ix_log_class_at(l->log, number);
        uint32_t normal = roxi_names_class(l->names, c.name);
        if (normal == ROXI_NONE)
            return ROXI_NONE;
        l->classes[number] = normal + 1;
    }
    return l->classes[number] - 1;
}

/* At a coarser granularity all frames of a method, or of a class, are the same. */
static int find_method(struct roxi_log_symbols *l, uint32_t number)
{
    const struct ix_method m = ix_log_method_at(l->log, number);
    struct roxi_log_method found = {.known = true};
    found.class_name = class_name(l, m.class_number); /* this order determines the numbers */
    found.name = roxi_symbols_string(l->symbols, m.name, strlen(m.name));
    found.descriptor = roxi_symbols_string(l->symbols, m.descriptor, strlen(m.descriptor));
    if (found.class_name == ROXI_NONE || found.name == ROXI_NONE || found.descriptor == ROXI_NONE)
        return -1;
    found.use = roxi_names_frame(l->names, found.class_name, found.name);
    if (l->granularity == ROXI_CLASSES)
        found.name = found.descriptor = 0;
    l->methods[number] = found;
    return found.use == ROXI_FRAME_UNKNOWN ? -1 : 0;
}

static int find_frame(struct roxi_log_symbols *l, uint32_t number)
{
    const struct ix_frame f = ix_log_frame_at(l->log, number);
    const struct roxi_log_method *m = &l->methods[f.method];
    if (!m->known && find_method(l, f.method) != 0)
        return -1;
    l->frames[number].use = m->use;
    l->frames[number].number = roxi_symbols_frame(
        l->symbols,
        (struct roxi_frame){.class_name = m->class_name,
                            .method = m->name,
                            .descriptor = m->descriptor,
                            .line = l->granularity == ROXI_LINES ? f.line : IX_LINE_UNKNOWN});
    return l->frames[number].number == ROXI_NONE ? -1 : 0;
}

static int find_stack(struct roxi_log_symbols *l, uint32_t number)
{
    const uint32_t parent = l->stacks[ix_log_stack_parent(l->log, number)].number;
    const struct roxi_log_frame *top = &l->frames[ix_log_stack_frame(l->log, number)];
    struct roxi_log_stack *stack = &l->stacks[number];
    stack->number = top->use == ROXI_FRAME_SKIPPED
                        ? parent
                        : roxi_symbols_stack(l->symbols, parent, top->number);
    stack->counts_as = top->use == ROXI_FRAME_IDLE ? ROXI_LEFT_OUT : stack->number;
    return stack->number == ROXI_NONE ? -1 : 0;
}

static int make_room(struct roxi_log_symbols *l, size_t *frames_before, size_t *stacks_before)
{
    *frames_before = l->frame_count ? l->frame_count : 1;
    *stacks_before = l->stack_count ? l->stack_count : IX_STACK_CUT + 1;
    void *grown = extend(l->classes, &l->class_count, &l->class_cap, ix_log_class_count(l->log),
                         sizeof *l->classes);
    if (!grown)
        return -1;
    l->classes = grown;
    grown = extend(l->methods, &l->method_count, &l->method_cap, ix_log_method_count(l->log),
                   sizeof *l->methods);
    if (!grown)
        return -1;
    l->methods = grown;
    grown = extend(l->frames, &l->frame_count, &l->frame_cap, ix_log_frame_count(l->log),
                   sizeof *l->frames);
    if (!grown)
        return -1;
    l->frames = grown;
    grown = extend(l->stacks, &l->stack_count, &l->stack_cap, ix_log_stack_count(l->log),
                   sizeof *l->stacks);
    if (!grown)
        return -1;
    l->stacks = grown;
    grown = extend(l->threads, &l->thread_count, &l->thread_cap, ix_log_thread_count(l->log),
                   sizeof *l->threads);
    if (!grown)
        return -1;
    l->threads = grown;
    return 0;
}

int roxi_log_symbols_update(struct roxi_log_symbols *l)
{
    size_t frames, stacks;
    if (ix_log_part(l->log) != l->part) {
        l->part = ix_log_part(l->log);
        l->class_count = l->method_count = l->frame_count = l->stack_count = l->thread_count = 0;
    }
    if (make_room(l, &frames, &stacks) != 0)
        return -1;
    for (size_t i = frames; i < l->frame_count; i++) {
        if (find_frame(l, (uint32_t)i) != 0)
            return -1;
    }
    for (size_t i = stacks; i < l->stack_count; i++) {
        if (find_stack(l, (uint32_t)i) != 0)
            return -1;
    }
    return 0;
}

uint32_t roxi_log_symbols_thread(struct roxi_log_symbols *l, uint32_t thread)
{
    struct roxi_log_thread *known = &l->threads[thread];
    const struct ix_thread now = ix_log_thread_at(l->log, thread);
    if (now.flags & IX_THREAD_LEFT)
        return ROXI_LEFT_OUT;
    if (known->name != now.name) {
        known->normal = roxi_names_thread(l->names, now.name, now.group);
        known->name = known->normal == ROXI_NONE ? NULL : now.name;
    }
    return known->normal;
}

int roxi_log_symbols_thrown(struct roxi_log_symbols *l, uint32_t class_number, uint32_t frame,
                            uint32_t *class_string, uint32_t *stack)
{
    *class_string = class_name(l, class_number);
    *stack = roxi_symbols_stack(l->symbols, 0, l->frames[frame].number);
    return *class_string == ROXI_NONE || *stack == ROXI_NONE ? -1 : 0;
}

uint32_t roxi_log_symbols_called(struct roxi_log_symbols *l, uint32_t method)
{
    const struct roxi_log_method *m = &l->methods[method];
    if (!m->known && find_method(l, method) != 0)
        return ROXI_NONE;
    if (m->use == ROXI_FRAME_SKIPPED)
        return ROXI_LEFT_OUT;
    const struct roxi_frame frame = {.class_name = m->class_name,
                                     .method = m->name,
                                     .descriptor = m->descriptor,
                                     .line = IX_LINE_UNKNOWN};
    const uint32_t number = roxi_symbols_frame(l->symbols, frame);
    return number == ROXI_NONE ? ROXI_NONE : roxi_symbols_stack(l->symbols, 0, number);
}

uint32_t roxi_log_symbols_covered(struct roxi_log_symbols *l, uint32_t frame)
{
    struct roxi_log_frame *f = &l->frames[frame];
    if (f->use == ROXI_FRAME_SKIPPED)
        return ROXI_LEFT_OUT;
    if (!f->alone) {
        const uint32_t stack = roxi_symbols_stack(l->symbols, 0, f->number);
        f->alone = stack == ROXI_NONE ? 0 : stack + 1;
    }
    return f->alone ? f->alone - 1 : ROXI_NONE;
}

int roxi_log_symbols_first(struct roxi_log_symbols *l, uint32_t class_number, uint32_t log_stack,
                           uint32_t *class_string, uint32_t *stack)
{
    *class_string = class_name(l, class_number);
    *stack = roxi_log_symbols_whole(l, log_stack);
    return *class_string == ROXI_NONE ? -1 : 0;
}

int roxi_log_symbols_sources(struct roxi_log_symbols *l, struct roxi_tally *sources)
{
    for (size_t i = 0; i < l->class_count; i++) {
        const char *file = l->classes[i] ? ix_log_class_at(l->log, (uint32_t)i).source : "";
        if (!*file)
            continue;
        const uint32_t string = roxi_symbols_string(l->symbols, file, strlen(file));
        if (string == ROXI_NONE ||
            roxi_tally_add(sources, roxi_pair(l->classes[i] - 1, string), 0) == ROXI_NONE)
            return -1;
    }
    return 0;
}

const char *roxi_granularity_name(enum roxi_granularity granularity)
{
    static const char *const words[] = {"line", "method", "class"};
    return words[granularity];
}
