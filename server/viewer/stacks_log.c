/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/stacks_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/units.h"

/* Snapshots, and bytes without one, between two readings of the clock. */
#define CLOCK_EVERY 16
#define SLICE_BYTES (UINT64_C(256) << 10)
/* Largest cost of keeping a snapshot passed on the way to another, per snapshot and per byte of the
 * log: a log that says in a few bytes that 100,000 threads are unchanged is not copied as often. */
#define KEEP_ONE 32768
#define KEEP_BYTE 64

static void forget_kept(struct ixor_log *log)
{
    log->kept_count = log->kept_next = 0;
}

void ixor_log_close(struct ixor_log *log)
{
    ix_log_reader_close(log->reader);
    log->reader = NULL;
    log->first = log->before = log->last = log->cost = 0;
    log->pending = false;
    forget_kept(log);
}

uint64_t ixor_log_memory(const struct ixor_log *log)
{
    return log->kept_bytes + (log->reader ? ix_log_reader_memory(log->reader) : 0);
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

/* If another file is at the path, the log has continued in another part, or is another log; one
 * without a complete header when it was opened may have one now. */
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
    if (!log->reader)
        return -1;
    ix_log_slice(log->reader, SLICE_BYTES);
    return 0;
}

static void release(struct ixor_log *log, struct ixor_kept *k)
{
    free(k->entries);
    log->kept_bytes -= k->room * sizeof *k->entries;
    k->entries = NULL;
    k->room = 0;
}

/* Makes room for `count` entries in the next place, discarding the oldest snapshots if needed. */
static int make_room(struct ixor_log *log, size_t count, struct ix_error *err)
{
    struct ixor_kept *k = &log->kept[log->kept_next];
    const uint64_t bytes = count * sizeof *k->entries;
    if (count <= k->room)
        return 0;
    release(log, k);
    for (size_t i = 1; i < IXOR_STACKS_KEPT; i++) {
        if (log->kept_bytes + bytes <= IXOR_STACKS_KEPT_BYTES)
            break;
        release(log, &log->kept[(log->kept_next + i) % IXOR_STACKS_KEPT]);
        if (log->kept_count > IXOR_STACKS_KEPT - 1 - i)
            log->kept_count = IXOR_STACKS_KEPT - 1 - i;
    }
    k->entries = reallocarray(NULL, count, sizeof *k->entries);
    if (!k->entries)
        return ix_fail(err, "out of memory");
    k->room = count;
    log->kept_bytes += bytes;
    return 0;
}

/* The latest one. */
static int keep(struct ixor_log *log, struct ix_error *err)
{
    const struct ix_snapshot *s = &log->latest;
    struct ixor_kept *k = &log->kept[log->kept_next];
    if (make_room(log, s->count, err) != 0)
        return -1;
    if (s->count)
        memcpy(k->entries, s->entries, s->count * sizeof *s->entries);
    k->snapshot = *s;
    k->snapshot.entries = k->entries;
    log->kept_next = (log->kept_next + 1) % IXOR_STACKS_KEPT;
    log->kept_count += log->kept_count < IXOR_STACKS_KEPT;
    log->pending = false;
    return 0;
}

/* Call when the reader has moved on: data of a part that has ended is void. */
static void follow_part(struct ixor_log *log)
{
    if (ix_log_part(log->reader) == log->part)
        return;
    log->part = ix_log_part(log->reader);
    log->pending = false;
    forget_kept(log);
}

/* Passes a snapshot on the way to `packet` (0: to the end); keeps it if it is the one sought, or
 * cheap. */
static int pass(struct ixor_log *log, const struct ix_snapshot *s, uint64_t packet,
                struct ix_error *err)
{
    const uint64_t at = ix_log_reader_offset(log->reader), cost = at - log->cost;
    if (!log->first)
        log->first = s->packet;
    log->before = log->last;
    log->last = s->packet;
    log->latest = *s;
    log->pending = true;
    log->cost = at;
    if ((packet && s->packet >= packet) ||
        s->count * sizeof *s->entries <= KEEP_ONE + KEEP_BYTE * cost)
        return keep(log, err);
    forget_kept(log); /* the kept snapshots must be consecutive */
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

static enum ixor_found busy(const struct ixor_log *log, struct ix_error *err)
{
    ix_fail(err, "still reading the trace log, at packet %llu, byte %llu; ask again",
            (unsigned long long)log->last, (unsigned long long)ix_log_reader_offset(log->reader));
    return IXOR_BUSY;
}

static enum ixor_found too_large(struct ixor_log *log, struct ix_error *err)
{
    ix_fail(err,
            "up to byte %llu this trace log needs more than the %u MiB of memory that the viewer "
            "has for one; see it with 'roxi dump'",
            (unsigned long long)ix_log_reader_offset(log->reader),
            (unsigned)(IXOR_STACKS_BYTES >> 20));
    ixor_log_close(log);
    return IXOR_NOT_THERE;
}

/* Reads until `packet` (0: the end) is reached or time is up. Found: as far as the log goes. */
static enum ixor_found read_on(struct ixor_log *log, uint64_t packet, struct ix_error *err)
{
    const uint64_t until = ixor_mono_ns() + IXOR_STACKS_NS;
    for (unsigned n = 1; !packet || log->last < packet; n++) {
        struct ix_snapshot s;
        int found = ix_log_next(log->reader, &s, err);
        if (found == 0 && ix_log_grown(log->reader))
            found = ix_log_next(log->reader, &s, err);
        follow_part(log);
        if (found == 0)
            return !log->pending || keep(log, err) == 0 ? IXOR_FOUND : IXOR_BROKEN;
        if (found < 0 || (found == 1 && pass(log, &s, packet, err) != 0))
            return IXOR_BROKEN;
        if (ix_log_reader_memory(log->reader) > IXOR_STACKS_BYTES)
            return too_large(log, err);
        if ((found == IX_LOG_MORE || n % CLOCK_EVERY == 0) && ixor_mono_ns() > until)
            return busy(log, err);
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
    if (log->last > packet && log->before && log->before < packet) {
        below = log->before;
        above = log->last;
    }
    if (log->last == 0 || !packet)
        ix_fail(err, "the trace log%s has no snapshot yet", log->last ? "'s newest part" : "");
    else if (below && above)
        ix_fail(err, "this JVM did not take packet %llu; the nearest are %llu and %llu",
                (unsigned long long)packet, (unsigned long long)below, (unsigned long long)above);
    else
        ix_fail(err, "this JVM has not taken packet %llu; the trace log has %llu to %llu so far",
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
