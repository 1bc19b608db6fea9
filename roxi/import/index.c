/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/import/packets.h"
#include "schema/base/grow.h"

/* More dumps are not looked at: they take 64 bytes each. */
enum { DUMPS_MAX = 4000000 };

struct reading {
    struct dump_index *index;
    uint32_t source;
    size_t found;
};

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

/* ---- runs and JVMs ---- */

/* The run's index; UINT32_MAX: out of memory. */
static uint32_t find_run(struct dump_index *x, const char *name)
{
    bool added;
    const uint32_t run = ix_intern(&x->run_names, name, strlen(name) + 1, &added);
    if (run == IX_INTERN_FAILED || !added)
        return run;
    struct dump_run *runs = ix_grow(x->runs, &x->run_cap, x->run_count + 1, sizeof *runs);
    if (!runs)
        return UINT32_MAX;
    x->runs = runs;
    runs[run] = (struct dump_run){.name = strdup(name), .has_places = true};
    x->run_count++;
    return runs[run].name ? run : UINT32_MAX;
}

/* The number of this run, role and process, or of the beginning of the file's name; UINT32_MAX: out
 * of memory. */
static uint32_t find_key(struct dump_index *x, uint32_t run, const char *role, uint64_t pid,
                         const char *jvm)
{
    bool added;
    char *key = NULL;
    const int len =
        asprintf(&key, "%" PRIu32 " %" PRIu64 " %s\n%s", run, pid, role, pid ? "" : jvm);
    const uint32_t number =
        len < 0 ? UINT32_MAX : ix_intern(&x->jvm_keys, key, (size_t)len, &added);
    if (len >= 0)
        free(key);
    if (number == UINT32_MAX)
        return UINT32_MAX;
    uint32_t *jvm_of = ix_grow(x->jvm_of, &x->jvm_of_cap, (size_t)number + 1, sizeof *jvm_of);
    if (!jvm_of)
        return UINT32_MAX;
    x->jvm_of = jvm_of;
    if (added)
        jvm_of[number] = UINT32_MAX;
    return number;
}

/* Appends a JVM, which takes over head->jvm. */
static int add_jvm(struct dump_index *x, uint32_t run, const char *role, struct dump_head *head)
{
    struct dump_jvm *jvms = ix_grow(x->jvms, &x->jvm_cap, x->jvm_count + 1, sizeof *jvms);
    if (!jvms)
        return -1;
    x->jvms = jvms;
    struct dump_run *of = &x->runs[run];
    if (of->dumps)
        jvms[of->last_jvm].next = (uint32_t)x->jvm_count;
    else
        of->first_jvm = (uint32_t)x->jvm_count;
    of->last_jvm = (uint32_t)x->jvm_count;
    jvms[x->jvm_count] = (struct dump_jvm){
        .run = run, .next = UINT32_MAX, .role = strdup(role), .jvm = head->jvm, .pid = head->pid};
    head->jvm = NULL;
    return jvms[x->jvm_count++].role ? 0 : -1;
}

/* The JVM that the dump is of, as far as it is known; UINT32_MAX: a new one. jcmd names the
 * process, jstack does not: dumps that do not are of the process that another one names. */
static uint32_t known_jvm(const struct dump_index *x, uint32_t key, uint32_t nameless,
                          const struct dump_head *head)
{
    uint32_t jvm = x->jvm_of[key];
    if (jvm == UINT32_MAX && x->jvm_of[nameless] != UINT32_MAX && !x->jvms[x->jvm_of[nameless]].pid)
        jvm = x->jvm_of[nameless];
    /* Packets of a JVM ascend: if they do not, it is another one, on another host. */
    const bool other = jvm != UINT32_MAX && head->packet && head->packet <= x->jvms[jvm].last;
    return other ? UINT32_MAX : jvm;
}

/* UINT32_MAX: out of memory. */
static uint32_t find_jvm(struct dump_index *x, uint32_t source, struct dump_head *head)
{
    const struct dump_source *from = &x->sources->list[source];
    const char *role = head->role ? head->role : from->role;
    const uint32_t run = find_run(x, head->execution ? head->execution : from->run);
    if (run == UINT32_MAX)
        return UINT32_MAX;
    const uint32_t key = find_key(x, run, role, head->pid, from->jvm);
    const uint32_t nameless = find_key(x, run, role, 0, from->jvm);
    if (key == UINT32_MAX || nameless == UINT32_MAX)
        return UINT32_MAX;
    uint32_t jvm = known_jvm(x, key, nameless, head);
    if (jvm == UINT32_MAX) {
        jvm = (uint32_t)x->jvm_count;
        if (add_jvm(x, run, role, head) != 0)
            return UINT32_MAX;
    }
    if (head->pid)
        x->jvms[jvm].pid = head->pid;
    x->jvms[jvm].last = head->packet;
    x->jvm_of[key] = x->jvm_of[nameless] = jvm;
    return jvm;
}

/* ---- dumps ---- */

static int take_torn(struct reading *r, const struct dump_head *head)
{
    struct dump_index *x = r->index;
    if (x->torn++ == 0 &&
        asprintf(&x->first_torn, "%s:%" PRIu64, x->sources->list[r->source].path, head->line) < 0)
        x->first_torn = NULL;
    return x->first_torn ? 0 : -1;
}

