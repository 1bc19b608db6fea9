#include "roxi/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/output.h"

/* Another number whenever the order of what is computed changes. */
#define MAGIC "IXHALF\x02\n"

/* The file: this, the matrix row by row, and XXH3-64 of both; in this machine's byte order. */
struct head {
    char magic[8];
    uint64_t inputs, n, group, stack;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Reads `len` bytes and takes them into the checksum. */
static bool get(FILE *file, XXH3_state_t *sum, void *bytes, size_t len)
{
    if (fread(bytes, 1, len, file) != len)
        return false;
    XXH3_64bits_update(sum, bytes, len);
    return true;
}

/* Into `cells`, which are the file's if this is true. */
static bool read_state(FILE *file, XXH3_state_t *sum, const struct roxi_checkpoint *c, size_t n,
                       struct head *head, double *cells)
{
    uint64_t digest;
    XXH3_64bits_reset(sum);
    return get(file, sum, head, sizeof *head) &&
           memcmp(head->magic, MAGIC, sizeof head->magic) == 0 && head->inputs == c->inputs &&
           head->n == n && head->group <= UINT32_MAX &&
           get(file, sum, cells, n * n * sizeof *cells) &&
           fread(&digest, 1, sizeof digest, file) == sizeof digest && fgetc(file) == EOF &&
           digest == XXH3_64bits_digest(sum);
}

bool roxi_checkpoint_load(struct roxi_checkpoint *c, struct roxi_matrix *m)
{
    struct head head;
    FILE *file = fopen(c->path, "re");
    XXH3_state_t *sum = XXH3_createState();
    bool good = file && sum && read_state(file, sum, c, m->n, &head, m->cells);
    if (good) {
        c->group = (uint32_t)head.group;
        c->stack = head.stack;
    } else {
        memset(m->cells, 0, m->n * m->n * sizeof *m->cells);
    }
    if (file)
        fclose(file);
    XXH3_freeState(sum);
    return good;
}

static void put(struct roxi_output *out, XXH3_state_t *sum, const void *bytes, size_t len)
{
    fwrite(bytes, 1, len, out->stream);
    XXH3_64bits_update(sum, bytes, len);
}

static int save(const struct roxi_checkpoint *c, const struct roxi_matrix *m, uint32_t group,
                size_t stack, struct ix_error *err)
{
    struct head head = {.inputs = c->inputs, .n = m->n, .group = group, .stack = stack};
    struct roxi_output out;
    XXH3_state_t *sum = XXH3_createState();
    if (!sum)
        return ix_fail(err, "out of memory");
    memcpy(head.magic, MAGIC, sizeof head.magic);
    XXH3_64bits_reset(sum);
    int result = roxi_output_open(&out, c->path, err);
    if (result == 0) {
        put(&out, sum, &head, sizeof head);
        put(&out, sum, m->cells, m->n * m->n * sizeof *m->cells);
        const uint64_t digest = XXH3_64bits_digest(sum);
        fwrite(&digest, 1, sizeof digest, out.stream);
        result = roxi_output_commit(&out, err);
        roxi_output_abandon(&out);
    }
    XXH3_freeState(sum);
    return result;
}

static bool is_time(struct roxi_checkpoint *c)
{
    if (!c->next_ns)
        c->next_ns = now_ns() + ROXI_CHECKPOINT_NS;
    return now_ns() >= c->next_ns;
}

static bool is_ending(struct roxi_checkpoint *c)
{
    c->ending = c->ending || c->interrupted(c->user);
    return c->ending;
}

bool roxi_checkpoint_due(struct roxi_checkpoint *c)
{
    return is_ending(c) || is_time(c);
}

int roxi_checkpoint_step(struct roxi_checkpoint *c, const struct roxi_matrix *m, uint32_t group,
                         size_t stack, struct ix_error *err)
{
    const int64_t begin = now_ns();
    if (is_ending(c)) {
        if (save(c, m, group, stack, err) != 0)
            return ix_fail_in(err, "interrupted, and what was computed is lost");
        ix_fail(err, "interrupted; the same command with --resume goes on from here");
        return 1;
    }
    if (!is_time(c))
        return 0;
    struct ix_error why;
    const int saved = save(c, m, group, stack, &why);
    const int64_t took = now_ns() - begin;
    c->next_ns = begin + (20 * took > ROXI_CHECKPOINT_NS ? 20 * took : ROXI_CHECKPOINT_NS);
    if (saved != 0)
        c->next_ns = INT64_MAX; /* no room for it; what is computed does not depend on it */
    return 0;
}

void roxi_checkpoint_remove(const struct roxi_checkpoint *c)
{
    unlink(c->path);
}
