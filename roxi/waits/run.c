/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/run.h"

#include <errno.h>
#include <stdlib.h>

#include "roxi/base/warn.h"
#include "roxi/campaign/log_end.h"

/* ---- snapshots ---- */

/* packet: the log's last one; 0: it has none. */
static int end_log(const struct waits_jvms *jvms, struct waits_jvm *jvm, uint64_t packet,
                   struct ix_error *err)
{
    const struct roxi_listed_vm *vm = jvm->known;
    char *problem;
    if (roxi_log_end(jvm->log, vm->log, packet, vm->reported, &problem) != 0)
        return ix_fail(err, "out of memory");
    if (problem && !jvms->quiet)
        roxi_warn("%s", problem);
    free(problem);
    waits_jvm_end(jvm, packet);
    return 0;
}

/* Reads the JVM's next snapshot after this packet, if it has one. */
static int advance(const struct waits_jvms *jvms, struct waits_jvm *jvm, uint64_t packet,
                   struct ix_error *err)
{
    const int found = ix_log_next(jvm->log, &jvm->snapshot, err);
    if (found < 0)
        return -1;
    if (found == 0)
        return end_log(jvms, jvm, packet, err);
    waits_jvm_follow_part(jvm, packet);
    return 0;
}

int waits_jvms_next(struct waits_jvms *jvms, struct ix_error *err)
{
    uint64_t packet = UINT64_MAX;
    bool any = false;
    for (size_t i = 0; i < jvms->count; i++) {
        struct waits_jvm *jvm = &jvms->list[i];
        if (jvm->here && advance(jvms, jvm, jvms->packet, err) != 0)
            return -1;
        jvm->here = false;
        any = any || jvm->log;
        if (jvm->log && jvm->snapshot.packet < packet)
            packet = jvm->snapshot.packet;
    }
    for (size_t i = 0; any && i < jvms->count; i++)
        waits_jvm_forget_former(&jvms->list[i], packet);
    jvms->packet = packet;
    for (size_t i = 0; any && i < jvms->count; i++)
        if (jvms->list[i].log && jvms->list[i].snapshot.packet == packet &&
            waits_jvm_arrive(jvms, &jvms->list[i]) != 0)
            return ix_fail(err, "out of memory");
    return any;
}

/* ---- opening ---- */

/* Opens the JVM's log; 1 if it has a snapshot. A JVM that was killed early may have none. */
static int open_jvm(const struct waits_jvms *jvms, struct waits_jvm *jvm,
                    const struct roxi_listed_vm *vm, struct ix_error *err)
{
    struct ix_error why;
    errno = 0;
    jvm->log = ix_log_open(vm->log, &why);
    if (!jvm->log && roxi_ran_short(errno))
        return ix_fail(err, "%s", why.text);
    if (!jvm->log) {
        if (!jvms->quiet)
            roxi_warn("%s is left out: %s", vm->role, why.text);
        return 0;
    }
    if (advance(jvms, jvm, 0, err) != 0) {
        ix_log_reader_close(jvm->log);
        return -1;
    }
    return jvm->log != NULL;
}

int waits_jvms_open(struct waits_jvms *jvms, const struct roxi_listed_execution *execution,
                    bool quiet, struct ix_error *err)
{
    *jvms = (struct waits_jvms){.list = calloc(execution->vm_count + 1, sizeof *jvms->list),
                                .quiet = quiet};
    if (!jvms->list)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < execution->vm_count; i++) {
        const struct roxi_listed_vm *vm = &execution->vms[i];
        struct waits_jvm *jvm = &jvms->list[jvms->count];
        *jvm = (struct waits_jvm){.role = vm->role, .host = vm->host, .place = i, .known = vm};
        const int opened = open_jvm(jvms, jvm, vm, err);
        if (opened < 0)
            return -1;
        jvms->count += (size_t)opened;
        jvms->left_out = jvms->left_out || !opened;
    }
    return 0;
}
