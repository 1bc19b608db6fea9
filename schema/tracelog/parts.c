/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/grow.h"

char *ix_part_path(const char *path, uint32_t number)
{
    char *part;
    return asprintf(&part, "%s.%u", path, number) < 0 ? NULL : part;
}

/* The number that follows `base` and '.' in the name; 0 if it is not a part's. */
static uint32_t number_of(const char *name, const char *base, size_t base_len)
{
    if (strncmp(name, base, base_len) != 0 || name[base_len] != '.' || name[base_len + 1] == '0')
        return 0;
    uint64_t number = 0;
    for (const char *at = name + base_len + 1; *at; at++) {
        if (*at < '0' || *at > '9')
            return 0;
        number = number * 10 + (uint64_t)(*at - '0');
        if (number > UINT32_MAX)
            return 0;
    }
    return (uint32_t)number;
}

/* The directory that the path is in. */
static DIR *open_directory(const char *path, size_t dir_len)
{
    if (!dir_len)
        return opendir(".");
    char *dir = strndup(path, dir_len);
    DIR *there = dir ? opendir(dir) : NULL;
    free(dir);
    return there;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int ix_parts_find(struct ix_parts *parts, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t base_len = strlen(base);
    size_t cap = 0;
    int status = 0;
    *parts = (struct ix_parts){0};
    DIR *dir = open_directory(path, (size_t)(base - path));
    if (!dir)
        return 0;
    for (const struct dirent *entry; status == 0 && (entry = readdir(dir));) {
        const uint32_t number = number_of(entry->d_name, base, base_len);
        if (!number)
            continue;
        uint32_t *numbers = ix_grow(parts->numbers, &cap, parts->count + 1, sizeof *numbers);
        if (numbers) {
            parts->numbers = numbers;
            numbers[parts->count++] = number;
        } else {
            status = -1;
        }
    }
    closedir(dir);
    if (parts->count)
        qsort(parts->numbers, parts->count, sizeof *parts->numbers, by_number);
    return status;
}

void ix_parts_free(struct ix_parts *parts)
{
    free(parts->numbers);
    *parts = (struct ix_parts){0};
}

void ix_ended_parts_init(struct ix_ended_parts *ended)
{
    *ended = (struct ix_ended_parts){.first = 1, .next = 1};
}

void ix_ended_parts_free(struct ix_ended_parts *ended)
{
    free(ended->sizes);
    ended->sizes = NULL;
}

int ix_ended_parts_reserve(struct ix_ended_parts *ended)
{
    const size_t count = ended->next - ended->first;
    uint64_t *sizes = ix_grow(ended->sizes, &ended->cap, count + 1, sizeof *sizes);
    if (!sizes)
        return -1;
    ended->sizes = sizes;
    return 0;
}

void ix_ended_parts_add(struct ix_ended_parts *ended, uint64_t size)
{
    ended->sizes[ended->next - ended->first] = size;
    ended->bytes += size;
    ended->next++;
}

static void remove_oldest(struct ix_ended_parts *ended, const char *path)
{
    char *part = ix_part_path(path, ended->first);
    if (part)
        unlink(part); /* another program may have removed it already */
    free(part);
    ended->bytes -= ended->sizes[0];
    ended->first++;
    memmove(ended->sizes, ended->sizes + 1, (ended->next - ended->first) * sizeof *ended->sizes);
}

void ix_ended_parts_reduce(struct ix_ended_parts *ended, const char *path, uint64_t writing)
{
    while (ended->limit && ended->first < ended->next && ended->bytes + writing > ended->limit)
        remove_oldest(ended, path);
}
