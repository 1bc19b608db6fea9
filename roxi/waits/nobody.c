/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/nobody.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/platform.h"
#include "schema/tracelog/thread_state.h"
#include "schema/waits/stack.h"

enum { PLACES = 3 }; /* that are printed */

/* Where threads wait; the strings are the logs'. */
struct place {
    const char *role, *class, *method;
    size_t threads;
};

static bool waits(const struct waits_build *b, size_t at, const struct waits_jvm *jvm,
                  const struct ix_entry *entry)
{
    const struct waits_node *node = &b->graph.nodes[at];
    return entry->state & (IX_THREAD_OBJECT_WAIT | IX_THREAD_PARKED | IX_THREAD_BLOCKED) &&
           !(entry->state & (IX_THREAD_RUNNABLE | IX_THREAD_SLEEPING)) &&
           node->next == WAITS_NONE && !waits_group_of_jdk(node->group) &&
           !waits_stack_idle(jvm->log, entry->stack);
}

/* Fills in the innermost method of the application; false: there is none. */
static bool find_method(struct place *p, const struct ix_log_reader *log, uint32_t stack)
{
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(log, stack)) {
        const struct ix_frame frame = ix_log_frame_at(log, ix_log_stack_frame(log, stack));
        const struct ix_method method = ix_log_method_at(log, frame.method);
        p->class = ix_log_class_at(log, method.class_number).name;
        p->method = method.name;
        if (!roxi_is_platform(p->class))
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->role, y->role);
    if (order == 0)
        order = strcmp(x->class, y->class);
    return order ? order : strcmp(x->method, y->method);
}

static int by_threads(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->threads != y->threads)
        return x->threads < y->threads ? 1 : -1;
    return by_name(a, b);
}

/* One entry for each thread; returns how many. */
static size_t list(struct place *places, const struct waits_build *b)
{
    size_t count = 0;
    for (size_t j = 0; j < b->jvms->count; j++) {
        const struct waits_jvm *jvm = &b->jvms->list[j];
        for (size_t i = 0; jvm->here && i < jvm->snapshot.count; i++) {
            const struct ix_entry *entry = &jvm->snapshot.entries[i];
            struct place *p = &places[count];
            *p = (struct place){.role = jvm->role, .threads = 1};
            if (waits(b, b->first[j] + i, jvm, entry) && find_method(p, jvm->log, entry->stack))
                count++;
        }
    }
    return count;
}

/* Adds up those of the same place; returns how many remain. */
static size_t merge(struct place *places, size_t count)
{
    size_t kept = 0;
    qsort(places, count, sizeof *places, by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept && by_name(&places[kept - 1], &places[i]) == 0)
            places[kept - 1].threads++;
        else
            places[kept++] = places[i];
    }
    qsort(places, kept, sizeof *places, by_threads);
    return kept;
}

static void print_place(FILE *out, const struct place *p)
{
    fprintf(out, "  %zu thread%s of ", p->threads, p->threads == 1 ? "" : "s");
    text_print(out, p->role);
    fprintf(out, " wait%s in ", p->threads == 1 ? "s" : "");
    text_print(out, p->class);
    putc('.', out);
    text_print(out, p->method);
    fputs(", for nobody known\n", out);
}

/* Do others wait for nobody, or only for threads that wait themselves? */
static bool only_for_idle(const struct waits_graph *g)
{
    bool idle = !g->ring_count;
    for (size_t i = 0; i < g->end_count && idle; i++)
        idle = g->nodes[g->ends[i]].why != NULL;
    return idle;
}

int waits_print_nobody(FILE *out, const struct waits_build *b)
{
    if (!only_for_idle(&b->graph))
        return 0;
    struct place *places = calloc(b->thread_count + 1, sizeof *places);
    if (!places)
        return -1;
    const size_t threads = list(places, b), count = merge(places, threads);
    size_t shown = 0;
    for (size_t i = 0; i < count && i < PLACES; i++) {
        print_place(out, &places[i]);
        shown += places[i].threads;
    }
    if (threads > shown)
        fprintf(out, "  %zu more in %zu other place%s\n", threads - shown, count - PLACES,
                count == PLACES + 1 ? "" : "s");
    free(places);
    return 0;
}
