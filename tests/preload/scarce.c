/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: memory that runs out. Of the process's allocations, in libraries, too, number
 * $SCARCE_AT fails (counted from 1), and with $SCARCE_ON all that come after it. Into the file
 * $SCARCE_COUNT, if there is one, goes how many there were, at the process's orderly end. Programs
 * that the process starts have memory. */
#include <dlfcn.h>
#include <errno.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* glibc's own names of what is replaced here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned long fails_at; /* 0: none does */
static bool and_all_later;
static atomic_ulong count;
static _Thread_local bool exempt;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SCARCE_AT");
    and_all_later = getenv("SCARCE_ON") != NULL;
    fails_at = at ? strtoul(at, NULL, 10) : 0;
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SCARCE_COUNT");
    fails_at = 0;
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%lu\n", atomic_load(&count));
        fclose(f);
    }
}

static bool fails(void)
{
    if (exempt)
        return false;
    const unsigned long number = atomic_fetch_add(&count, 1) + 1;
    if (!fails_at || (and_all_later ? number < fails_at : number != fails_at))
        return false;
    errno = ENOMEM;
    return true;
}

EXPORTED void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

EXPORTED void *reallocarray(void *old, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return fails() ? NULL : __libc_realloc(old, bytes);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *got = fails() ? NULL : __libc_memalign(alignment, size);
    if (got)
        *to = got;
    return got ? 0 : ENOMEM;
}

/* glibc 2.36 frees a part twice where memory runs out in the midst of it: it fails as a whole here.
 */
EXPORTED int regcomp(regex_t *restrict to, const char *restrict pattern, int flags)
{
    int (*compile)(regex_t *restrict, const char *restrict, int);
    if (fails())
        return REG_ESPACE;
    exempt = true;
    *(void **)&compile = dlsym(RTLD_NEXT, "regcomp");
    const int result = compile(to, pattern, flags);
    exempt = false;
    return result;
}

/* glibc 2.36 writes through NULL if there is no memory for a root: it fails as a whole here.
 * fts64_open is its name with 64-bit offsets. */
typedef void *opening(char *const *roots, int options, const void *compare);
EXPORTED opening fts_open, fts64_open;

static void *open_tree(const char *name, char *const *roots, int options, const void *compare)
{
    opening *open;
    if (fails())
        return NULL;
    exempt = true;
    *(void **)&open = dlsym(RTLD_NEXT, name);
    void *const tree = open(roots, options, compare);
    exempt = false;
    return tree;
}

void *fts_open(char *const *roots, int options, const void *compare)
{
    return open_tree("fts_open", roots, options, compare);
}

void *fts64_open(char *const *roots, int options, const void *compare)
{
    return open_tree("fts64_open", roots, options, compare);
}
