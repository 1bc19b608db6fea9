/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/counters.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define OFFSET_MAX 4096u /* larger structures are not what is looked for */
#define ENTRIES_MAX 100000u
#define PARTS_MAX 96u /* bytes */

/* ---- where they are ---- */

/* The table that HotSpot exports: an entry for each field of its structures. */
struct table {
    const char *at;
    uint64_t stride, type, field, offset; /* of an entry; and where in it these are */
};

static bool find_number(void *jvm, const char *symbol, uint64_t *number)
{
    const uint64_t *found = dlsym(jvm, symbol);
    if (found)
        *number = *found;
    return found && *number < OFFSET_MAX;
}

static bool find_table(void *jvm, struct table *t)
{
    const char *const *at = dlsym(jvm, "gHotSpotVMStructs");
    if (!at || !*at)
        return false;
    t->at = *at;
    return find_number(jvm, "gHotSpotVMStructEntryArrayStride", &t->stride) && t->stride &&
           find_number(jvm, "gHotSpotVMStructEntryTypeNameOffset", &t->type) &&
           find_number(jvm, "gHotSpotVMStructEntryFieldNameOffset", &t->field) &&
           find_number(jvm, "gHotSpotVMStructEntryOffsetOffset", &t->offset);
}

static const char *text_at(const char *at)
{
    const char *text;
    memcpy(&text, at, sizeof text);
    return text;
}

/* The field's offset; 0 if there is none. (No field looked for is a structure's first.) */
static uint16_t offset_of(const struct table *t, const char *type, const char *field)
{
    const char *entry = t->at;
    for (uint32_t i = 0; i < ENTRIES_MAX && text_at(entry + t->type); i++, entry += t->stride) {
        const char *name = text_at(entry + t->field);
        uint64_t offset;
        if (strcmp(text_at(entry + t->type), type) != 0 || !name || strcmp(name, field) != 0)
            continue;
        memcpy(&offset, entry + t->offset, sizeof offset);
        return offset < OFFSET_MAX ? (uint16_t)offset : 0;
    }
    return 0;
}

/* The second count is not described. It is the first of four 32-bit numbers right before
 * _tenure_traps, and behind _arg_returned, where at most one more is. */
static uint16_t profiled_count(const struct table *t)
{
    const uint16_t after = offset_of(t, "MethodData", "_tenure_traps");
    const uint16_t before = offset_of(t, "MethodData", "_arg_returned");
    const uint16_t gap = (uint16_t)(after - before - sizeof(intptr_t));
    return after > before && before && (gap == 16 || gap == 20) ? (uint16_t)(after - 16) : 0;
}

static bool read_table(const struct table *t, struct ixa_counters *c)
{
    *c = (struct ixa_counters){
        .constants = offset_of(t, "Method", "_constMethod"),
        .data = offset_of(t, "Method", "_method_data"),
        .counters = offset_of(t, "Method", "_method_counters"),
        .code = offset_of(t, "Method", "_code"),
        .tier = offset_of(t, "nmethod", "_comp_level"),
        .max_locals = offset_of(t, "ConstMethod", "_max_locals"),
        .parameters = offset_of(t, "ConstMethod", "_size_of_parameters"),
        .interpreted = offset_of(t, "MethodCounters", "_invocation_counter"),
        .method = offset_of(t, "MethodData", "_method"),
        .profiled = profiled_count(t),
    };
    return c->constants && c->data && c->counters == c->data + sizeof(void *) &&
           c->code > c->counters && c->code + sizeof(void *) - c->data <= PARTS_MAX && c->tier &&
           c->max_locals && c->parameters && c->interpreted && c->method && c->profiled > c->method;
}

bool ixa_counters_find(struct ixa_counters *c)
{
    struct table table;
    void *jvm = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
    const bool found = jvm && find_table(jvm, &table) && read_table(&table, c);
    if (jvm)
        dlclose(jvm);
    return found;
}

/* ---- reading them ---- */

/* What to read, one after the other into one place. */
struct reading {
    struct iovec from[IXA_COUNTERS_BATCH];
    uint32_t index[IXA_COUNTERS_BATCH]; /* the method's */
    size_t count;
};

static void read_at(struct reading *r, uint32_t index, uintptr_t address, size_t size)
{
    r->index[r->count] = index;
    r->from[r->count++] = (struct iovec){
        .iov_base = (void *)address, /* NOLINT(performance-no-int-to-ptr) */
        .iov_len = size,
    };
}

/* Reads pieces of `size` bytes each; returns how many came. The first one that cannot be read ends
 * it. */
static size_t pieces(const struct reading *r, void *to, size_t size)
{
    const struct iovec local = {to, r->count * size};
    const ssize_t got = r->count ? process_vm_readv(getpid(), &local, 1, r->from, r->count, 0) : 0;
    return got > 0 ? (size_t)got / size : 0;
}

/* HotSpot's counters have a flag in their lowest bit. */
static uint32_t count_in(uint32_t counter)
{
    return counter >> 1;
}

