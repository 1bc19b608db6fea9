/* JSON, written as it comes. */
#ifndef ROXI_JSON_H
#define ROXI_JSON_H

#include <stdio.h>

/* A string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void roxi_json_string(FILE *out, const char *text);
/* The same without the quotes, for a string that is written in pieces. */
void roxi_json_text(FILE *out, const char *text);
/* A number that reads back exactly; null for what JSON has no number for. */
void roxi_json_number(FILE *out, double value);

#endif
