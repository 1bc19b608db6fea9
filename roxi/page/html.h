/* SPDX-License-Identifier: Apache-2.0 */
/* Text in a page: whatever comes from logs is escaped. */
#ifndef ROXI_HTML_H
#define ROXI_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/base/text_memory.h"

struct roxi_html {
    FILE *out;
    bool failed; /* memory ran out */
};

/* Writes a text and frees it; NULL: memory had run out. */
void roxi_html_text(struct roxi_html *h, char *text);
/* The same line by line, because escaping shows line ends, too; of more than `most` lines, 0: all,
 * it says how many are left out. */
void roxi_html_lines(struct roxi_html *h, char *text, size_t most);
/* Closes a text that was opened, and writes it. */
void roxi_html_close(struct roxi_html *h, struct ix_text *t);

void roxi_html_name(FILE *out, const char *name);
/* A name as a part of an address. */
void roxi_html_address(FILE *out, const char *name);

#endif
