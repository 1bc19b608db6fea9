/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/edits.h"

#include <string.h>

#include "schema/base/grow.h"

/* ---- Writing ----------------------------------------------------------------------------------
 */

/* Two lists walked side by side. */
struct walk {
    const struct ix_entry *old, *old_end;
    const struct ix_entry *now, *now_end;
};

/* What happens at the walk's position; not to be called at the end of both lists. */
static enum ix_log_edit edit_here(const struct walk *w)
{
    if (w->now == w->now_end)
        return IX_EDIT_GONE;
    if (w->old == w->old_end || w->old->thread > w->now->thread)
        return IX_EDIT_NEW;
    if (w->old->thread < w->now->thread)
        return IX_EDIT_GONE;
    return w->old->state == w->now->state && w->old->stack == w->now->stack ? IX_EDIT_SAME
                                                                            : IX_EDIT_CHANGED;
}

/* Moves over the edit that begins here; returns how many threads it covers. */
static uint64_t skip_run(struct walk *w, enum ix_log_edit kind)
{
    uint64_t count = 0;
    do {
        if (kind != IX_EDIT_NEW) /* the old list may be NULL */
            w->old++;
        if (kind != IX_EDIT_GONE)
            w->now++;
        count++;
    } while (w->now < w->now_end && edit_here(w) == kind);
    return count;
}

static void put_edit(struct ix_out *out, struct walk *w, const struct ix_entry *first)
{
    enum ix_log_edit kind = edit_here(w);
    const struct ix_entry *entry = w->now;
    uint64_t count = skip_run(w, kind);
    ix_put_varint(out, count << 2 | kind);
    if (kind == IX_EDIT_SAME || kind == IX_EDIT_GONE)
        return;
    for (; entry < w->now; entry++) {
        if (kind == IX_EDIT_NEW)
            ix_put_varint(out, entry->thread - (entry > first ? entry[-1].thread : 0));
        ix_put_varint(out, entry->state);
        ix_put_varint(out, entry->stack);
    }
}

/* Clocks may step back or be anything in an imported log: differences wrap around. */
static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static const struct ix_entry *end_of(const struct ix_snapshot *s)
{
    return s->count ? s->entries + s->count : s->entries;
}

void ix_put_snapshot(struct ix_out *out, const struct ix_snapshot *before,
                     const struct ix_snapshot *now)
{
    ix_put_varint(out, now->packet);
    ix_put_zigzag(out, minus(now->mono_ns, before->mono_ns));
    ix_put_zigzag(out, minus(now->real_ns, before->real_ns));
    ix_put_varint(out, now->stop_ns);
    ix_put_varint(out, now->missed);
    struct walk w = {before->entries, end_of(before), now->entries, end_of(now)};
    while (w.now < w.now_end) /* old threads after the last one are gone without an edit */
        put_edit(out, &w, now->entries);
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

/* The old list is read and the new one written in the same `list`, the writing never ahead of the
 * reading. Before it would overtake, which only new threads can cause, the unread entries are moved
 * away.
 */
struct edit_reader {
    struct ix_in in;
    const struct ix_edit_base *base;
    const struct ix_entry *old, *old_end; /* threads of the list before, still to be read */
    bool apart;                           /* these have been moved away */
    struct ix_list *list;                 /* has room for every list the payload can produce */
    size_t count;                         /* threads of this list so far */
    struct ix_edited *edited;
};

static int malformed(struct ix_error *err)
{
    return ix_fail(err, "a malformed snapshot");
}

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "memory ran out");
}

static int not_ascending(uint64_t thread, struct ix_error *err)
{
    return ix_fail(err, "thread %llu is not above the one before it", (unsigned long long)thread);
}

static uint32_t last_thread(const struct edit_reader *e)
{
    return e->count ? e->list->at[e->count - 1].thread : 0;
}

/* Appends the next `count` threads of the list before; there are that many. */
static int keep_entries(struct edit_reader *e, size_t count, struct ix_error *err)
{
    /* Only the first can break the order: those behind it ascend already. */
    if (e->old->thread <= last_thread(e))
        return not_ascending(e->old->thread, err);
    if (e->list->at + e->count != e->old)
        memmove(e->list->at + e->count, e->old, count * sizeof *e->old);
    e->count += count;
    e->old += count;
    return 0;
}

/* State and stack of an entry. */
static int take_entry(struct edit_reader *e, struct ix_entry *entry, struct ix_error *err)
{
    entry->state = (uint32_t)ix_get_varint_max(&e->in, UINT32_MAX);
    uint64_t stack = ix_get_varint(&e->in);
    if (e->in.failed)
        return malformed(err);
    if (stack >= e->base->stacks)
        return ix_fail(err, "a snapshot refers to stack %llu, which is not defined",
                       (unsigned long long)stack);
    entry->stack = (uint32_t)stack;
    return 0;
}

