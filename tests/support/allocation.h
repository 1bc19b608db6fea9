/* SPDX-License-Identifier: Apache-2.0 */
/* Makes memory run out at a chosen allocation: this program's own (the linker's --wrap, see the
 * Makefile) and through it libevent's (server/base/reserve.c), OpenSSL's, SQLite's and jansson's. A
 * header, not a unit of the archive, because only one test is linked with --wrap. */
#ifndef IX_TESTS_ALLOCATION_H
#define IX_TESTS_ALLOCATION_H

#include <jansson.h>
#include <malloc.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct {
    atomic_bool armed;
    atomic_size_t count; /* of allocations while armed */
    size_t fails;        /* this allocation fails, from 1; 0: none */
    bool for_good;       /* and all later ones */
} allocation;

static bool runs_out(void)
{
    if (!atomic_load(&allocation.armed))
        return false;
    const size_t n = atomic_fetch_add(&allocation.count, 1) + 1;
    return allocation.fails &&
           (allocation.for_good ? n >= allocation.fails : n == allocation.fails);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return runs_out() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return runs_out() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
    return runs_out() ? NULL : __real_strdup(text);
}

static void *crypto_malloc(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return size ? malloc(size) : NULL;
}

static void *crypto_realloc(void *old, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return realloc(old, size);
}

static void crypto_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    free(p);
}

static void *sql_malloc(int size)
{
    return malloc((size_t)size);
}

static void *sql_realloc(void *old, int size)
{
    return realloc(old, (size_t)size);
}

static int sql_size(void *p)
{
    return (int)malloc_usable_size(p);
}

static int sql_round(int size)
{
    return (size + 7) & ~7;
}

static int sql_init(void *user)
{
    (void)user;
    return SQLITE_OK;
}

static void sql_shutdown(void *user)
{
    (void)user;
}

/* Call before using any of these libraries. False: one of them refuses. */
static bool allocation_take_over(void)
{
    static const sqlite3_mem_methods sql = {sql_malloc, free,     sql_realloc,  sql_size,
                                            sql_round,  sql_init, sql_shutdown, NULL};
    json_set_alloc_funcs(malloc, free);
    return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1 &&
           sqlite3_config(SQLITE_CONFIG_MALLOC, &sql) == SQLITE_OK;
}

#endif
