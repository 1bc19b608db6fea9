/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/control.h"

#include "schema/protocol/encoding.h"
#include "schema/protocol/protocol.h"

_Static_assert(1 + 1 + 3 + IX_REPLY_MAX <= IX_MESSAGE_MAX, "REPLY");

void ix_encode_control(struct ix_out *out, const struct ix_control *m)
{
    size_t at = ix_begin_frame(out, IX_CONTROL);
    ix_put_greeting(out);
    ix_put_text(out, m->verb, IX_VERB_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->text, IX_CONTROL_TEXT_MAX, IX_TEXT_UTF8);
    ix_end_frame(out, at);
}

void ix_encode_reply(struct ix_out *out, const struct ix_reply *m)
{
    size_t at = ix_begin_frame(out, IX_REPLY);
    ix_put_u8(out, m->ok);
    ix_put_text(out, m->text, IX_REPLY_MAX, IX_TEXT_UTF8);
    ix_end_frame(out, at);
}

int ix_decode_control(const uint8_t *payload, size_t size, struct ix_control *m,
                      struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("CONTROL", payload, size, err);
    ix_take_greeting(&p);
    ix_take_text(&p, "verb", m->verb, IX_VERB_MAX, IX_TEXT_UTF8);
    ix_take_text(&p, "text", m->text, IX_CONTROL_TEXT_MAX, IX_TEXT_UTF8);
    return ix_payload_result(&p);
}

int ix_decode_reply(const uint8_t *payload, size_t size, struct ix_reply *m, struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("REPLY", payload, size, err);
    uint8_t ok = ix_get_u8(&p.in);
    ix_payload_check(&p, "outcome");
    if (ok > 1)
        ix_payload_refuse(&p, "outcome", "is neither 0 nor 1");
    m->ok = ok == 1;
    ix_take_text(&p, "text", m->text, IX_REPLY_MAX, IX_TEXT_UTF8);
    return ix_payload_result(&p);
}