static int change(struct edit_reader *e, size_t count, struct ix_error *err)
{
    const size_t first = e->count;
    if (keep_entries(e, count, err) < 0)
        return -1;
    for (size_t i = first; i < e->count; i++) {
        if (take_entry(e, &e->list->at[i], err) < 0)
            return -1;
        e->edited->set[e->edited->set_count++] = (uint32_t)i;
    }
    return 0;
}

/* Moves the unread entries of the old list out of the way of the new ones. */
static int move_old(struct edit_reader *e, struct ix_error *err)
{
    const size_t count = (size_t)(e->old_end - e->old);
    struct ix_entry *to = ix_grow(e->list->moved, &e->list->moved_cap, count, sizeof *to);
    if (!to)
        return no_memory(err);
    e->list->moved = to;
    e->apart = true;
    if (count)
        memcpy(to, e->old, count * sizeof *to);
    e->old = to;
    e->old_end = to + count;
    return 0;
}

static int add(struct edit_reader *e, size_t count, struct ix_error *err)
{
    uint64_t thread = last_thread(e);
    if (!e->apart && move_old(e, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        uint64_t step = ix_get_varint_max(&e->in, UINT32_MAX);
        thread += step;
        if (e->in.failed)
            return malformed(err);
        if (step == 0)
            return not_ascending(thread, err);
        if (thread >= e->base->threads)
            return ix_fail(err, "a snapshot refers to thread %llu, which is not defined",
                           (unsigned long long)thread);
        struct ix_entry *entry = &e->list->at[e->count];
        entry->thread = (uint32_t)thread;
        if (take_entry(e, entry, err) < 0)
            return -1;
        /* Threads have 32-bit numbers, so places have, too. */
        e->edited->set[e->edited->set_count++] = (uint32_t)e->count++;
    }
    return 0;
}

static void drop_entries(struct edit_reader *e, size_t count)
{
    for (; count; count--)
        e->edited->gone[e->edited->gone_count++] = e->old++->thread;
}

static int apply_edit(struct edit_reader *e, struct ix_error *err)
{
    uint64_t word = ix_get_varint(&e->in);
    uint64_t count = word >> 2;
    enum ix_log_edit kind = word & 3;
    if (e->in.failed || count == 0)
        return malformed(err);
    /* What the edit can cover at most: for new threads, their bytes say (three at least each). */
    size_t most = kind == IX_EDIT_NEW ? ix_in_left(&e->in) / 3 : (size_t)(e->old_end - e->old);
    if (count > most)
        return ix_fail(err, "an edit of %llu threads, where there are %zu",
                       (unsigned long long)count, most);
    if (kind == IX_EDIT_SAME)
        return keep_entries(e, count, err);
    if (kind == IX_EDIT_CHANGED)
        return change(e, count, err);
    if (kind == IX_EDIT_NEW)
        return add(e, count, err);
    drop_entries(e, count);
    return 0;
}

/* Room for the threads before and for as many new ones as the payload can hold. */
static int reserve(struct edit_reader *e, struct ix_error *err)
{
    struct ix_list *list = e->list;
    struct ix_edited *d = e->edited;
    const size_t before = e->base->before->count, most = before + ix_in_left(&e->in) / 3;
    struct ix_entry *at = ix_grow(list->at, &list->cap, most, sizeof *at);
    if (at)
        list->at = at;
    uint32_t *set = ix_grow(d->set, &d->set_cap, most, sizeof *set);
    if (set)
        d->set = set;
    uint32_t *gone = ix_grow(d->gone, &d->gone_cap, before, sizeof *gone);
    if (gone)
        d->gone = gone;
    if (!at || !set || !gone)
        return no_memory(err);
    d->set_count = d->gone_count = 0;
    e->old = at;
    e->old_end = at + before;
    return 0;
}

/* Sums wrap around, as the writer's differences do. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int ix_get_snapshot(struct ix_in in, const struct ix_edit_base *base, struct ix_list *list,
                    struct ix_edited *edited, struct ix_snapshot *now, struct ix_error *err)
{
    struct ix_snapshot s = {.packet = ix_get_varint(&in)};
    s.mono_ns = plus(base->before->mono_ns, ix_get_zigzag(&in));
    s.real_ns = plus(base->before->real_ns, ix_get_zigzag(&in));
    s.stop_ns = ix_get_varint(&in);
    s.missed = ix_get_varint(&in);
    if (in.failed)
        return malformed(err);
    struct edit_reader e = {.in = in, .base = base, .list = list, .edited = edited};
    if (reserve(&e, err) < 0)
        return -1;
    while (ix_in_left(&e.in))
        if (apply_edit(&e, err) < 0)
            return -1;
    drop_entries(&e, (size_t)(e.old_end - e.old)); /* those without an edit */
    s.entries = list->at;
    s.count = e.count;
    *now = s;
    return 0;
}
