/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/lockstep.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/units.h"
#include "server/store/listing.h"
#include "server/viewer/stacks_log.h"

#define SLICE_BYTES (UINT64_C(256) << 10) /* between two readings of the clock */
/* A JVM that ended so long ago is no longer waited for: the kernel has closed its connections. */
#define ENDED_NS INT64_C(60000000000)

/* ---- which JVMs ---- */

static void forget_jvm(struct ixor_lockstep_jvm *of)
{
    free(of->role);
    free(of->host);
    free(of->path);
    *of = (struct ixor_lockstep_jvm){0};
}

static void forget_all(struct ixor_lockstep *s)
{
    for (size_t i = 0; i < s->jvms.count; i++)
        forget_jvm(&s->of[i]);
    waits_jvms_free(&s->jvms);
}

void ixor_lockstep_free(struct ixor_lockstep *s)
{
    forget_all(s);
    *s = (struct ixor_lockstep){.patience_ns = s->patience_ns};
}

/* The last one takes its place. */
static void remove_jvm(struct ixor_lockstep *s, size_t i)
{
    const size_t last = --s->jvms.count;
    waits_jvm_free(&s->jvms.list[i]);
    forget_jvm(&s->of[i]);
    if (i != last) {
        s->jvms.list[i] = s->jvms.list[last];
        s->jvms.list[i].place = i;
        s->of[i] = s->of[last];
    }
}

/* Which file is at the path now; zeros if none is. */
static void identity(const char *path, dev_t *device, ino_t *inode)
{
    struct stat st = {0};
    const bool there = stat(path, &st) == 0;
    *device = there ? st.st_dev : 0;
    *inode = there ? st.st_ino : 0;
}

/* From its beginning. False: there is none yet, or it cannot be read. */
static bool open_log(struct ixor_lockstep *s, size_t i)
{
    struct ix_error unused;
    struct ixor_lockstep_jvm *of = &s->of[i];
    identity(of->path, &of->device, &of->inode);
    s->jvms.list[i].log = ix_log_open(of->path, &unused);
    if (s->jvms.list[i].log)
        ix_log_slice(s->jvms.list[i].log, SLICE_BYTES);
    return s->jvms.list[i].log;
}

static void close_log(struct ixor_lockstep *s, size_t i)
{
    waits_jvm_end(&s->jvms.list[i], s->jvms.packet);
    s->jvms.list[i].here = s->of[i].due = false;
}

/* The log goes on in another part, which the reader does not see, or is another log: reads it again
 * from its beginning. The same for one that was empty when it was opened. */
static void follow_file(struct ixor_lockstep *s, size_t i)
{
    dev_t device;
    ino_t inode;
    const struct ix_log_reader *log = s->jvms.list[i].log;
    if (log && ix_log_unread(log) && ix_log_reader_offset(log))
        return;
    identity(s->of[i].path, &device, &inode);
    if (log && ix_log_reader_offset(log) && device == s->of[i].device && inode == s->of[i].inode)
        return;
    if (log)
        close_log(s, i);
    open_log(s, i);
}

static int add_jvm(struct ixor_lockstep *s, const struct ix_vm *vm, char *path,
                   struct ix_error *err)
{
    const size_t i = s->jvms.count;
    struct ixor_lockstep_jvm *of = &s->of[i];
    *of = (struct ixor_lockstep_jvm){
        .vm = vm->id, .role = strdup(vm->role), .host = strdup(vm->host), .path = path};
    if (!of->role || !of->host) {
        forget_jvm(of);
        return ix_fail(err, "out of memory");
    }
    s->jvms.list[s->jvms.count++] = (struct waits_jvm){
        .role = of->role, .host = of->host, .place = i, .sockets_max = IXOR_LOCKSTEP_SOCKETS};
    return 0;
}

static size_t find_jvm(const struct ixor_lockstep *s, int64_t vm)
{
    size_t i = 0;
    while (i < s->jvms.count && s->of[i].vm != vm)
        i++;
    return i;
}

