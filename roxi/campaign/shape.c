/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/shape.h"

#include <string.h>

#include "schema/base/utf8.h"

enum {
    HEX_MIN = 8,     /* digits of a hexadecimal number that is not a word such as "cafe1" */
    HASH_MIN = 5,    /* Object.hashCode() in hexadecimal is rarely shorter, never longer than */
    HASH_MAX = 8,    /* this */
    DECIMAL_MIN = 6, /* longer than a port */
    RANDOM_MIN = 16, /* characters of a random identifier, */
    CHANGES_MIN = 3, /* and how often it changes between letters and digits */
    IPV6_GROUPS = 8, /* Java abbreviates none */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

bool roxi_in_piece(char c)
{
    return is_digit(c) || is_letter(c);
}

static size_t count_while(const char *text, const char *end, bool (*is)(char))
{
    const char *at = text;
    while (at < end && is(*at))
        at++;
    return (size_t)(at - text);
}

/* ---- what has any value: the length of what is found at `at`, or 0 ---- */

static size_t uuid(const char *at, const char *end)
{
    static const uint8_t groups[] = {8, 4, 4, 4, 12};
    const char *p = at;
    for (size_t i = 0; i < sizeof groups; i++) {
        if (i && (p == end || *p++ != '-'))
            return 0;
        if (count_while(p, end, is_hex) != groups[i])
            return 0;
        p += groups[i];
    }
    return p < end && roxi_in_piece(*p) ? 0 : (size_t)(p - at);
}

static const char *skip_port(const char *p, const char *end)
{
    const size_t digits = p < end && *p == ':' ? count_while(p + 1, end, is_digit) : 0;
    return digits ? p + 1 + digits : p;
}

static size_t ipv4(const char *at, const char *end)
{
    const char *p = at;
    for (int i = 0; i < 4; i++) {
        if (i && (p == end || *p++ != '.'))
            return 0;
        const size_t digits = count_while(p, end, is_digit);
        if (!digits || digits > 3)
            return 0;
        p += digits;
    }
    if (p < end && (roxi_in_piece(*p) || (*p == '.' && p + 1 < end && is_digit(p[1]))))
        return 0;
    return (size_t)(skip_port(p, end) - at);
}

static size_t ipv6(const char *at, const char *end)
{
    const char *p = at;
    for (int i = 0; i < IPV6_GROUPS; i++) {
        if (i && (p == end || *p++ != ':'))
            return 0;
        const size_t digits = count_while(p, end, is_hex);
        if (!digits || digits > 4)
            return 0;
        p += digits;
    }
    if (p < end && *p == '%')
        p += 1 + count_while(p + 1, end, roxi_in_piece);
    return p < end && roxi_in_piece(*p) ? 0 : (size_t)(p - at);
}

static size_t changes(const char *at, size_t len)
{
    size_t n = 0;
    for (size_t i = 1; i < len; i++)
        n += is_digit(at[i]) != is_digit(at[i - 1]);
    return n;
}

/* A whole piece of any value. */
static bool any_piece(const char *at, size_t len, bool behind_at_sign)
{
    const char *end = at + len;
    const size_t digits = count_while(at, end, is_digit), hex = count_while(at, end, is_hex);
    if (digits == len)
        return len >= DECIMAL_MIN;
    if (len > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return count_while(at + 2, end, is_hex) == len - 2;
    if (hex == len && behind_at_sign && len >= HASH_MIN && len <= HASH_MAX)
        return true;
    if (hex == len && len >= HEX_MIN && changes(at, len))
        return true;
    return len >= RANDOM_MIN && changes(at, len) >= CHANGES_MIN;
}

static size_t any_value(const char *name, const char *at, const char *end)
{
    size_t len = uuid(at, end);
    if (!len)
        len = ipv4(at, end);
    if (!len)
        len = ipv6(at, end);
    if (len)
        return len;
    len = count_while(at, end, roxi_in_piece);
    return any_piece(at, len, at > name && at[-1] == '@') ? len : 0;
}

/* ---- tokens ---- */

static void add(struct roxi_shape *s, enum roxi_token_kind kind, size_t at, size_t len)
{
    if (!len)
        return;
    s->numbers += kind == ROXI_TOKEN_NUMBER;
    s->tokens[s->count++] =
        (struct roxi_token){kind, (uint16_t)at, (uint16_t)len, (uint16_t)s->pieces};
}

static void add_piece(struct roxi_shape *s, const char *name, size_t at, size_t len)
{
    size_t word = len;
    while (word && is_digit(name[at + word - 1]))
        word--;
    if (word && changes(name + at, word)) /* digits elsewhere: all of it is a word */
        word = len;
    add(s, ROXI_TOKEN_WORD, at, word);
    add(s, len - word >= DECIMAL_MIN ? ROXI_TOKEN_ANY : ROXI_TOKEN_NUMBER, at + word, len - word);
    s->pieces++;
}

void roxi_shape_of(const char *name, struct roxi_shape *s)
{
    const size_t len = ix_utf8_bounded(name, ROXI_SHAPE_BYTES);
    const char *end = name + len;
    size_t i = 0;
    s->count = s->pieces = s->numbers = 0;
    /* A piece takes two tokens at most, and the rest another one. */
    while (i < len && s->count + 3 <= ROXI_SHAPE_TOKENS) {
        size_t n = 0;
        if (!roxi_in_piece(name[i])) {
            while (i + n < len && !roxi_in_piece(name[i + n]))
                n++;
            add(s, ROXI_TOKEN_BETWEEN, i, n);
        } else if ((n = any_value(name, name + i, end))) {
            add(s, ROXI_TOKEN_ANY, i, n);
            s->pieces++;
        } else {
            n = count_while(name + i, end, roxi_in_piece);
            add_piece(s, name, i, n);
        }
        i += n;
    }
    s->cut = name[i];
    if (s->cut)
        add(s, ROXI_TOKEN_ANY, i, 1);
}

void roxi_shape_put(struct ix_out *out, const char *name, struct roxi_token token)
{
    if (token.kind == ROXI_TOKEN_NUMBER || token.kind == ROXI_TOKEN_ANY) {
        ix_put_u8(out, token.kind == ROXI_TOKEN_NUMBER ? ROXI_SHAPE_NUMBER : ROXI_SHAPE_ANY);
        return;
    }
    for (size_t i = 0; i < token.len; i++) {
        const char c = name[token.at + i];
        ix_put_u8(out, c >= ROXI_SHAPE_NUMBER && c <= ROXI_SHAPE_GAP ? '?' : (uint8_t)c);
    }
}

int roxi_shape_text(struct ix_out *out, const char *name, const struct roxi_shape *s, uint32_t gap)
{
    bool open = false;
    ix_out_clear(out);
    for (size_t i = 0; i < s->count; i++) {
        const struct roxi_token token = s->tokens[i];
        if (token.kind == ROXI_TOKEN_BETWEEN || token.piece != gap)
            roxi_shape_put(out, name, token);
        else if (!open)
            ix_put_u8(out, ROXI_SHAPE_GAP);
        open = token.kind != ROXI_TOKEN_BETWEEN && token.piece == gap;
    }
    return out->failed ? -1 : 0;
}
