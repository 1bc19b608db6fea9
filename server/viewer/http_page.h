/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer's page as one text with embedded style and script (server/viewer/), and the policy
 * that allows a browser to run these and nothing else. */
#ifndef IXOR_HTTP_PAGE_H
#define IXOR_HTTP_PAGE_H

#include <stddef.h>

#include "schema/base/error.h"

struct ixor_http_page;
struct ixor_http_text {
    const char *data;
    size_t size;
};

struct ixor_http_page *ixor_http_page_new(struct ix_error *err); /* NULL on failure */
void ixor_http_page_free(struct ixor_http_page *p);              /* p may be NULL */
struct ixor_http_text ixor_http_page_text(const struct ixor_http_page *p);
/* Content-Security-Policy: style and script by their SHA-256. */
const char *ixor_http_page_policy(const struct ixor_http_page *p);

#endif
