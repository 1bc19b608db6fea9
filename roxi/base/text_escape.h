/* Text in the original's layout: how names are written so that a line stays a line and a field a
 * field, and how text of unknown origin is shown to a human.
 *
 * In free text `\`, LF and CR are `\\`, `\n` and `\r`. In a field that ends at a space, a space is
 * `\s` and an empty field `\e` as well. In a role, which ends at a TAB, a TAB is `\t` as well.
 */
#ifndef ROXI_TEXT_ESCAPE_H
#define ROXI_TEXT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "schema/bytes.h"

enum text_kind { TEXT_FREE, TEXT_FIELD, TEXT_ROLE };

/* Length of the well-formed UTF-8 character (RFC 3629) at `text`, 1 to 4; 0 if there is none. */
size_t text_utf8_length(const char *text, size_t len);

/* Whether it is UTF-8 without control characters: fit for a cell of a table, or a file's name. */
bool text_plain(struct ix_span text);

/* Appends `text` escaped. Bytes that are not UTF-8 become U+FFFD: whatever is written reads back.
 */
void text_escape(struct ix_out *out, const char *text, enum text_kind kind);

/* Appends the text that `raw` stands for, and a zero byte. NULL, or what is wrong with `raw` as a
 * phrase ("malformed UTF-8"); then what was appended is of no use. */
const char *text_unescape(struct ix_out *out, struct ix_span raw, enum text_kind kind);

/* Prints text so that it cannot drive a terminal: control characters (also the ones that turn the
 * direction of writing) as \xNN or \uNNNN, bytes that are not UTF-8 as \xNN. */
void text_print(FILE *stream, const char *text);

/* The same for one character: writes the next one of `text` as it is shown, terminated, and returns how
 * many bytes of it that was. len is 1 or more. */
enum { TEXT_SHOWN_SIZE = 8 }; /* "\u202E" and a zero byte is the longest */
size_t text_show(const char *text, size_t len, char shown[TEXT_SHOWN_SIZE]);

/* The same for messages: at most the first 40 bytes of `text`, with "..." if that is not all. */
enum { TEXT_QUOTE_SIZE = 256 };
const char *text_quote(char quoted[TEXT_QUOTE_SIZE], struct ix_span text);

#endif
