/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/distance_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/fingerprint.h"
#include "roxi/distance/checked_file.h"
#include "roxi/mpi/mpi.h"

/* The file, in this machine's byte order: HEAD, n fingerprints, the lower triangle with the
 * diagonal row by row, and XXH3-64 of all that. Every number has 8 bytes. */
struct head {
    char magic[8];
    uint64_t order; /* 1: reveals a different byte order */
    uint64_t key;   /* hash of everything besides the runs that distances depend on (key_text) */
    uint64_t n;
};
#define MAGIC "IXDIST\x01\n"
/* Increase it when the meaning of a distance changes. */
#define MEANING 1
/* The largest number of runs whose distances are cached: 400 MB. */
#define EXECUTIONS_MAX 10000u

/* The file for one set of options. */
struct cache {
    const char *campaign;
    char *path; /* owned */
    uint64_t key;
    /* The file's content; view NULL: there is none. */
    void *view;
    size_t size, n;
    const struct roxi_fingerprint *executions;
    const double *cells;
};

/* The runs of the campaign, and which of them are in the file. All owned. */
struct runs {
    size_t n;
    struct roxi_fingerprint *prints;
    size_t *place; /* index in the file, or UNKNOWN */
    bool *fresh;   /* the run is not in the file */
};
#define UNKNOWN SIZE_MAX

static size_t triangle(size_t n)
{
    return n * (n + 1) / 2;
}

static size_t size_of(size_t n)
{
    return sizeof(struct head) + n * sizeof(struct roxi_fingerprint) +
           triangle(n) * sizeof(double) + sizeof(uint64_t);
}

/* ---- where ---- */

static char *key_text(const struct roxi_load_options *load,
                      const struct roxi_compare_options *options)
{
    char *text;
    if (asprintf(&text,
                 "meaning %d strategy %s reward %.17g unmatched %d diagonal %d min-vms %u "
                 "granularity %d rules %s%s%s",
                 MEANING, options->strategy->name, options->match_reward, options->unmatched_cost,
                 options->diagonal_computed, load->min_vms, (int)load->granularity,
                 load->rules ? load->rules : "", load->test ? " test " : "",
                 load->test ? load->test : "") < 0)
        return NULL;
    return text;
}

/* Sets the file's path and key. -1: out of memory. */
static int find_file(struct cache *c, const struct roxi_load_options *load,
                     const struct roxi_compare_options *options)
{
    char *text = key_text(load, options);
    if (!text)
        return -1;
    c->key = XXH3_64bits(text, strlen(text));
    free(text);
    if (asprintf(&c->path, "%s/cache/%s-%016llx.distances", c->campaign, options->strategy->name,
                 (unsigned long long)c->key) >= 0)
        return 0;
    c->path = NULL;
    return -1;
}

/* ---- reading ---- */

static void unmap(struct cache *c)
{
    if (c->view)
        munmap(c->view, c->size);
    c->view = NULL;
    c->n = 0;
}

static bool is_good(const struct cache *c)
{
    const struct head *head = c->view;
    uint64_t sum;
    if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0 || head->order != 1 ||
        head->key != c->key || head->n > EXECUTIONS_MAX || size_of(head->n) != c->size)
        return false;
    memcpy(&sum, (const char *)c->view + c->size - sizeof sum, sizeof sum);
    return sum == XXH3_64bits(c->view, c->size - sizeof sum);
}

static void map(struct cache *c)
{
    struct stat s;
    const int fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (uint64_t)s.st_size >= size_of(0)) {
        c->size = (size_t)s.st_size;
        c->view = mmap(NULL, c->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (c->view == MAP_FAILED)
            c->view = NULL;
    }
    close(fd);
    if (c->view && !is_good(c))
        unmap(c);
    if (!c->view)
        return;
    c->n = ((const struct head *)c->view)->n;
    c->executions = (const void *)((const char *)c->view + sizeof(struct head));
    c->cells = (const void *)(c->executions + c->n);
}