static size_t read_methods(const jmethodID *ids, size_t count, uintptr_t *methods)
{
    struct reading r = {.count = 0};
    for (size_t i = 0; i < count; i++) /* an id is the address of a pointer to the method */
        read_at(&r, (uint32_t)i, (uintptr_t)ids[i], sizeof *methods);
    return pieces(&r, methods, sizeof *methods);
}

/* Of the methods of a batch: where they are, and their parts; 0: there is none. */
struct batch {
    const struct ixa_counters *c;
    size_t count;
    struct ixa_count *counts;
    uintptr_t at[IXA_COUNTERS_BATCH];
    char parts[IXA_COUNTERS_BATCH * PARTS_MAX]; /* of each `size` bytes: from the first pointer to
                                                 * the last one that is needed */
    size_t size;
};

static uintptr_t part(const struct batch *b, size_t method, uint16_t offset)
{
    uintptr_t pointer;
    memcpy(&pointer, b->parts + method * b->size + (offset - b->c->data), sizeof pointer);
    return pointer;
}

/* Up to the first method that is not there: its class is unloaded. */
static void read_parts(struct batch *b, const jmethodID *ids)
{
    struct reading r = {.count = 0};
    const size_t known = read_methods(ids, b->count, b->at);
    for (size_t i = 0; i < known && b->at[i]; i++)
        read_at(&r, (uint32_t)i, b->at[i] + b->c->data, b->size);
    const size_t have = pieces(&r, b->parts, b->size);
    for (size_t i = 0; i < b->count; i++)
        b->counts[i] = (struct ixa_count){.known = i < have};
}

static void add_interpreted(struct batch *b)
{
    uint32_t counts[IXA_COUNTERS_BATCH];
    struct reading r = {.count = 0};
    for (size_t i = 0; i < b->count; i++)
        if (b->counts[i].known && part(b, i, b->c->counters))
            read_at(&r, (uint32_t)i, part(b, i, b->c->counters) + b->c->interpreted,
                    sizeof *counts);
    const size_t counted = pieces(&r, counts, sizeof *counts);
    for (size_t i = 0; i < r.count; i++) {
        struct ixa_count *count = &b->counts[r.index[i]];
        count->known = i < counted;
        count->calls = i < counted ? count_in(counts[i]) : 0;
    }
}

/* A method's data has a pointer back to it. */
static void add_profiled(struct batch *b)
{
    uintptr_t back[IXA_COUNTERS_BATCH];
    uint32_t counts[IXA_COUNTERS_BATCH];
    struct reading r = {.count = 0}, counter = {.count = 0};
    for (size_t i = 0; i < b->count; i++) {
        const uintptr_t data = b->counts[i].known ? part(b, i, b->c->data) : 0;
        if (!data)
            continue;
        read_at(&r, (uint32_t)i, data + b->c->method, sizeof *back);
        read_at(&counter, (uint32_t)i, data + b->c->profiled, sizeof *counts);
    }
    const size_t known = pieces(&r, back, sizeof *back);
    const size_t counted = pieces(&counter, counts, sizeof *counts);
    for (size_t i = 0; i < r.count; i++) {
        struct ixa_count *count = &b->counts[r.index[i]];
        count->known = i < known && i < counted && back[i] == b->at[r.index[i]];
        count->calls += count->known ? count_in(counts[i]) : 0;
    }
}

/* Code may be removed at any time, and something else be in its place: then the method is taken for
 * one that is counted, or for one that is not. */
static void look_at_code(struct batch *b)
{
    int8_t tiers[IXA_COUNTERS_BATCH];
    struct reading r = {.count = 0};
    for (size_t i = 0; i < b->count; i++)
        if (b->counts[i].known && part(b, i, b->c->code))
            read_at(&r, (uint32_t)i, part(b, i, b->c->code) + b->c->tier, sizeof *tiers);
    const size_t known = pieces(&r, tiers, sizeof *tiers);
    for (size_t i = 0; i < r.count; i++)
        b->counts[r.index[i]].at_least = i >= known || (tiers[i] != 2 && tiers[i] != 3);
}

void ixa_counters_read(const struct ixa_counters *c, const jmethodID *methods, size_t count,
                       struct ixa_count *counts)
{
    struct batch b;
    b.c = c;
    b.count = count;
    b.counts = counts;
    b.size = c->code + sizeof(void *) - c->data;
    read_parts(&b, methods);
    add_interpreted(&b);
    add_profiled(&b);
    look_at_code(&b);
}

bool ixa_counters_check(const struct ixa_counters *c, jmethodID method, jint parameters,
                        jint max_locals)
{
    uintptr_t at, constants;
    uint16_t locals, words;
    struct reading r = {.count = 0};
    if (read_methods(&method, 1, &at) != 1 || !at)
        return false;
    read_at(&r, 0, at + c->constants, sizeof constants);
    if (pieces(&r, &constants, sizeof constants) != 1 || !constants)
        return false;
    r.count = 0;
    read_at(&r, 0, constants + c->max_locals, sizeof locals);
    if (pieces(&r, &locals, sizeof locals) != 1)
        return false;
    r.count = 0;
    read_at(&r, 0, constants + c->parameters, sizeof words);
    return pieces(&r, &words, sizeof words) == 1 && locals == max_locals && words == parameters;
}
