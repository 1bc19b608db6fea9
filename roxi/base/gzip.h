/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that compresses what is written to it (gzip, RFC 1952). No timestamp is stored, so
 * the same data gives the same bytes. */
#ifndef ROXI_GZIP_H
#define ROXI_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct roxi_gzip;

/* The caller keeps `out` and checks it for errors. NULL: out of memory. */
struct roxi_gzip *roxi_gzip_new(FILE *out);
void roxi_gzip_write(struct roxi_gzip *z, const void *data, size_t size);
/* Writes what is pending and the trailer. */
void roxi_gzip_finish(struct roxi_gzip *z);
void roxi_gzip_free(struct roxi_gzip *z); /* z may be NULL */

#endif