/* ---- matching ---- */

static const struct roxi_fingerprint *find(const struct roxi_fingerprint *all, size_t n,
                                           struct roxi_fingerprint wanted, const uint32_t *order)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct roxi_fingerprint *at = &all[order[middle]];
        if (at->high == wanted.high && at->low == wanted.low)
            return at;
        if (at->high != wanted.high ? at->high < wanted.high : at->low < wanted.low)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int by_fingerprint(const void *a, const void *b, void *all)
{
    const struct roxi_fingerprint *x = (const struct roxi_fingerprint *)all + *(const uint32_t *)a,
                                  *y = (const struct roxi_fingerprint *)all + *(const uint32_t *)b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

/* Finds the runs in the file. Returns how many are there. */
static size_t match(const struct cache *c, const struct runs *r)
{
    size_t known = 0;
    uint32_t *order = calloc(c->n + 1, sizeof *order);
    for (size_t i = 0; order && i < c->n; i++)
        order[i] = (uint32_t)i;
    if (order && c->n)
        qsort_r(order, c->n, sizeof *order, by_fingerprint, (void *)(uintptr_t)c->executions);
    for (size_t e = 0; e < r->n; e++) {
        const struct roxi_fingerprint *at =
            order ? find(c->executions, c->n, r->prints[e], order) : NULL;
        r->place[e] = at ? (size_t)(at - c->executions) : UNKNOWN;
        r->fresh[e] = !at;
        known += at != NULL;
    }
    free(order);
    return known;
}

static void copy_known(const struct cache *c, const size_t *place, struct roxi_matrix *m)
{
    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = 0; b < m->n; b++) {
            if (place[a] == UNKNOWN || place[b] == UNKNOWN)
                continue;
            const size_t high = place[a] > place[b] ? place[a] : place[b];
            const size_t low = place[a] > place[b] ? place[b] : place[a];
            *roxi_cell(m, a, b) = c->cells[triangle(high) + low];
        }
    }
}

static int find_runs(struct runs *r, const struct roxi_profiles *p, struct ix_error *err)
{
    *r = (struct runs){.n = p->count,
                       .prints = roxi_fingerprints(p),
                       .place = calloc(p->count + 1, sizeof *r->place),
                       .fresh = calloc(p->count + 1, sizeof *r->fresh)};
    return r->prints && r->place && r->fresh ? 0 : ix_fail(err, "out of memory");
}

static void release_runs(struct runs *r)
{
    free(r->prints);
    free(r->place);
    free(r->fresh);
}

/* ---- writing ---- */

static int write_file(const struct cache *c, const struct roxi_fingerprint *prints,
                      const struct roxi_matrix *m, struct ix_error *err)
{
    struct head head = {.order = 1, .key = c->key, .n = m->n};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    struct roxi_checked_file *file = roxi_checked_file_open(c->path, err);
    if (!file)
        return -1;
    roxi_checked_file_put(file, &head, sizeof head);
    roxi_checked_file_put(file, prints, m->n * sizeof *prints);
    for (size_t a = 0; a < m->n; a++)
        roxi_checked_file_put(file, roxi_cell(m, a, 0), (a + 1) * sizeof(double));
    return roxi_checked_file_commit(file, err);
}

/* False: the campaign's directory is not writable for us, or (with a warning) has no space left. */
static bool make_directory(const char *campaign)
{
    char *dir;
    if (access(campaign, W_OK) != 0 || asprintf(&dir, "%s/cache", campaign) < 0)
        return false;
    struct stat s;
    const bool made = mkdir(dir, 0777) == 0 || (errno == EEXIST && stat(dir, &s) == 0 &&
                                                (S_ISDIR(s.st_mode) || (errno = ENOTDIR, false)));
    if (!made)
        roxi_warn("the distances are not cached: cannot make '%s': %s", dir, strerror(errno));
    free(dir);
    return made;
}

