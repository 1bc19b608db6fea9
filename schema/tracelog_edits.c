#include "schema/tracelog_edits.h"

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