/* A JVM of the run that is not read: should it be? */
static int meet_jvm(struct ixor_lockstep *s, struct ixor_live *l, const struct ix_vm *vm,
                    bool running, struct ix_error *err)
{
    struct ix_error why;
    char *path = NULL;
    if (!running) {
        s->left_out += ixor_wall_ns() - vm->ended_ns < ENDED_NS;
        return 0;
    }
    enum ixor_found found = IXOR_NOT_THERE;
    if (s->jvms.count < IXOR_LOCKSTEP_JVMS)
        found = ixor_live_log(l, vm->id, &path, &why);
    if (found == IXOR_FOUND)
        return add_jvm(s, vm, path, err);
    s->left_out++;
    return found == IXOR_NOT_THERE ? 0 : ix_fail(err, "%s", why.text);
}

static int take_vm(struct ixor_lockstep *s, struct ixor_live *l, const struct ix_vm *vm,
                   struct ix_error *err)
{
    const bool running = strcmp(vm->ended, "running") == 0;
    const size_t known = s->jvms.count, i = find_jvm(s, vm->id);
    if (i == known && meet_jvm(s, l, vm, running, err) != 0)
        return -1;
    if (i == s->jvms.count)
        return 0;
    s->of[i].running = running;
    if (running)
        follow_file(s, i);
    s->left_out += running && !s->jvms.list[i].log;
    return 0;
}

/* JVMs that have come since the last time, logs that have gone on in other files. */
static int refresh(struct ixor_lockstep *s, struct ixor_live *l, struct ix_error *err)
{
    struct ixor_vm_list vms = {0};
    if (!s->jvms.list)
        s->jvms.list = calloc(IXOR_LOCKSTEP_JVMS, sizeof *s->jvms.list);
    if (!s->jvms.list)
        return ix_fail(err, "out of memory");
    for (size_t i = s->jvms.count; i-- > 0;)
        if (!s->of[i].running && !s->jvms.list[i].log && !s->jvms.list[i].retired)
            remove_jvm(s, i);
    s->left_out = 0;
    int result = ixor_list_vms(&vms, ixor_live_catalogue(l), s->execution, err);
    for (size_t i = 0; i < vms.count && result == 0; i++)
        result = take_vm(s, l, &vms.at[i], err);
    ixor_vm_list_free(&vms);
    s->jvms.left_out = s->left_out > 0;
    return result;
}

/* ---- snapshots ---- */

static bool is_over(uint64_t until)
{
    return ixor_mono_ns() > until;
}

static enum ixor_found busy(const struct ixor_lockstep *s, struct ix_error *err)
{
    ix_fail(err, "still reading the trace logs, at packet %llu; ask again",
            (unsigned long long)s->jvms.packet);
    return IXOR_BUSY;
}

/* Reads the JVM's next snapshot, if there is one: it is due. */
static enum ixor_found read_next(struct ixor_lockstep *s, size_t i, uint64_t until,
                                 struct ix_error *err)
{
    struct waits_jvm *jvm = &s->jvms.list[i];
    int found;
    do {
        found = ix_log_next(jvm->log, &jvm->snapshot, err);
        if (found == 0 && ix_log_grown(jvm->log))
            found = ix_log_next(jvm->log, &jvm->snapshot, err);
        if (found < 0)
            return IXOR_BROKEN;
        if (found == IX_LOG_MORE && is_over(until))
            return busy(s, err);
    } while (found == IX_LOG_MORE);
    if (found == 1) {
        waits_jvm_follow_part(jvm, s->jvms.packet);
        jvm->here = false;
        s->of[i].due = true;
    }
    return IXOR_FOUND;
}

/* Reads what the JVM has behind the present packet, if it was left behind or has just come, and
 * then its first snapshot after it. */
static enum ixor_found catch_up(struct ixor_lockstep *s, size_t i, uint64_t until,
                                struct ix_error *err)
{
    struct waits_jvm *jvm = &s->jvms.list[i];
    for (;;) {
        if (s->of[i].due && jvm->snapshot.packet > s->jvms.packet)
            return IXOR_FOUND;
        if (s->of[i].due && waits_jvm_arrive(&s->jvms, jvm) != 0)
            return (enum ixor_found)ix_fail(err, "out of memory");
        if (s->of[i].due)
            jvm->here = s->of[i].due = false;
        if (is_over(until))
            return busy(s, err);
        if (!ix_log_unread(jvm->log))
            return IXOR_FOUND;
        const enum ixor_found found = read_next(s, i, until, err);
        if (found != IXOR_FOUND || !s->of[i].due)
            return found;
    }
}

