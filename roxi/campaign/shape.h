/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the name of a thread into tokens: words, numbers, the text between them, and what never
 * means the same in two runs. A name's shape is its tokens without the values of the numbers; names
 * of one shape differ only in numbers (templates.h).
 *
 * The text between two separators (anything but ASCII letters, digits and bytes from 0x80 on) is
 * one piece: a word, a number, or a word and the number at its end, as in T0. A piece with digits
 * elsewhere, as in x8d2k, is a word. Tokens of any value are: UUIDs, IP addresses with their ports,
 * 0x..., hexadecimal numbers of 8 digits and more, identity hashes after '@', decimal numbers of 6
 * digits and more, and mixtures of letters and digits that are 16 characters long and look random.
 */
#ifndef ROXI_SHAPE_H
#define ROXI_SHAPE_H

#include <stdbool.h>

#include "schema/base/bytes.h"

/* In a longer name, or one with more tokens, the rest is one token of any value. */
#define ROXI_SHAPE_BYTES 1024
#define ROXI_SHAPE_TOKENS 160

/* In the text of a shape, instead of a token. In names these bytes count as '?'. */
#define ROXI_SHAPE_NUMBER '\1'
#define ROXI_SHAPE_ANY '\2'
#define ROXI_SHAPE_GAP '\3'

enum roxi_token_kind { ROXI_TOKEN_BETWEEN, ROXI_TOKEN_WORD, ROXI_TOKEN_NUMBER, ROXI_TOKEN_ANY };

struct roxi_token {
    enum roxi_token_kind kind;
    uint16_t at, len;
    uint16_t piece; /* counted from 0; of ROXI_TOKEN_BETWEEN: meaningless */
};

struct roxi_shape {
    struct roxi_token tokens[ROXI_SHAPE_TOKENS];
    size_t count, pieces, numbers;
    bool cut; /* the last token stands for the rest */
};

/* True for what words and numbers consist of. */
bool roxi_in_piece(char c);

/* The name is terminated. O(length) up to ROXI_SHAPE_BYTES. */
void roxi_shape_of(const char *name, struct roxi_shape *shape);
/* Appends a token of the name as it appears in the text of a shape. */
void roxi_shape_put(struct ix_out *out, const char *name, struct roxi_token token);
/* Replaces the content of `out` with the text of the shape, not terminated: numbers are
 * ROXI_SHAPE_NUMBER, tokens of any value ROXI_SHAPE_ANY, and the piece `gap`, unless it is
 * ROXI_NO_PIECE, ROXI_SHAPE_GAP. -1: out of memory. */
#define ROXI_NO_PIECE UINT32_MAX
int roxi_shape_text(struct ix_out *out, const char *name, const struct roxi_shape *s, uint32_t gap);

#endif
