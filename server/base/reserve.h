/* SPDX-License-Identifier: Apache-2.0 */
/* A memory reserve for libevent. In libevent 2.1 the constructors of buffered connections crash if
 * memory runs out half-way (bufferevent_free of one without buffers; a watermark without its
 * callback). When malloc fails, small blocks come from the reserve; without a large block the
 * constructors fail cleanly. While the reserve is low no connections are accepted. For the loop's
 * thread only.
 */
#ifndef IXOR_RESERVE_H
#define IXOR_RESERVE_H

#include <stdbool.h>

#define IXOR_RESERVE_PIECES 128 /* a connection takes about ten */
#define IXOR_RESERVE_PIECE 1024 /* bytes at most */

/* Call before any other function of libevent; further calls do nothing. */
void ixor_reserve_use(void);
/* True if less than half of the reserve is left and malloc fails. */
bool ixor_reserve_is_short(void);

#endif
