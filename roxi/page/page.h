/* SPDX-License-Identifier: Apache-2.0 */
/* A report as one HTML file that needs nothing else. Its text is complete without scripts; they add
 * time lines, call stacks of all JVMs at one packet, and flame graphs. Whatever comes from logs is
 * escaped. */
#ifndef ROXI_PAGE_H
#define ROXI_PAGE_H

#include "roxi/page/sheet.h"

/* -1 with a message. */
int roxi_page_write(FILE *out, const struct roxi_sheet *s, struct ix_error *err);

#endif
