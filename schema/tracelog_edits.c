#include "schema/tracelog_edits.h"

#include <string.h>

#include "schema/grow.h"

/* ---- Writing ---------------------------------------------------------------------------------- */

/* Two lists walked side by side. */
struct walk {
    const struct ix_entry *old, *old_end;
    const struct ix_entry *now, *now_end;
};

/* What happens at the walk's position; not to be called at the end of both lists. */
static enum ix_log_edit kind_here(const struct walk *w)
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
    } while (w->now < w->now_end && kind_here(w) == kind);
    return count;
}

static void put_edit(struct ix_out *out, struct walk *w, const struct ix_entry *first)
{
    enum ix_log_edit kind = kind_here(w);
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
    while (w.now < w.now_end) /* old threads behind the last one are gone without an edit */
        put_edit(out, &w, now->entries);
}

/* ---- Reading ---------------------------------------------------------------------------------- */

struct edit_reader {
    struct ix_in in;
    const struct ix_edit_base *base;
    size_t from; /* position in the list before */
    struct ix_entries *list;
    struct ix_edited *edited;
};

static int malformed(struct ix_error *err)
{
    return ix_fail(err, "a malformed snapshot");
}

static int not_ascending(uint64_t thread, struct ix_error *err)
{
    return ix_fail(err, "thread %llu is not above the one before it", (unsigned long long)thread);
}

static uint32_t last_thread(const struct ix_entries *list)
{
    return list->count ? list->at[list->count - 1].thread : 0;
}

/* Appends the next `count` threads of the list before; there are that many, and room for them. */
static int keep(struct edit_reader *e, size_t count, struct ix_error *err)
{
    const struct ix_entry *old = e->base->before->entries + e->from;
    /* Only the first can break the order: those behind it ascend already. */
    if (old->thread <= last_thread(e->list))
        return not_ascending(old->thread, err);
    memcpy(e->list->at + e->list->count, old, count * sizeof *old);
    e->list->count += count;
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
    struct ix_entry *entry = e->list->at + e->list->count;
    if (keep(e, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (take_entry(e, &entry[i], err) < 0)
            return -1;
    return 0;
}

static int add(struct edit_reader *e, size_t count, struct ix_error *err)
{
    uint64_t thread = last_thread(e->list);
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
        struct ix_entry *entry = &e->list->at[e->list->count];
        entry->thread = (uint32_t)thread;
        if (take_entry(e, entry, err) < 0)
            return -1;
        e->list->count++;
    }
    return 0;
}

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "memory ran out");
}

static int reserve(struct ix_entries *list, size_t more, struct ix_error *err)
{
    struct ix_entry *grown = ix_grow(list->at, &list->cap, list->count + more, sizeof *grown);
    if (!grown)
        return no_memory(err);
    list->at = grown;
    return 0;
}

/* Notes the entries from `first` on as changed. */
static int note_set(struct edit_reader *e, size_t first, struct ix_error *err)
{
    struct ix_edited *d = e->edited;
    const size_t more = e->list->count - first;
    uint32_t *set = ix_grow(d->set, &d->set_cap, d->set_count + more, sizeof *set);
    if (!set)
        return no_memory(err);
    d->set = set;
    for (size_t i = 0; i < more; i++) /* threads have 32-bit numbers, so places have, too */
        set[d->set_count++] = (uint32_t)(first + i);
    return 0;
}

/* Notes `count` threads of the list before as gone. */
static int note_gone(struct edit_reader *e, size_t count, struct ix_error *err)
{
    struct ix_edited *d = e->edited;
    uint32_t *gone = ix_grow(d->gone, &d->gone_cap, d->gone_count + count, sizeof *gone);
    if (!gone)
        return no_memory(err);
    d->gone = gone;
    for (size_t i = 0; i < count; i++)
        gone[d->gone_count++] = e->base->before->entries[e->from + i].thread;
    return 0;
}

static int apply_edit(struct edit_reader *e, struct ix_error *err)
{
    uint64_t word = ix_get_varint(&e->in);
    uint64_t count = word >> 2;
    enum ix_log_edit kind = word & 3;
    if (e->in.failed || count == 0)
        return malformed(err);
    /* What the edit can cover at most: for new threads, their bytes say (three at least each). */
    size_t most =
        kind == IX_EDIT_NEW ? ix_in_left(&e->in) / 3 : e->base->before->count - e->from;
    if (count > most)
        return ix_fail(err, "an edit of %llu threads, where there are %zu",
                       (unsigned long long)count, most);
    if (kind != IX_EDIT_GONE && reserve(e->list, count, err) < 0)
        return -1;
    int status = 0;
    const size_t first = e->list->count;
    if (kind == IX_EDIT_SAME)
        status = keep(e, count, err);
    else if (kind == IX_EDIT_GONE)
        status = note_gone(e, count, err);
    else
        status = kind == IX_EDIT_CHANGED ? change(e, count, err) : add(e, count, err);
    if (status == 0 && kind != IX_EDIT_SAME && kind != IX_EDIT_GONE)
        status = note_set(e, first, err);
    if (kind != IX_EDIT_NEW)
        e->from += count;
    return status;
}

/* Sums wrap around, as the writer's differences do. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int ix_get_snapshot(struct ix_in in, const struct ix_edit_base *base, struct ix_entries *list,
                    struct ix_edited *edited, struct ix_snapshot *now, struct ix_error *err)
{
    struct ix_snapshot s = {.packet = ix_get_varint(&in)};
    s.mono_ns = plus(base->before->mono_ns, ix_get_zigzag(&in));
    s.real_ns = plus(base->before->real_ns, ix_get_zigzag(&in));
    s.stop_ns = ix_get_varint(&in);
    s.missed = ix_get_varint(&in);
    if (in.failed)
        return malformed(err);
    list->count = edited->set_count = edited->gone_count = 0;
    struct edit_reader e = {.in = in, .base = base, .list = list, .edited = edited};
    while (ix_in_left(&e.in))
        if (apply_edit(&e, err) < 0)
            return -1;
    /* Those that no edit mentions. */
    if (note_gone(&e, base->before->count - e.from, err) < 0)
        return -1;
    s.entries = list->at;
    s.count = list->count;
    *now = s;
    return 0;
}
