/* SPDX-License-Identifier: Apache-2.0 */
/* Part of build/count/libixor.so only: it counts what it has allocated. The linker leads the
 * agent's calls of the allocating functions here (-Wl,--wrap). If the environment names a file in
 * IXOR_COUNT, it gets a line "packet P bytes B blocks N" after every 256th snapshot, and "end P
 * bytes B blocks N" when the process exits. Bytes are the allocator's, its rounding included.
 * JVMTI's memory and the C library's own (a FILE's buffer) are not seen.
 *
 * IXOR_FAIL=N: the Nth allocation fails; "N+": all from the Nth on; 0: none. The file then gets a
 * line "allocations A failed F" at the end, too. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/tracelog/writer.h"

#define EVERY 256

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
void __real_free(void *block);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
int __real_vasprintf(char **out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
int __real_ix_log_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vasprintf(char **out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
int __wrap_ix_log_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot);

static _Atomic int64_t bytes, blocks;
static _Atomic uint64_t packets;

static _Atomic uint64_t allocations, failed;
static uint64_t fail_at; /* 0: never */
static bool fail_on;     /* and all after it */

static void __attribute__((constructor)) at_start(void)
{
    const char *text = getenv("IXOR_FAIL");
    char *end = NULL;
    fail_at = text ? strtoull(text, &end, 10) : 0;
    fail_on = end && *end == '+';
}

static bool refused(void)
{
    const uint64_t number = ++allocations;
    if (!fail_at || (fail_on ? number < fail_at : number != fail_at))
        return false;
    failed++;
    errno = ENOMEM;
    return true;
}

static void *came(void *block)
{
    if (block) {
        bytes += (int64_t)malloc_usable_size(block);
        blocks++;
    }
    return block;
}

static void went(void *block)
{
    if (block) {
        bytes -= (int64_t)malloc_usable_size(block);
        blocks--;
    }
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : came(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : came(__real_calloc(count, size));
}

/* What was there counts as gone only once the call has replaced it. */
static void *replaced(size_t had, bool was, void *now)
{
    if (now) {
        bytes -= (int64_t)had;
        blocks -= was;
        came(now);
    }
    return now;
}

void *__wrap_realloc(void *block, size_t size)
{
    const bool was = block;
    const size_t had = malloc_usable_size(block);
    return refused() ? NULL : replaced(had, was, __real_realloc(block, size));
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
    const bool was = block;
    const size_t had = malloc_usable_size(block);
    return refused() ? NULL : replaced(had, was, __real_reallocarray(block, count, size));
}

void __wrap_free(void *block)
{
    went(block);
    __real_free(block);
}

char *__wrap_strdup(const char *text)
{
    return refused() ? NULL : came(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return refused() ? NULL : came(__real_strndup(text, size));
}

int __wrap_vasprintf(char **out, const char *format, va_list args)
{
    const int length = refused() ? -1 : __real_vasprintf(out, format, args);
    if (length >= 0)
        came(*out);
    return length;
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = __wrap_vasprintf(out, format, args);
    va_end(args);
    return length;
}

static void write_line(const char *line, int length)
{
    const char *path = getenv("IXOR_COUNT");
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    if (write(fd, line, (size_t)length) != length)
        abort(); /* the test would take silence for good news */
    close(fd);
}

static void tell(const char *what, uint64_t number)
{
    char line[128];
    write_line(line, snprintf(line, sizeof line, "%s %llu bytes %lld blocks %lld\n", what,
                              (unsigned long long)number, (long long)bytes, (long long)blocks));
}

int __wrap_ix_log_snapshot(struct ix_log_writer *w, const struct ix_snapshot *snapshot)
{
    const int status = __real_ix_log_snapshot(w, snapshot);
    if (++packets % EVERY == 0)
        tell("packet", packets);
    return status;
}

static void __attribute__((destructor)) at_exit(void)
{
    char line[128];
    tell("end", packets);
    if (getenv("IXOR_FAIL"))
        write_line(line, snprintf(line, sizeof line, "allocations %llu failed %llu\n",
                                  (unsigned long long)allocations, (unsigned long long)failed));
}
