/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/vfs_double.h"

#include <stdlib.h>
#include <string.h>

struct vfs_faults faults = {.mutex = PTHREAD_MUTEX_INITIALIZER};

struct vfs_double_file {
    sqlite3_file base;
    sqlite3_file *real;
};

static sqlite3_file *real_of(sqlite3_file *f)
{
    return ((struct vfs_double_file *)f)->real;
}

void vfs_arm(unsigned long at, bool on, enum vfs_trouble trouble)
{
    pthread_mutex_lock(&faults.mutex);
    faults.calls = 0;
    faults.at = at;
    faults.on = on;
    faults.failed = false;
    faults.trouble = trouble;
    pthread_mutex_unlock(&faults.mutex);
}

/* `broken` or `full` if this call is to fail, else SQLITE_OK. */
static int fault(int broken, int full)
{
    pthread_mutex_lock(&faults.mutex);
    faults.calls++;
    const bool fails =
        faults.at && (faults.on ? faults.calls >= faults.at : faults.calls == faults.at);
    faults.failed = faults.failed || fails;
    const int code = faults.trouble == VFS_BROKEN ? broken : full;
    pthread_mutex_unlock(&faults.mutex);
    return fails ? code : SQLITE_OK;
}

static int double_close_file(sqlite3_file *f)
{
    sqlite3_file *real = real_of(f);
    const int rc = real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
    free(real);
    return rc;
}

static int double_read(sqlite3_file *f, void *to, int size, sqlite3_int64 at)
{
    const int bad = fault(SQLITE_IOERR_READ, SQLITE_IOERR_NOMEM);
    return bad ? bad : real_of(f)->pMethods->xRead(real_of(f), to, size, at);
}

/* A full disk accepts a part. */
static int double_write(sqlite3_file *f, const void *from, int size, sqlite3_int64 at)
{
    if (faults.write_ms)
        sqlite3_sleep(faults.write_ms);
    const int bad = fault(SQLITE_IOERR_WRITE, SQLITE_FULL);
    if (bad == SQLITE_FULL)
        real_of(f)->pMethods->xWrite(real_of(f), from, size / 2, at);
    return bad ? bad : real_of(f)->pMethods->xWrite(real_of(f), from, size, at);
}

static int double_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    const int bad = fault(SQLITE_IOERR_TRUNCATE, SQLITE_FULL);
    return bad ? bad : real_of(f)->pMethods->xTruncate(real_of(f), size);
}

/* Tests need not wait for the disk. */
static int double_sync(sqlite3_file *f, int flags)
{
    (void)f, (void)flags;
    return fault(SQLITE_IOERR_FSYNC, SQLITE_FULL);
}

static int double_size(sqlite3_file *f, sqlite3_int64 *size)
{
    const int bad = fault(SQLITE_IOERR_FSTAT, SQLITE_IOERR_FSTAT);
    return bad ? bad : real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int double_lock(sqlite3_file *f, int level)
{
    const int bad = fault(SQLITE_IOERR_LOCK, SQLITE_BUSY);
    return bad ? bad : real_of(f)->pMethods->xLock(real_of(f), level);
}

static int double_unlock(sqlite3_file *f, int level)
{
    return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int double_reserved(sqlite3_file *f, int *out)
{
    return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int double_control(sqlite3_file *f, int op, void *arg)
{
    return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int double_sector(sqlite3_file *f)
{
    return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int double_device(sqlite3_file *f)
{
    return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int double_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    const int bad = fault(SQLITE_IOERR_SHMMAP, SQLITE_FULL);
    return bad ? bad : real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int double_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    const int bad = flags & SQLITE_SHM_LOCK ? fault(SQLITE_IOERR_SHMLOCK, SQLITE_BUSY) : SQLITE_OK;
    return bad ? bad : real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void double_shm_barrier(sqlite3_file *f)
{
    real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int double_shm_unmap(sqlite3_file *f, int remove_it)
{
    return real_of(f)->pMethods->xShmUnmap(real_of(f), remove_it);
}

static const sqlite3_io_methods double_methods = {
    .iVersion = 2,
    .xClose = double_close_file,
    .xRead = double_read,
    .xWrite = double_write,
    .xTruncate = double_truncate,
    .xSync = double_sync,
    .xFileSize = double_size,
    .xLock = double_lock,
    .xUnlock = double_unlock,
    .xCheckReservedLock = double_reserved,
    .xFileControl = double_control,
    .xSectorSize = double_sector,
    .xDeviceCharacteristics = double_device,
    .xShmMap = double_shm_map,
    .xShmLock = double_shm_lock,
    .xShmBarrier = double_shm_barrier,
    .xShmUnmap = double_shm_unmap,
};

static int double_open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
                            int *out)
{
    (void)vfs;
    f->pMethods = NULL;
    const int bad = fault(SQLITE_CANTOPEN, SQLITE_CANTOPEN);
    if (bad)
        return bad;
    struct vfs_double_file *file = (struct vfs_double_file *)f;
    file->real = calloc(1, (size_t)faults.real->szOsFile);
    if (!file->real)
        return SQLITE_NOMEM;
    const int rc = faults.real->xOpen(faults.real, name, file->real, flags, out);
    if (rc == SQLITE_OK)
        f->pMethods = &double_methods;
    else
        free(file->real);
    return rc;
}

static int double_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    const int bad = fault(SQLITE_IOERR_DELETE, SQLITE_IOERR_DELETE);
    return bad ? bad : faults.real->xDelete(faults.real, name, sync);
}

static int double_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    (void)vfs;
    const int bad = fault(SQLITE_IOERR_ACCESS, SQLITE_IOERR_ACCESS);
    return bad ? bad : faults.real->xAccess(faults.real, name, flags, out);
}

void vfs_double(void)
{
    static sqlite3_vfs vfs;
    sqlite3_initialize();
    faults.real = sqlite3_vfs_find(NULL);
    vfs = *faults.real;
    vfs.zName = "double";
    vfs.szOsFile = sizeof(struct vfs_double_file);
    vfs.xOpen = double_open_file;
    vfs.xDelete = double_delete;
    vfs.xAccess = double_access;
    sqlite3_vfs_register(&vfs, 1);
}
