/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/nearest.h"

#include <string.h>

enum { FARTHEST = 2 }; /* a typing error: a letter, or two that have changed places */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

size_t ix_edit_distance(const char *a, const char *b)
{
    size_t row[IX_NEAREST_MAX + 1], len_b = strlen(b);
    for (size_t j = 0; j <= len_b; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[len_b];
}

const char *ix_nearest(const char *wanted, const char *const *names, size_t count)
{
    const size_t len = strlen(wanted), half = len / 2;
    const char *nearest = NULL;
    size_t most = half < FARTHEST ? half : FARTHEST;
    for (size_t i = 0; len <= IX_NEAREST_MAX && i < count; i++) {
        const size_t distance =
            strlen(names[i]) <= IX_NEAREST_MAX ? ix_edit_distance(wanted, names[i]) : most + 1;
        if (distance > most || (nearest && distance == most))
            continue;
        nearest = names[i];
        most = distance;
    }
    return nearest;
}