static void store(const struct cache *c, const struct roxi_fingerprint *prints,
                  const struct roxi_matrix *m)
{
    struct ix_error err;
    if (m->n <= EXECUTIONS_MAX && write_file(c, prints, m, &err) != 0)
        roxi_warn("the distances are not cached: %s", err.text);
}

/* ---- comparing ---- */

static bool asked_to_end(void *user)
{
    (void)user;
    return roxi_interrupted();
}

/* Hash of everything that an unfinished matrix depends on. */
static uint64_t inputs_of(const struct roxi_profiles *p, const struct runs *r,
                          const struct roxi_compare_options *options)
{
    const uint64_t parts[] = {
        XXH3_64bits(r->prints, r->n * sizeof *r->prints),
        XXH3_64bits(r->fresh, r->n * sizeof *r->fresh),
        roxi_order_fingerprint(p),
        options->engine == ROXI_ENGINE_REFERENCE,
    };
    return XXH3_64bits(parts, sizeof parts);
}

/* Compares in a way that can be interrupted and continued. */
static int compare_long(const struct cache *c, struct roxi_checkpoint *checkpoint,
                        const struct roxi_profiles *p, struct roxi_compare_options *options,
                        struct roxi_matrix *out, struct ix_error *err)
{
    char *unfinished;
    if (asprintf(&unfinished, "%s.unfinished", c->path) < 0)
        return ix_fail(err, "out of memory");
    checkpoint->path = unfinished;
    options->checkpoint = checkpoint;
    if (!checkpoint->resume && access(unfinished, F_OK) == 0)
        roxi_warn("discarding an interrupted computation (--resume would have continued it)");
    roxi_interrupt_catch();
    const int result = roxi_compare(p, options, out, err);
    roxi_interrupt_release();
    if (result == 0)
        roxi_checkpoint_remove(checkpoint);
    free(unfinished);
    return result;
}

/* Computes what is missing in the file, and then stores it there. */
static int compare_fresh(const struct cache *c, const struct roxi_cached_work *work,
                         const struct runs *r, struct roxi_matrix *out, struct ix_error *err)
{
    struct roxi_compare_options some = *work->options;
    struct roxi_checkpoint checkpoint = {
        .resume = work->resume,
        .inputs = inputs_of(work->profiles, r, work->options),
        .interrupted = asked_to_end,
    };
    const bool writable = make_directory(c->campaign);
    some.fresh = r->fresh;
    const int result = writable ? compare_long(c, &checkpoint, work->profiles, &some, out, err)
                                : roxi_compare(work->profiles, &some, out, err);
    if (result != 0)
        return -1;
    copy_known(c, r->place, out);
    if (writable)
        store(c, r->prints, out);
    return 0;
}

static int compare_with(const struct cache *c, const struct roxi_cached_work *work,
                        struct roxi_matrix *out, struct ix_error *err)
{
    struct runs r;
    int result = find_runs(&r, work->profiles, err);
    if (result == 0 && match(c, &r) < r.n) {
        result = compare_fresh(c, work, &r, out, err);
    } else if (result == 0) {
        result = roxi_matrix_new(out, r.n);
        if (result == 0)
            copy_known(c, r.place, out);
        else
            ix_fail(err, "out of memory for a matrix of %zu runs", r.n);
    }
    release_runs(&r);
    return result;
}

int roxi_compare_cached(const struct roxi_cached_work *work, struct roxi_matrix *out,
                        struct ix_error *err)
{
    if (roxi_mpi_process() != 0) /* only process 0 decides what is computed */
        return roxi_compare(work->profiles, work->options, out, err);
    struct cache c = {.campaign = work->campaign};
    if (find_file(&c, work->load, work->options) != 0)
        return ix_fail(err, "out of memory");
    map(&c);
    const int result = compare_with(&c, work, out, err);
    unmap(&c);
    free(c.path);
    return result;
}
