/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/gzip.h"

#include <stdlib.h>

#include <zlib.h>

struct roxi_gzip {
    FILE *out;
    z_stream stream;
    unsigned char buffer[65536];
};

/* zlib: adding 16 to the window bits selects gzip's header and trailer. */
enum { WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 8, PIECE_MAX = 1 << 30 };

struct roxi_gzip *roxi_gzip_new(FILE *out)
{
    struct roxi_gzip *z = calloc(1, sizeof *z);
    if (!z)
        return NULL;
    z->out = out;
    if (deflateInit2(&z->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        return z;
    free(z);
    return NULL;
}

/* Cannot fail: the output buffer is emptied whenever it is full. */
static void run(struct roxi_gzip *z, int flush)
{
    do {
        z->stream.next_out = z->buffer;
        z->stream.avail_out = sizeof z->buffer;
        deflate(&z->stream, flush);
        fwrite(z->buffer, 1, sizeof z->buffer - z->stream.avail_out, z->out);
    } while (z->stream.avail_out == 0);
}

void roxi_gzip_write(struct roxi_gzip *z, const void *data, size_t size)
{
    const unsigned char *at = data;
    while (size > 0) {
        size_t piece = size < PIECE_MAX ? size : PIECE_MAX;
        z->stream.next_in = (unsigned char *)at;
        z->stream.avail_in = (unsigned)piece;
        run(z, Z_NO_FLUSH);
        at += piece;
        size -= piece;
    }
}

void roxi_gzip_finish(struct roxi_gzip *z)
{
    run(z, Z_FINISH);
}

void roxi_gzip_free(struct roxi_gzip *z)
{
    if (z)
        deflateEnd(&z->stream);
    free(z);
}
