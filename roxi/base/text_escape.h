/* SPDX-License-Identifier: Apache-2.0 */
/* Text in the original's layout: escapes names so that they cannot break a line or a field, and
 * shows text of unknown origin safely to people.
 *
 * In free text `\`, LF and CR are `\\`, `\n` and `\r`. In a field that ends at a space, a space
 * is also `\s` and an empty field `\e`. In a role, which ends at a TAB, a TAB is also `\t`.
 */
#ifndef ROXI_TEXT_ESCAPE_H
#define ROXI_TEXT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "schema/base/bytes.h"

enum text_kind { TEXT_FREE, TEXT_FIELD, TEXT_ROLE };

/* Length of the well-formed UTF-8 character (RFC 3629) at `text`, 1 to 4; 0 if there is none. */
size_t text_utf8_length(const char *text, size_t len);

/* True for UTF-8 without control characters: usable as a table cell or a file name. */
bool text_plain(struct ix_span text);

/* Appends `text` escaped. Bytes that are not UTF-8 become U+FFFD, so that everything written can
 * be read back. */
void text_escape(struct ix_out *out, const char *text, enum text_kind kind);

/* Appends the text that `raw` encodes, and a zero byte. NULL, or a phrase that says what is
 * wrong with `raw` ("malformed UTF-8"); then ignore what was appended. */
const char *text_unescape(struct ix_out *out, struct ix_span raw, enum text_kind kind);

/* Prints text so that it cannot control a terminal: control characters (including those that
 * change the direction of writing) as \xNN or \uNNNN, bytes that are not UTF-8 as \xNN. */
void text_print(FILE *stream, const char *text);

/* How many columns that takes; a character of three or more bytes counts as two. */
size_t text_columns(const char *text);

/* As text_print, for one character: writes the next character of `text` as it is shown, terminated,
 * and returns how many bytes of `text` it took. len is at least 1. */
enum { TEXT_SHOWN_SIZE = 8 }; /* "\u202E" and a zero byte is the longest */
size_t text_show(const char *text, size_t len, char shown[TEXT_SHOWN_SIZE]);

/* The same for messages: at most the first 40 bytes of `text`, followed by "..." if there are
 * more. */
enum { TEXT_QUOTE_SIZE = 256 };
const char *text_quote(char quoted[TEXT_QUOTE_SIZE], struct ix_span text);

#endif
