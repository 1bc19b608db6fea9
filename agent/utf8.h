/* Java's modified UTF-8 (JVM specification 4.4.7) to UTF-8. */
#ifndef IX_AGENT_UTF8_H
#define IX_AGENT_UTF8_H

#include "schema/bytes.h"

/* Appends `text` to `out` as UTF-8 without zero bytes: surrogate pairs become one character; NUL
 * (C0 80), a lone surrogate and each byte that does not belong become U+FFFD. Four-byte characters
 * of standard UTF-8 pass, because options and environment have them. Adds no terminator. O(bytes). */
void ixa_put_utf8(struct ix_out *out, const char *text, size_t len);
/* Makes `out` hold just this text, with a terminator; NULL when memory ran out. */
const char *ixa_utf8(struct ix_out *out, const char *text, size_t len);

#endif
