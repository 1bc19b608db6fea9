/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/distance/checked_file.h"
#include "schema/base/clock.h"

/* Change the number whenever the order of computation changes. */
#define MAGIC "IXHALF\x02\n"

/* The file: this head, the matrix row by row, and XXH3-64 of both; in this machine's byte order. */
struct head {
    char magic[8];
    uint64_t inputs, n, group, stack;
};

/* Reads `len` bytes and adds them to the checksum. */
static bool get(FILE *file, XXH3_state_t *sum, void *bytes, size_t len)
{
    if (fread(bytes, 1, len, file) != len)
        return false;
    XXH3_64bits_update(sum, bytes, len);
    return true;
}

/* Reads the matrix into `cells`, which are valid only if this returns true. */
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

static int save(const struct roxi_checkpoint *c, const struct roxi_matrix *m, uint32_t group,
                size_t stack, struct ix_error *err)
{
    struct head head = {.inputs = c->inputs, .n = m->n, .group = group, .stack = stack};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    struct roxi_checked_file *file = roxi_checked_file_open(c->path, err);
    if (!file)
        return -1;
    roxi_checked_file_put(file, &head, sizeof head);
    roxi_checked_file_put(file, m->cells, m->n * m->n * sizeof *m->cells);
    return roxi_checked_file_commit(file, err);
}

static bool is_time(struct roxi_checkpoint *c)
{
    if (!c->next_ns)
        c->next_ns = ix_mono_ns() + ROXI_CHECKPOINT_NS;
    return ix_mono_ns() >= c->next_ns;
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
    const int64_t begin = ix_mono_ns();
    if (is_ending(c)) {
        if (save(c, m, group, stack, err) != 0)
            return ix_fail_in(err, "interrupted, and what was computed is lost");
        ix_fail(err, "interrupted; the same command with --resume continues from here");
        return 1;
    }
    if (!is_time(c))
        return 0;
    struct ix_error why;
    const int saved = save(c, m, group, stack, &why);
    const int64_t took = ix_mono_ns() - begin;
    c->next_ns = begin + (20 * took > ROXI_CHECKPOINT_NS ? 20 * took : ROXI_CHECKPOINT_NS);
    if (saved != 0)
        c->next_ns = INT64_MAX; /* continue without checkpoints */
    return 0;
}

void roxi_checkpoint_remove(const struct roxi_checkpoint *c)
{
    unlink(c->path);
}
