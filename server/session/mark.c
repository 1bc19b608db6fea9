/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/mark.h"

#include "server/sampling/ticker.h"

int64_t ixor_mark(struct ixor_context *c, const struct ixor_execution *e, const char *text)
{
    const struct ix_mark mark = {
        .execution = e ? e->id : 0,
        .packet = (int64_t)ixor_ticker_last(c->ticker),
        .at_ns = ixor_wall_ns(),
        .text = text,
    };
    ixor_writer_mark(c->writer, &mark);
    return mark.packet;
}
