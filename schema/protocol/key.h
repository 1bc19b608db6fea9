/* The keys of a campaign (protocol.md, "Keys"): 32 random bytes that are made with the campaign, and
 * what is derived from them for those who may do less.
 *
 *   campaign   everything; stays in the campaign's directory
 *   agent      to be one of its JVMs
 *   control    to tell its server what to do
 *
 * As text, in a file or a variable, a key says which one it is: "ixor-agent-" and 64 hexadecimal
 * digits. In a file a newline may follow.
 */
#ifndef IX_SCHEMA_KEY_H
#define IX_SCHEMA_KEY_H

#include <stdint.h>

#include "schema/error.h"

#define IX_KEY_SIZE 32u
#define IX_KEY_TEXT 80u /* longest text of a key, its end included */

enum ix_key_kind { IX_KEY_NONE = 0, IX_KEY_CAMPAIGN = 1, IX_KEY_AGENT = 2, IX_KEY_CONTROL = 3 };

struct ix_key {
    uint8_t bytes[IX_KEY_SIZE];
};

/* A new one, from the kernel. */
int ix_key_make(struct ix_key *key, struct ix_error *err);
/* The agent's or the control key of a campaign. -1: OpenSSL cannot compute it (out of memory). */
int ix_key_derive(const struct ix_key *campaign, enum ix_key_kind kind, struct ix_key *key,
                  struct ix_error *err);

void ix_key_text(enum ix_key_kind kind, const struct ix_key *key, char text[IX_KEY_TEXT]);
/* Wants a key of this kind and nothing behind it; the message of a failure does not repeat the
 * text. */
int ix_key_parse(enum ix_key_kind kind, const char *text, struct ix_key *key,
                 struct ix_error *err);

/* Reads a key out of a file that belongs to this user or to root and that nobody else may read or
 * write; other files are refused with what to do about it. 1: there is no such file, which *err
 * says, too. */
int ix_key_read(enum ix_key_kind kind, const char *path, struct ix_key *key, struct ix_error *err);
/* Writes one, mode 0600, in the place of an older one; whole or not at all. */
int ix_key_write(enum ix_key_kind kind, const char *path, const struct ix_key *key,
                 struct ix_error *err);

#endif
