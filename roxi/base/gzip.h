/* A stream that is compressed as it is written (gzip, RFC 1952; without a time, so that the same
 * data makes the same bytes). */
#ifndef ROXI_GZIP_H
#define ROXI_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct roxi_gzip;

/* `out` stays the caller's, as its errors do. NULL: memory ran out. */
struct roxi_gzip *roxi_gzip_new(FILE *out);
void roxi_gzip_write(struct roxi_gzip *z, const void *data, size_t size);
/* Writes what is pending and the end. */
void roxi_gzip_finish(struct roxi_gzip *z);
void roxi_gzip_free(struct roxi_gzip *z); /* z may be NULL */

#endif
