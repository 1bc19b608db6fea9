#include "roxi/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/command.h"
#include "roxi/fingerprint.h"
#include "roxi/interrupt.h"
#include "roxi/output.h"
#include "roxi/ranks.h"

/* A file, in this machine's byte order: HEAD, n fingerprints, the lower triangle with the diagonal
 * row by row, and XXH3-64 of all that. Numbers of 8 bytes each. */
struct head {
    char magic[8];
    uint64_t order; /* 1: tells another byte order */
    uint64_t key;   /* what the distances depend on beside the executions: hash_of_key */
    uint64_t n;
};
#define MAGIC "IXKEPT\x01\n"
/* To be raised when a distance changes its meaning. */
#define MEANING 1
/* The most executions of which the distances are kept: 400 MB. */
#define EXECUTIONS_MAX 10000u

/* An open file; view NULL: there is none. */
struct kept {
    void *view;
    size_t size, n;
    const struct roxi_fingerprint *executions;
    const double *cells;
};

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
                 "granularity %d rules %s",
                 MEANING, options->strategy->name, options->match_reward,
                 options->unmatched_cost, options->diagonal_computed, load->min_vms,
                 (int)load->granularity, load->rules ? load->rules : "") < 0)
        return NULL;
    return text;
}

/* The file's path, and the key's hash. NULL: memory ran out. */
static char *path_of(const char *campaign, const struct roxi_load_options *load,
                     const struct roxi_compare_options *options, uint64_t *hash)
{
    char *path = NULL, *text = key_text(load, options);
    if (!text)
        return NULL;
    *hash = XXH3_64bits(text, strlen(text));
    if (asprintf(&path, "%s/kept/%s-%016llx.distances", campaign, options->strategy->name,
                 (unsigned long long)*hash) < 0)
        path = NULL;
    free(text);
    return path;
}

/* ---- reading ---- */

static void close_kept(struct kept *k)
{
    if (k->view)
        munmap(k->view, k->size);
    *k = (struct kept){0};
}

static bool is_good(const struct kept *k, uint64_t hash)
{
    const struct head *head = k->view;
    uint64_t sum;
    if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0 || head->order != 1 ||
        head->key != hash || head->n > EXECUTIONS_MAX || size_of(head->n) != k->size)
        return false;
    memcpy(&sum, (const char *)k->view + k->size - sizeof sum, sizeof sum);
    return sum == XXH3_64bits(k->view, k->size - sizeof sum);
}

static void open_kept(struct kept *k, const char *path, uint64_t hash)
{
    struct stat s;
    *k = (struct kept){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (uint64_t)s.st_size >= size_of(0)) {
        k->size = (size_t)s.st_size;
        k->view = mmap(NULL, k->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (k->view == MAP_FAILED)
            k->view = NULL;
    }
    close(fd);
    if (k->view && !is_good(k, hash))
        close_kept(k);
    if (!k->view)
        return;
    k->n = ((const struct head *)k->view)->n;
    k->executions = (const void *)((const char *)k->view + sizeof(struct head));
    k->cells = (const void *)(k->executions + k->n);
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

#define UNKNOWN SIZE_MAX

/* place[e]: where execution e is in the file, or UNKNOWN; fresh[e] accordingly. The number of those
 * that are known. */
static size_t match(const struct kept *k, const struct roxi_fingerprint *prints, size_t n,
                    size_t *place, bool *fresh)
{
    size_t known = 0;
    uint32_t *order = calloc(k->n + 1, sizeof *order);
    for (size_t i = 0; order && i < k->n; i++)
        order[i] = (uint32_t)i;
    if (order)
        qsort_r(order, k->n, sizeof *order, by_fingerprint, (void *)(uintptr_t)k->executions);
    for (size_t e = 0; e < n; e++) {
        const struct roxi_fingerprint *at =
            order ? find(k->executions, k->n, prints[e], order) : NULL;
        place[e] = at ? (size_t)(at - k->executions) : UNKNOWN;
        fresh[e] = !at;
        known += at != NULL;
    }
    free(order);
    return known;
}

static void copy_known(const struct kept *k, const size_t *place, struct roxi_matrix *m)
{
    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = 0; b < m->n; b++) {
            if (place[a] == UNKNOWN || place[b] == UNKNOWN)
                continue;
            const size_t high = place[a] > place[b] ? place[a] : place[b];
            const size_t low = place[a] > place[b] ? place[b] : place[a];
            *roxi_cell(m, a, b) = k->cells[triangle(high) + low];
        }
    }
}

/* ---- writing ---- */

static void put(struct roxi_output *out, XXH3_state_t *sum, const void *bytes, size_t len)
{
    fwrite(bytes, 1, len, out->stream);
    XXH3_64bits_update(sum, bytes, len);
}