static int take_whole(struct reading *r, struct dump_head *head)
{
    struct dump_index *x = r->index;
    const uint32_t jvm = find_jvm(x, r->source, head);
    if (jvm == UINT32_MAX)
        return -1;
    struct dump_entry *entries = ix_grow(x->entries, &x->cap, x->count + 1, sizeof *entries);
    if (!entries)
        return -1;
    x->entries = entries;
    entries[x->count++] = (struct dump_entry){.source = r->source,
                                              .jvm = jvm,
                                              .offset = head->offset,
                                              .line = head->line,
                                              .real_ns = head->real_ns,
                                              .packet = head->packet};
    struct dump_run *run = &x->runs[x->jvms[jvm].run];
    run->dumps++;
    run->has_places &= head->packet != 0;
    x->jvms[jvm].count++;
    return 0;
}

static int take_head(void *user, struct dump_head *head, struct ix_error *err)
{
    struct reading *r = user;
    r->found++;
    int result = head->torn ? take_torn(r, head) : take_whole(r, head);
    free(head->execution);
    free(head->role);
    free(head->jvm);
    if (result != 0)
        return no_memory(err);
    return r->index->count <= DUMPS_MAX
               ? 0
               : ix_fail(err,
                         "there are more than %d dumps; import them in parts, and merge these "
                         "with 'roxi merge'",
                         DUMPS_MAX);
}

FILE *dump_source_open(const struct dump_source *source, struct ix_error *err)
{
    FILE *in = fopen(source->text ? source->text : source->path, "re");
    if (!in)
        ix_fail(err, "cannot read '%s': %s", source->path, strerror(errno));
    return in;
}

static int read_source(struct reading *r, struct ix_error *err)
{
    const char *path = r->index->sources->list[r->source].path;
    FILE *in = dump_source_open(&r->index->sources->list[r->source], err);
    if (!in)
        return -1;
    r->found = 0;
    const int result = dump_format_of(in)->heads(in, path, take_head, r, err);
    fclose(in);
    if (result == 0 && !r->found && r->index->empty++ == 0)
        r->index->first_empty = path;
    return result;
}

int dump_index_make(struct dump_index *index, const struct dump_sources *sources,
                    struct ix_error *err)
{
    *index = (struct dump_index){.sources = sources};
    struct reading r = {.index = index};
    for (; r.source < sources->count; r.source++)
        if (read_source(&r, err) != 0)
            return -1;
    return 0;
}

/* ---- packets ---- */

static int by_jvm(const void *left, const void *right)
{
    const struct dump_entry *a = left, *b = right;
    if (a->jvm != b->jvm)
        return a->jvm < b->jvm ? -1 : 1;
    return (a->packet > b->packet) - (a->packet < b->packet);
}

/* Numbers the dumps of a run, which are one after the other in the list of `moments`. */
static int number_run(struct dump_index *x, struct dump_run *run, struct dump_moment *moments,
                      size_t count)
{
    struct dump_rhythm rhythm;
    if (run->has_places)
        return 0;
    if (dump_packets(moments, count, &rhythm) != 0)
        return -1;
    run->by_order = rhythm.by_order;
    run->interval_ns = rhythm.interval_ns;
    for (size_t i = 0; i < count; i++)
        x->entries[moments[i].order].packet = moments[i].packet;
    return 0;
}

static int number_runs(struct dump_index *x, struct dump_moment *moments, size_t *at)
{
    size_t first = 0;
    for (size_t i = 0; i < x->run_count; i++) {
        at[i] = first;
        first += x->runs[i].dumps;
    }
    for (size_t i = 0; i < x->count; i++) {
        const struct dump_entry *e = &x->entries[i];
        moments[at[x->jvms[e->jvm].run]++] =
            (struct dump_moment){.jvm = e->jvm, .real_ns = e->real_ns, .order = i};
    }
    for (size_t i = 0; i < x->run_count; i++)
        if (number_run(x, &x->runs[i], moments + at[i] - x->runs[i].dumps, x->runs[i].dumps) != 0)
            return -1;
    return 0;
}

int dump_index_number(struct dump_index *x, struct ix_error *err)
{
    struct dump_moment *moments = calloc(x->count + 1, sizeof *moments);
    size_t *at = calloc(x->run_count + 1, sizeof *at);
    const int result = moments && at ? number_runs(x, moments, at) : -1;
    free(moments);
    free(at);
    if (result != 0)
        return no_memory(err);
    if (x->count)
        qsort(x->entries, x->count, sizeof *x->entries, by_jvm);
    for (size_t i = 0, first = 0; i < x->jvm_count; first += x->jvms[i++].count)
        x->jvms[i].first = first;
    return 0;
}

void dump_index_free(struct dump_index *x)
{
    for (size_t i = 0; i < x->jvm_count; i++) {
        free(x->jvms[i].role);
        free(x->jvms[i].jvm);
    }
    for (size_t i = 0; i < x->run_count; i++)
        free(x->runs[i].name);
    free(x->entries);
    free(x->jvms);
    free(x->runs);
    free(x->jvm_of);
    free(x->first_torn);
    ix_intern_free(&x->run_names);
    ix_intern_free(&x->jvm_keys);
}
