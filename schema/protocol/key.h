/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a campaign (protocol.md, "Keys"): 32 random bytes created with the campaign, and keys
 * derived from them with fewer rights.
 *
 *   campaign   everything; stays in the campaign's directory
 *   agent      lets a JVM join
 *   control    lets a program control the server
 *
 * As text, in a file or a variable, a key names its kind: "ixor-agent-" and 64 hexadecimal digits.
 * In a file a newline may follow.
 */
#ifndef IX_SCHEMA_KEY_H
#define IX_SCHEMA_KEY_H

#include <stdint.h>

#include "schema/base/error.h"

#define IX_KEY_SIZE 32u
#define IX_KEY_TEXT 80u /* longest text of a key, including the terminator */

enum ix_key_kind { IX_KEY_NONE = 0, IX_KEY_CAMPAIGN = 1, IX_KEY_AGENT = 2, IX_KEY_CONTROL = 3 };

struct ix_key {
    uint8_t bytes[IX_KEY_SIZE];
};

/* Makes a new key from the kernel's random numbers. */
int ix_key_make(struct ix_key *key, struct ix_error *err);
/* Derives the agent or control key of a campaign. -1: OpenSSL cannot compute it (out of memory). */
int ix_key_derive(const struct ix_key *campaign, enum ix_key_kind kind, struct ix_key *key,
                  struct ix_error *err);

void ix_key_text(enum ix_key_kind kind, const struct ix_key *key, char text[IX_KEY_TEXT]);
/* Parses a key of this kind with nothing after it; the error message does not contain the text. */
int ix_key_parse(enum ix_key_kind kind, const char *text, struct ix_key *key, struct ix_error *err);

/* Reads a key from a file that must belong to this user or root and be closed to all others; else
 * the message says what to do. 1: there is no such file; *err says so, too. */
int ix_key_read(enum ix_key_kind kind, const char *path, struct ix_key *key, struct ix_error *err);
/* Writes a key atomically, mode 0600, replacing an older one. */
int ix_key_write(enum ix_key_kind kind, const char *path, const struct ix_key *key,
                 struct ix_error *err);

#endif
