#include "server/stacks_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/units.h"

/* Snapshots between two looks at the clock. */
#define CLOCK_EVERY 16

static void forget_kept(struct ixor_log *log)
{
    log->kept_count = log->kept_next = 0;
}

void ixor_log_close(struct ixor_log *log)
{
    ix_log_reader_close(log->reader);
    log->reader = NULL;
    log->first = log->last = 0;
    forget_kept(log);
}

void ixor_log_free(struct ixor_log *log)
{
    ixor_log_close(log);
    for (size_t i = 0; i < IXOR_STACKS_KEPT; i++)
        free(log->kept[i].entries);
    free(log->path);
    *log = (struct ixor_log){0};
}

/* Which file is at the path now; zeros if none is. */
static void identity(const char *path, dev_t *device, ino_t *inode)
{
    struct stat st = {0};
    const bool there = stat(path, &st) == 0;
    *device = there ? st.st_dev : 0;
    *inode = there ? st.st_ino : 0;
}

/* A log that has another file at its path has gone on in another part, or is another log; one
 * without a whole header when it was opened may have one now. */
static int open_log(struct ixor_log *log, struct ix_error *err)
{
    dev_t device;
    ino_t inode;
    identity(log->path, &device, &inode);
    const bool empty = log->reader && ix_log_reader_offset(log->reader) == 0;
    if (log->reader && (empty || device != log->device || inode != log->inode))
        ixor_log_close(log);
    if (log->reader)
        return 0;
    log->device = device;
    log->inode = inode;
    log->part = 0;
    log->reader = ix_log_open(log->path, err);
    return log->reader ? 0 : -1;
}

static int keep(struct ixor_log *log, const struct ix_snapshot *s, struct ix_error *err)
{
    if (ix_log_part(log->reader) != log->part) {
        log->part = ix_log_part(log->reader);
        forget_kept(log); /* their numbers are void */
    }
    struct ixor_kept *k = &log->kept[log->kept_next];
    if (s->count > k->room) {
        struct ix_entry *bigger = reallocarray(k->entries, s->count, sizeof *bigger);
        if (!bigger)
            return ix_fail(err, "out of memory");
        k->entries = bigger;
        k->room = s->count;
    }
    if (s->count)
        memcpy(k->entries, s->entries, s->count * sizeof *s->entries);
    k->snapshot = *s;
    k->snapshot.entries = k->entries;
    log->kept_next = (log->kept_next + 1) % IXOR_STACKS_KEPT;
    log->kept_count += log->kept_count < IXOR_STACKS_KEPT;
    if (!log->first)
        log->first = s->packet;
    log->last = s->packet;
    return 0;
}

/* The i-th of those kept, the last one first. */
static const struct ix_snapshot *kept_at(const struct ixor_log *log, size_t i)
{
    return &log->kept[(log->kept_next + IXOR_STACKS_KEPT - 1 - i) % IXOR_STACKS_KEPT].snapshot;
}

static const struct ix_snapshot *kept_packet(const struct ixor_log *log, uint64_t packet)
{
    for (size_t i = 0; i < log->kept_count; i++) {
        if (kept_at(log, i)->packet == packet)
            return kept_at(log, i);
    }
    return NULL;
}

/* Reads on until `packet` (0: the end) has been reached, or time is up. Found: as far as it goes. */
static enum ixor_found read_on(struct ixor_log *log, uint64_t packet, struct ix_error *err)
{
    const uint64_t until = ixor_mono_ns() + IXOR_STACKS_NS;
    for (unsigned n = 1; !packet || log->last < packet; n++) {
        struct ix_snapshot s;
        int found = ix_log_next(log->reader, &s, err);
        if (found == 0 && ix_log_grown(log->reader))
            found = ix_log_next(log->reader, &s, err);
        if (found == 0)
            return IXOR_FOUND;
        if (found < 0 || keep(log, &s, err) != 0)
            return IXOR_BROKEN;
        if (n % CLOCK_EVERY == 0 && ixor_mono_ns() > until) {
            ix_fail(err, "still reading the trace log, at packet %llu, byte %llu; ask again",
                    (unsigned long long)log->last,
                    (unsigned long long)ix_log_reader_offset(log->reader));
            return IXOR_BUSY;
        }
    }
    return IXOR_FOUND;
}

static enum ixor_found missing(const struct ixor_log *log, uint64_t packet, struct ix_error *err)
{
    uint64_t below = 0, above = 0;
    for (size_t i = log->kept_count; i-- > 0;) {
        const uint64_t there = kept_at(log, i)->packet;
        if (there < packet)
            below = there;
        else if (!above)
            above = there;
    }
    if (log->last == 0)
        ix_fail(err, "the trace log has no snapshot yet");
    else if (below && above)
        ix_fail(err, "this VM did not take packet %llu; the nearest are %llu and %llu",
                (unsigned long long)packet, (unsigned long long)below, (unsigned long long)above);
    else
        ix_fail(err, "this VM has not taken packet %llu; the trace log has %llu to %llu so far",
                (unsigned long long)packet, (unsigned long long)log->first,
                (unsigned long long)log->last);
    return IXOR_NOT_THERE;
}

enum ixor_found ixor_log_seek(struct ixor_log *log, uint64_t packet,
                              const struct ix_snapshot **snapshot, struct ix_error *err)
{
    if (open_log(log, err) != 0)
        return IXOR_NOT_THERE;
    if (packet && log->last >= packet && packet >= log->first && !kept_packet(log, packet) &&
        (log->kept_count == 0 || packet < kept_at(log, log->kept_count - 1)->packet)) {
        ixor_log_close(log);
        if (open_log(log, err) != 0)
            return IXOR_NOT_THERE;
    }
    const enum ixor_found read = read_on(log, packet, err);
    if (read != IXOR_FOUND)
        return read;
    if (!packet && log->kept_count)
        *snapshot = kept_at(log, 0);
    else
        *snapshot = packet ? kept_packet(log, packet) : NULL;
    return *snapshot ? IXOR_FOUND : missing(log, packet, err);
}
