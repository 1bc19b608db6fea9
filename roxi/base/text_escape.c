/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/text_escape.h"

#include <string.h>

#include "schema/base/utf8.h"

/* How many bytes of a text are quoted. */
enum { QUOTED_BYTES = 40 };
_Static_assert(QUOTED_BYTES * 4 + 4 <= TEXT_QUOTE_SIZE, "every byte may be shown as \\xNN");

size_t text_utf8_length(const char *text, size_t len)
{
    return ix_utf8_length(text, len);
}

bool text_plain(struct ix_span text)
{
    for (size_t at = 0; at < text.len;) {
        unsigned char c = (unsigned char)text.text[at];
        size_t size = text_utf8_length(text.text + at, text.len - at);
        if (size == 0 || c < 0x20 || c == 0x7f)
            return false;
        at += size;
    }
    return true;
}

/* The letter that follows the backslash for `c`; 0 if `c` is not escaped. */
static char escape_letter(char c, enum text_kind kind)
{
    switch (c) {
    case '\\':
        return '\\';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case ' ':
        return kind == TEXT_FIELD ? 's' : 0;
    case '\t':
        return kind == TEXT_ROLE ? 't' : 0;
    default:
        return 0;
    }
}

/* The reverse; 0 if there is no such escape. */
static char escaped_character(char letter, enum text_kind kind)
{
    static const char characters[] = "\\\n\r \t";
    for (const char *c = characters; *c; c++)
        if (escape_letter(*c, kind) == letter)
            return *c;
    return 0;
}

void text_escape(struct ix_out *out, const char *text, enum text_kind kind)
{
    size_t len = strlen(text);
    if (len == 0 && kind == TEXT_FIELD)
        ix_put_bytes(out, "\\e", 2);
    const char *end = text + len, *plain = text;
    for (const char *at = text; at < end;) {
        size_t size = text_utf8_length(at, (size_t)(end - at));
        char letter = escape_letter(*at, kind);
        if (size && !letter) {
            at += size;
            continue;
        }
        ix_put_bytes(out, plain, (size_t)(at - plain));
        if (size)
            ix_put_bytes(out, (const char[]){'\\', letter}, 2);
        else
            ix_put_bytes(out, "\xEF\xBF\xBD", 3);
        plain = ++at;
    }
    ix_put_bytes(out, plain, (size_t)(end - plain));
}

/* A phrase for what is wrong with the character at `at`; NULL if it may occur in a line
 * unescaped. */
static const char *flaw(const char *at, size_t left, size_t *size)
{
    *size = text_utf8_length(at, left);
    if (*size == 0)
        return "malformed UTF-8";
    if (*at == '\0')
        return "a zero byte";
    if (*at == '\r')
        return "a carriage return (lines end in LF alone)";
    return NULL;
}

const char *text_unescape(struct ix_out *out, struct ix_span raw, enum text_kind kind)
{
    const char *at = raw.text, *end = raw.text + raw.len, *plain = at;
    if (kind == TEXT_FIELD && raw.len == 0)
        return "an empty field (it is written \\e)";
    if (kind == TEXT_FIELD && raw.len == 2 && memcmp(at, "\\e", 2) == 0)
        plain = at = end;
    while (at < end) {
        size_t size;
        const char *wrong = flaw(at, (size_t)(end - at), &size);
        if (wrong)
            return wrong;
        if (*at != '\\') {
            at += size;
            continue;
        }
        char c = at + 1 < end ? escaped_character(at[1], kind) : 0;
        if (!c)
            return "an unknown escape";
        ix_put_bytes(out, plain, (size_t)(at - plain));
        ix_put_bytes(out, &c, 1);
        plain = at += 2;
    }
    ix_put_bytes(out, plain, (size_t)(end - plain));
    ix_put_u8(out, 0);
    return NULL;
}

static unsigned code_point(const char *at, size_t size)
{
    unsigned lead = (unsigned char)at[0];
    unsigned code = size == 1 ? lead : lead & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((unsigned char)at[i] & 0x3f);
    return code;
}

static bool turns_direction(unsigned code)
{
    return code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t text_show(const char *text, size_t len, char shown[TEXT_SHOWN_SIZE])
{
    size_t size = text_utf8_length(text, len);
    if (size == 0) {
        snprintf(shown, TEXT_SHOWN_SIZE, "\\x%02X", (unsigned char)text[0]);
        return 1;
    }
    unsigned code = code_point(text, size);
    if (code < 0x20 || code == 0x7f) {
        snprintf(shown, TEXT_SHOWN_SIZE, "\\x%02X", code);
    } else if ((code >= 0x80 && code < 0xa0) || turns_direction(code)) {
        snprintf(shown, TEXT_SHOWN_SIZE, "\\u%04X", code & 0xffffu);
    } else {
        memcpy(shown, text, size);
        shown[size] = '\0';
    }
    return size;
}

void text_print(FILE *stream, const char *text)
{
    char shown[TEXT_SHOWN_SIZE];
    for (size_t left = strlen(text); left;) {
        size_t size = text_show(text, left, shown);
        fputs(shown, stream);
        text += size;
        left -= size;
    }
}

size_t text_columns(const char *text)
{
    char shown[TEXT_SHOWN_SIZE];
    size_t columns = 0;
    for (size_t left = strlen(text), size; left; text += size, left -= size) {
        size = text_show(text, left, shown);
        columns += (unsigned char)shown[0] < 0x80 ? strlen(shown) : size > 2 ? 2 : 1;
    }
    return columns;
}

const char *text_quote(char quoted[TEXT_QUOTE_SIZE], struct ix_span text)
{
    size_t used = 0, at = 0;
    char shown[TEXT_SHOWN_SIZE];
    while (at < text.len && at < QUOTED_BYTES) {
        at += text_show(text.text + at, text.len - at, shown);
        size_t len = strlen(shown);
        if (used + len + 4 > TEXT_QUOTE_SIZE)
            break;
        memcpy(quoted + used, shown, len);
        used += len;
    }
    snprintf(quoted + used, TEXT_QUOTE_SIZE - used, "%s", at < text.len ? "..." : "");
    return quoted;
}
