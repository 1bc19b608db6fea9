/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/losses.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/protocol/protocol.h"
#include "server/base/units.h"

struct count {
    struct ixor_losses *losses;
    struct ix_catalogue *catalogue;
    struct ix_error *err;
    char host[IX_NAME_MAX + 1];
};

/* Programs on this host could read it, if it were there. */
static bool is_ours(const struct count *k, const struct ix_vm *vm)
{
    return strcmp(vm->log_state, "here") == 0 || strcmp(vm->log_state, "lost") == 0 ||
           (strcmp(vm->log_state, "there") == 0 && strcmp(vm->host, k->host) == 0);
}

static int count_vm(void *user, const struct ix_vm *vm)
{
    struct count *k = user;
    struct ixor_losses *l = k->losses;
    struct stat info;
    int64_t snapshots;
    l->vms++;
    l->stopped += strcmp(vm->ended, "log-failed") == 0;
    if (!is_ours(k, vm) || (stat(vm->log, &info) == 0 && info.st_size > 0))
        return 0;
    if (ix_catalogue_snapshots_above(k->catalogue, vm->id, 0, &snapshots, k->err) != 0)
        return -1;
    if (snapshots == 0)
        return 0;
    if (l->logs++ == 0)
        ixor_safe_text(vm->log_there, l->first, sizeof l->first);
    l->snapshots += (uint64_t)snapshots;
    return 0;
}

int ixor_losses_count(struct ix_catalogue *c, int64_t execution, struct ixor_losses *l,
                      struct ix_error *err)
{
    struct count k = {.losses = l, .catalogue = c, .err = err};
    *l = (struct ixor_losses){0};
    if (gethostname(k.host, sizeof k.host - 1) != 0)
        k.host[0] = '\0';
    return ix_catalogue_vms(c, execution, count_vm, &k, err);
}

void ixor_losses_note(const struct ixor_losses *l, struct ixor_progress *p, const char *run)
{
    if (l->logs)
        ixor_progress_note(p,
                           "%s: %llu of %llu trace logs are gone or empty, and with them %llu "
                           "snapshots: %s",
                           run, (unsigned long long)l->logs, (unsigned long long)l->vms,
                           (unsigned long long)l->snapshots, l->first);
    if (l->stopped)
        ixor_progress_note(p, "%s: %llu of %llu JVMs stopped logging", run,
                           (unsigned long long)l->stopped, (unsigned long long)l->vms);
}