static enum ixor_found read_all(struct ixor_lockstep *s, uint64_t until, struct ix_error *err)
{
    for (size_t i = 0; i < s->jvms.count; i++) {
        if (!s->jvms.list[i].log || (s->jvms.list[i].here && !ix_log_unread(s->jvms.list[i].log)))
            continue;
        const enum ixor_found found = catch_up(s, i, until, err);
        if (found == IXOR_BROKEN)
            close_log(s, i); /* the next query starts again */
        if (found != IXOR_FOUND)
            return found;
    }
    return IXOR_FOUND;
}

/* Ends the logs of JVMs that have ended and have no more snapshots. */
static void end_logs(struct ixor_lockstep *s)
{
    for (size_t i = 0; i < s->jvms.count; i++)
        if (s->jvms.list[i].log && !s->of[i].running && !s->of[i].due && !s->jvms.list[i].here)
            close_log(s, i);
}

/* Goes to the first packet that is due: 1; 0: none is. -1: out of memory. */
static int go_on(struct ixor_lockstep *s, struct ix_error *err)
{
    uint64_t packet = UINT64_MAX;
    for (size_t i = 0; i < s->jvms.count; i++)
        if (s->of[i].due && s->jvms.list[i].snapshot.packet < packet)
            packet = s->jvms.list[i].snapshot.packet;
    if (packet == UINT64_MAX)
        return 0;
    for (size_t i = 0; i < s->jvms.count; i++)
        s->jvms.list[i].here = false;
    end_logs(s);
    s->jvms.packet = packet;
    for (size_t i = 0; i < s->jvms.count; i++) {
        struct waits_jvm *jvm = &s->jvms.list[i];
        waits_jvm_forget_former(jvm, packet);
        if (!s->of[i].due || jvm->snapshot.packet != packet)
            continue;
        s->of[i].due = false;
        s->taken_ns = jvm->snapshot.real_ns;
        if (waits_jvm_arrive(&s->jvms, jvm) != 0)
            return ix_fail(err, "out of memory");
    }
    return 1;
}

/* True if there is another packet, and it makes no sense to wait for a JVM that has not written it
 * yet. */
static bool has_next(const struct ixor_lockstep *s)
{
    const int64_t age_ns = ixor_wall_ns() - s->taken_ns;
    const bool patient = age_ns > -s->patience_ns && age_ns < s->patience_ns;
    bool any = false, waits = false;
    for (size_t i = 0; i < s->jvms.count; i++) {
        const struct waits_jvm *jvm = &s->jvms.list[i];
        const bool more = s->of[i].due || (jvm->log && ix_log_unread(jvm->log));
        any = any || more;
        waits = waits || (!more && jvm->here && s->of[i].running);
    }
    return any && !(waits && patient);
}

static enum ixor_found too_large(struct ixor_lockstep *s, struct ix_error *err)
{
    forget_all(s);
    s->too_large = true;
    ix_fail(err,
            "the trace logs of this run need more than the %u MiB of memory that the viewer has "
            "for them; 'roxi waits' tells who waits for whom",
            (unsigned)(IXOR_STACKS_BYTES >> 20));
    return IXOR_NOT_THERE;
}

static bool is_too_large(const struct ixor_lockstep *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->jvms.count; i++)
        if (s->jvms.list[i].log)
            bytes += ix_log_reader_memory(s->jvms.list[i].log);
    return bytes > IXOR_STACKS_BYTES;
}

static enum ixor_found read_on(struct ixor_lockstep *s, struct ix_error *err)
{
    const uint64_t until = ixor_mono_ns() + IXOR_STACKS_NS;
    int more = 1;
    while (more > 0 && (s->between || has_next(s))) {
        s->between = true;
        const enum ixor_found found = read_all(s, until, err);
        if (found != IXOR_FOUND)
            return found;
        if (is_too_large(s))
            return too_large(s, err);
        more = go_on(s, err);
        s->between = false;
        if (more > 0 && is_over(until))
            return busy(s, err);
    }
    return more < 0 ? IXOR_BROKEN : IXOR_FOUND;
}

enum ixor_found ixor_lockstep_read(struct ixor_lockstep *s, struct ixor_live *l, int64_t execution,
                                   struct ix_error *err)
{
    if (s->execution != execution)
        ixor_lockstep_free(s);
    s->execution = execution;
    if (s->too_large)
        return too_large(s, err);
    if (refresh(s, l, err) != 0)
        return IXOR_BROKEN;
    return read_on(s, err);
}
