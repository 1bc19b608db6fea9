/* SPDX-License-Identifier: Apache-2.0 */
/* Puts probes into class files, as the agent does while the JVM loads them.
 *
 *   probe-class IN OUT             one class; "-" is standard output
 *   probe-class --list IN          a line for each block: number, method, line
 *   probe-class --fields N IN OUT  only the fields of N blocks
 *   probe-class --pairs FILE       many: IN, tab, OUT in each line; writes those that have got
 * probes
 *
 * The last prints "probed N alone N blocks N methods N before BYTES after BYTES us N", bytes of
 * those with probes. The others' status is 3 if the class is left alone. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/coverage/probes.h"
#include "schema/base/bytes.h"

static const uint32_t blocks_max = 100000;

static struct {
    unsigned long probed, alone, blocks, methods, before, after;
    double seconds;
} sum;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static struct ix_out read_file(const char *path)
{
    struct ix_out file = {0};
    FILE *in = fopen(path, "r");
    char part[16384];
    size_t n;
    if (!in)
        die(path);
    while ((n = fread(part, 1, sizeof part, in)) > 0)
        ix_put_bytes(&file, part, n);
    if (file.failed || ferror(in) || fclose(in) != 0)
        die(path);
    return file;
}

static void write_file(const char *path, const struct ixa_probed *p)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!out || fwrite(p->bytes, 1, p->length, out) != p->length || fclose(out) != 0)
        die(path);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* True if the class has got probes. */
static bool probe(const char *path, struct ixa_probed *p)
{
    struct ix_out file = read_file(path);
    const double start = now();
    const enum ixa_probing result = ixa_probes_insert(file.data, file.len, blocks_max, p);
    sum.seconds += now() - start;
    if (result == IXA_PROBES_NO_MEMORY)
        die(path);
    if (result == IXA_PROBED)
        sum.before += file.len;
    ix_out_free(&file);
    return result == IXA_PROBED;
}

static int probe_pairs(const char *list)
{
    FILE *in = fopen(list, "r");
    char *line = NULL;
    size_t room = 0;
    if (!in)
        die(list);
    while (getline(&line, &room, in) > 0) {
        struct ixa_probed p;
        const char *from = strtok(line, "\t\n"), *to = strtok(NULL, "\t\n");
        if (!from || !to)
            continue;
        if (!probe(from, &p)) {
            sum.alone++;
            continue;
        }
        write_file(to, &p);
        sum.probed++;
        sum.blocks += p.block_count;
        sum.methods += p.method_count;
        sum.after += p.length;
        ixa_probed_free(&p);
    }
    free(line);
    fclose(in);
    printf("probed %lu alone %lu blocks %lu methods %lu before %lu after %lu us %.0f\n", sum.probed,
           sum.alone, sum.blocks, sum.methods, sum.before, sum.after, sum.seconds * 1e6);
    return 0;
}

static void list(const struct ixa_probed *p)
{
    for (uint32_t i = 0; i < p->block_count; i++) {
        const struct ixa_probed_method *m = &p->methods[p->blocks[i].method];
        printf("%u\t%s%s\t%u\n", (unsigned)i, m->name, m->descriptor, (unsigned)p->blocks[i].line);
    }
}

static int probe_one(const char *from, const char *to)
{
    struct ixa_probed p;
    if (!probe(from, &p))
        return 3;
    if (to)
        write_file(to, &p);
    else
        list(&p);
    ixa_probed_free(&p);
    return 0;
}

static int only_fields(const char *count, const char *from, const char *to)
{
    struct ixa_probed p;
    struct ix_out file = read_file(from);
    const enum ixa_probing result =
        ixa_probes_only_fields(file.data, file.len, (uint32_t)strtoul(count, NULL, 10), &p);
    ix_out_free(&file);
    if (result != IXA_PROBED)
        return 3;
    write_file(to, &p);
    ixa_probed_free(&p);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--fields") == 0)
        return only_fields(argv[2], argv[3], argv[4]);
    if (argc == 3 && strcmp(argv[1], "--pairs") == 0)
        return probe_pairs(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--list") == 0)
        return probe_one(argv[2], NULL);
    if (argc == 3)
        return probe_one(argv[1], argv[2]);
    fprintf(stderr, "usage: probe-class [--list] [--fields N] IN OUT | --pairs FILE\n");
    return 2;
}