static int write_kept(const char *path, uint64_t hash, const struct roxi_fingerprint *prints,
                      const struct roxi_matrix *m, struct ix_error *err)
{
    struct head head = {.order = 1, .key = hash, .n = m->n};
    struct roxi_output out;
    XXH3_state_t *sum = XXH3_createState();
    if (!sum)
        return ix_fail(err, "out of memory");
    memcpy(head.magic, MAGIC, sizeof head.magic);
    XXH3_64bits_reset(sum);
    int result = roxi_output_open(&out, path, err);
    if (result == 0) {
        put(&out, sum, &head, sizeof head);
        put(&out, sum, prints, m->n * sizeof *prints);
        for (size_t a = 0; a < m->n; a++)
            put(&out, sum, roxi_cell(m, a, 0), (a + 1) * sizeof(double));
        const uint64_t digest = XXH3_64bits_digest(sum);
        fwrite(&digest, 1, sizeof digest, out.stream);
        result = roxi_output_commit(&out, err);
        roxi_output_abandon(&out);
    }
    XXH3_freeState(sum);
    return result;
}

/* False: the campaign's directory is not ours to write, or (with a warning) has no room for this. */
static bool make_directory(const char *campaign)
{
    char *dir;
    if (access(campaign, W_OK) != 0 || asprintf(&dir, "%s/kept", campaign) < 0)
        return false;
    struct stat s;
    const bool made = mkdir(dir, 0777) == 0 || (errno == EEXIST && stat(dir, &s) == 0 &&
                                                (S_ISDIR(s.st_mode) || (errno = ENOTDIR, false)));
    if (!made)
        roxi_warn("the distances are not kept: cannot make '%s': %s", dir, strerror(errno));
    free(dir);
    return made;
}

static void keep(const char *path, uint64_t hash, const struct roxi_fingerprint *prints,
                 const struct roxi_matrix *m)
{
    struct ix_error err;
    if (m->n <= EXECUTIONS_MAX && write_kept(path, hash, prints, m, &err) != 0)
        roxi_warn("the distances are not kept: %s", err.text);
}

/* ---- comparing ---- */

static bool asked_to_end(void *user)
{
    (void)user;
    return roxi_interrupted();
}

/* Everything that an unfinished matrix depends on. */
static uint64_t inputs_of(const struct roxi_profiles *p, const struct roxi_compare_options *options,
                          const struct roxi_fingerprint *prints, const bool *fresh)
{
    const uint64_t parts[] = {
        XXH3_64bits(prints, p->count * sizeof *prints),
        XXH3_64bits(fresh, p->count * sizeof *fresh),
        roxi_order_fingerprint(p),
        options->engine == ROXI_ENGINE_REFERENCE,
    };
    return XXH3_64bits(parts, sizeof parts);
}

/* Compares; with a path so that it can be interrupted, and go on. */
static int compare_long(const char *path, bool resume, uint64_t inputs,
                        const struct roxi_profiles *p, struct roxi_compare_options options,
                        struct roxi_matrix *out, struct ix_error *err)
{
    char *unfinished;
    if (!path)
        return roxi_compare(p, &options, out, err);
    if (asprintf(&unfinished, "%s.unfinished", path) < 0)
        return ix_fail(err, "out of memory");
    struct roxi_checkpoint checkpoint = {
        .path = unfinished, .inputs = inputs, .resume = resume, .interrupted = asked_to_end};
    options.checkpoint = &checkpoint;
    if (!resume && access(unfinished, F_OK) == 0)
        roxi_warn("an interrupted computation is given up (--resume would have gone on with it)");
    roxi_interrupt_catch();
    const int result = roxi_compare(p, &options, out, err);
    roxi_interrupt_release();
    if (result == 0)
        roxi_checkpoint_remove(&checkpoint);
    free(unfinished);
    return result;
}

static int compare_with(const struct kept *k, const char *campaign, const char *path, uint64_t hash,
                        bool resume, const struct roxi_profiles *p, const struct roxi_compare_options *options,
                        struct roxi_matrix *out, struct ix_error *err)
{
    struct roxi_fingerprint *prints = roxi_fingerprints(p);
    size_t *place = calloc(p->count + 1, sizeof *place);
    bool *fresh = calloc(p->count + 1, sizeof *fresh);
    int result = -1;
    if (!prints || !place || !fresh) {
        ix_fail(err, "out of memory");
    } else if (match(k, prints, p->count, place, fresh) == p->count) {
        result = roxi_matrix_new(out, p->count);
        if (result == 0)
            copy_known(k, place, out);
        else
            ix_fail(err, "out of memory for a matrix of %zu executions", p->count);
    } else {
        struct roxi_compare_options some = *options;
        some.fresh = fresh;
        const bool writable = make_directory(campaign);
        result = compare_long(writable ? path : NULL, resume, inputs_of(p, options, prints, fresh),
                              p, some, out, err);
        if (result == 0)
            copy_known(k, place, out);
        if (result == 0 && writable)
            keep(path, hash, prints, out);
    }
    free(prints);
    free(place);
    free(fresh);
    return result;
}

int roxi_compare_kept(const char *campaign, const struct roxi_load_options *load, bool resume,
                      const struct roxi_profiles *p, const struct roxi_compare_options *options,
                      struct roxi_matrix *out, struct ix_error *err)
{
    if (roxi_ranks_mine() != 0) /* rank 0 says what is to be computed */
        return roxi_compare(p, options, out, err);
    struct kept k;
    uint64_t hash;
    char *path = path_of(campaign, load, options, &hash);
    if (!path)
        return ix_fail(err, "out of memory");
    open_kept(&k, path, hash);
    const int result = compare_with(&k, campaign, path, hash, resume, p, options, out, err);
    close_kept(&k);
    free(path);
    return result;
}
