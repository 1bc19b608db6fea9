/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON to a stream as it is produced. */
#ifndef ROXI_JSON_H
#define ROXI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A quoted string; bytes that are not UTF-8 become U+FFFD. */
void roxi_json_string(FILE *out, const char *text);
/* The same without the quotes, for a string that is written in pieces. */
void roxi_json_text(FILE *out, const char *text);
/* A number that reads back exactly; null for values that JSON cannot express (NAN, infinity). */
void roxi_json_number(FILE *out, double value);

/* Writes objects and lists and places the commas. The caller checks the stream for errors.
 * Initialise with {.out = stream}. */
struct roxi_json {
    FILE *out;
    bool follows;   /* an element precedes the next one */
    bool after_key; /* the next value belongs to a key */
    bool new_line;  /* the next element begins a new line */
    size_t depth;
    char closing[8]; /* brackets that close what is open */
};

/* '{' or '['; at most 8 levels deep. */
void roxi_json_open(struct roxi_json *j, char bracket);
void roxi_json_close(struct roxi_json *j);
/* The next element begins a new line. */
void roxi_json_new_line(struct roxi_json *j);
/* The key of the value that follows; a constant without special characters. */
void roxi_json_key(struct roxi_json *j, const char *key);
/* The stream to which to write the next value: an element of a list, or the value of the last
 * key. */
FILE *roxi_json_value(struct roxi_json *j);

/* A key with its value; `text` NULL writes null. */
void roxi_json_put_string(struct roxi_json *j, const char *key, const char *text);
void roxi_json_put_number(struct roxi_json *j, const char *key, double value);
void roxi_json_put_count(struct roxi_json *j, const char *key, uint64_t value);
void roxi_json_put_bool(struct roxi_json *j, const char *key, bool value);

#endif
