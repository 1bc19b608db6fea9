/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/filesystem.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *ixor_network_filesystem(uint32_t type, bool *maybe)
{
    static const struct {
        uint32_t type;
        const char *name;
        bool maybe;
    } known[] = {
        /* linux/magic.h has some of them */
        {0x6969, "NFS", false},      {0x517b, "SMB", false},      {0xfe534d42, "SMB", false},
        {0xff534d42, "CIFS", false}, {0x00c36400, "Ceph", false}, {0x5346414f, "AFS", false},
        {0x6b414653, "AFS", false},  {0x73757245, "Coda", false}, {0x0bd00bd0, "Lustre", false},
        {0x65735546, "FUSE", true},  {0x01021997, "9P", true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].type != type)
            continue;
        *maybe = known[i].maybe;
        return known[i].name;
    }
    return NULL;
}

int ixor_filesystem_check(const char *dir, int (*ask)(const char *path, struct statfs *out),
                          struct ix_error *err)
{
    char at[PATH_MAX];
    struct statfs info;
    bool maybe;
    if (snprintf(at, sizeof at, "%s", dir) >= (int)sizeof at)
        return ix_fail(err, "'%.60s...': the name is too long", dir);
    while (ask(at, &info) != 0) { /* it will be created in the nearest parent that exists */
        char *slash = strrchr(at, '/');
        if (errno != ENOENT || strcmp(at, ".") == 0 || strcmp(at, "/") == 0)
            return 0; /* opening it will report what is wrong */
        if (!slash)
            snprintf(at, sizeof at, ".");
        else
            slash[slash == at] = '\0';
    }
    const char *name = ixor_network_filesystem((uint32_t)info.f_type, &maybe);
    if (!name)
        return 0;
    if (!maybe)
        return ix_fail(err,
                       "'%s' is on a network file system (%s), where a catalogue that several "
                       "programs use gets damaged; choose a directory on a local disk, and copy "
                       "it when the campaign is over",
                       dir, name);
    ix_fail(err,
            "'%s' may be on a network file system (%s), where a catalogue that several hosts use "
            "gets damaged",
            dir, name);
    return 1;
}
