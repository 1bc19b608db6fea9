/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of a control connection (protocol.md, "Control"): what commands such as `ixor
 * snapshot` send to a running server. Encoders and decoders as in protocol.h.
 */
#ifndef IX_SCHEMA_CONTROL_H
#define IX_SCHEMA_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"

#define IX_VERB_MAX 32u
#define IX_CONTROL_TEXT_MAX 1024u
#define IX_REPLY_MAX 61440u

enum ix_control_message { IX_CONTROL = 7, IX_REPLY = 8 };

struct ix_control {
    char verb[IX_VERB_MAX + 1];
    char text[IX_CONTROL_TEXT_MAX + 1];
};

struct ix_reply {
    bool ok;
    char text[IX_REPLY_MAX + 1]; /* JSON if ok, else the reason */
};

void ix_encode_control(struct ix_out *out, const struct ix_control *m);
void ix_encode_reply(struct ix_out *out, const struct ix_reply *m);
int ix_decode_control(const uint8_t *payload, size_t size, struct ix_control *m,
                      struct ix_error *err);
int ix_decode_reply(const uint8_t *payload, size_t size, struct ix_reply *m, struct ix_error *err);

#endif
