/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/http_page.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char page_html[] =
#include "viewer_html.h"
    ;
static const char page_css[] =
#include "base_css.h"
#include "viewer_css.h"
    ;
static const char page_js[] =
#include "base_js.h"
#include "viewer_talks_js.h"
#include "viewer_js.h"
    ;

struct ixor_http_page {
    char *text, *policy; /* owned */
    size_t size;
};

/* Room for a SHA-256 in base64. */
#define HASH_TEXT 48

static int hash(const char *text, char base64[HASH_TEXT])
{
    unsigned char digest[32];
    unsigned size = sizeof digest;
    if (EVP_Digest(text, strlen(text), digest, &size, EVP_sha256(), NULL) != 1)
        return -1;
    return EVP_EncodeBlock((unsigned char *)base64, digest, (int)size) > 0 ? 0 : -1;
}

/* Builds the page by inserting style and script before their closing tags. */
static int put_together(struct ixor_http_page *p)
{
    const char *style = strstr(page_html, "</style>");
    const char *script = strstr(page_html, "</script>");
    const int size = style && script && style < script
                         ? asprintf(&p->text, "%.*s%s%.*s%s%s", (int)(style - page_html), page_html,
                                    page_css, (int)(script - style), style, page_js, script)
                         : -1;
    if (size < 0)
        p->text = NULL;
    p->size = size < 0 ? 0 : (size_t)size;
    return size < 0 ? -1 : 0;
}

struct ixor_http_page *ixor_http_page_new(struct ix_error *err)
{
    char style[HASH_TEXT], script[HASH_TEXT];
    struct ixor_http_page *p = calloc(1, sizeof *p);
    if (p && put_together(p) == 0 && hash(page_css, style) == 0 && hash(page_js, script) == 0 &&
        asprintf(&p->policy,
                 "default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "
                 "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                 "frame-ancestors 'none'",
                 style, script) >= 0)
        return p;
    if (p)
        p->policy = NULL;
    ixor_http_page_free(p);
    ix_fail(err, "the viewer's page cannot be put together: out of memory");
    return NULL;
}

void ixor_http_page_free(struct ixor_http_page *p)
{
    if (!p)
        return;
    free(p->text);
    free(p->policy);
    free(p);
}

struct ixor_http_text ixor_http_page_text(const struct ixor_http_page *p)
{
    return (struct ixor_http_text){p->text, p->size};
}

const char *ixor_http_page_policy(const struct ixor_http_page *p)
{
    return p->policy;
}
