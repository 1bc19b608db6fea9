/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS for SQLite whose calls can fail: the Nth, or all from the Nth on. It uses the files of the
 * VFS that SQLite would use, and serves all databases opened from then on. */
#ifndef IX_TESTS_VFS_DOUBLE_H
#define IX_TESTS_VFS_DOUBLE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a failing call reports: a broken disk, or one that is full and locked by another program. */
enum vfs_trouble { VFS_BROKEN, VFS_FULL };

extern struct vfs_faults {
    pthread_mutex_t mutex;
    unsigned long calls; /* since armed */
    unsigned long at;    /* number of the call that fails; 0: none */
    bool on;             /* all later ones, too */
    _Atomic bool failed;
    enum vfs_trouble trouble;
    _Atomic int write_ms; /* what a write takes at least */
    sqlite3_vfs *real;
} faults;

/* From now on call number `at` fails, and with `on` all later ones; 0: none. */
void vfs_arm(unsigned long at, bool on, enum vfs_trouble trouble);

/* Makes it SQLite's default VFS. Call once. */
void vfs_double(void);

#endif
