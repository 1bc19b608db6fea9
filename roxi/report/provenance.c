/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/report/provenance.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/campaign/fingerprint.h"
#include "schema/base/text_memory.h"

enum { FORMAT_VERSION = 1 };

/* ---- what is stated ---- */

static void put_option(struct roxi_json *j, const struct roxi_stated *o)
{
    switch (o->kind) {
    case ROXI_STATED_NOT_GIVEN:
        roxi_json_put_string(j, o->name, NULL);
        break;
    case ROXI_STATED_WORD:
        roxi_json_put_string(j, o->name, o->word);
        break;
    case ROXI_STATED_COUNT:
        roxi_json_put_count(j, o->name, o->count);
        break;
    case ROXI_STATED_NUMBER:
        roxi_json_put_number(j, o->name, o->number);
        break;
    case ROXI_STATED_FLAG:
        roxi_json_put_bool(j, o->name, o->flag);
        break;
    }
}

static void put_options(struct roxi_json *j, const struct roxi_origin *origin)
{
    roxi_json_key(j, "options");
    roxi_json_open(j, '{');
    for (size_t i = 0; i < origin->option_count; i++)
        put_option(j, &origin->options[i]);
    roxi_json_close(j);
}

static void put_fingerprint(struct roxi_json *j, uint64_t high, uint64_t low)
{
    char text[33];
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)high,
             (unsigned long long)low);
    roxi_json_put_string(j, "fingerprint", text);
}

/* `each`: also state the fingerprint of every run. -1: out of memory. */
static int put_inputs(struct roxi_json *j, const struct roxi_profiles *p, bool each)
{
    struct roxi_fingerprint *of = roxi_fingerprints(p);
    if (!of)
        return -1;
    const XXH128_hash_t all = XXH3_128bits(of, p->count * sizeof *of);
    roxi_json_key(j, "inputs");
    roxi_json_open(j, '{');
    roxi_json_put_count(j, "executions", p->count);
    put_fingerprint(j, all.high64, all.low64);
    if (each && p->count) {
        roxi_json_new_line(j);
        roxi_json_key(j, "each");
        roxi_json_open(j, '[');
        for (size_t i = 0; i < p->count; i++) {
            roxi_json_new_line(j);
            roxi_json_open(j, '{');
            roxi_json_put_string(j, "name", p->executions[i].name);
            put_fingerprint(j, of[i].high, of[i].low);
            roxi_json_close(j);
        }
        roxi_json_close(j);
    }
    roxi_json_close(j);
    free(of);
    return 0;
}

/* ---- heads ---- */

static void put_format(struct roxi_json *j, const char *name)
{
    char format[64];
    snprintf(format, sizeof format, "roxi-%s", name);
    roxi_json_open(j, '{');
    roxi_json_put_string(j, "format", format);
    roxi_json_put_count(j, "version", FORMAT_VERSION);
    roxi_json_put_string(j, "roxi", IXOR_VERSION);
}

/* The members from the campaign on; `lines`: each member begins a new line. */
static int put_origin(struct roxi_json *j, const struct roxi_origin *origin, bool lines, bool each)
{
    j->new_line = lines;
    roxi_json_put_string(j, "campaign", origin->campaign);
    j->new_line = lines;
    put_options(j, origin);
    j->new_line = lines;
    return put_inputs(j, origin->profiles, each);
}

int roxi_json_begin(struct roxi_json *j, const char *name, const struct roxi_origin *origin,
                    struct ix_error *err)
{
    put_format(j, name);
    return put_origin(j, origin, true, false) == 0 ? 0 : ix_fail(err, "out of memory");
}

void roxi_json_end(struct roxi_json *j)
{
    roxi_json_close(j);
    putc('\n', j->out);
}

char *roxi_provenance_text(const struct roxi_origin *origin)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    struct roxi_json j = {.out = t.out};
    roxi_json_open(&j, '{');
    roxi_json_put_string(&j, "roxi", IXOR_VERSION);
    const bool good = put_origin(&j, origin, false, false) == 0;
    roxi_json_close(&j);
    char *text = ix_text_close(&t);
    if (good)
        return text;
    free(text);
    return NULL;
}

int roxi_provenance_comment(FILE *out, const struct roxi_origin *origin)
{
    char *text = roxi_provenance_text(origin);
    if (!text)
        return -1;
    putc('[', out);
    for (const char *c = text; *c; c++) /* no lists: brackets occur only in strings */
        if (*c == '[' || *c == ']')
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            putc(*c, out);
    putc(']', out);
    free(text);
    return 0;
}

/* ---- output ---- */

int roxi_result_open(struct roxi_result *r, const struct roxi_output_options *o,
                     struct ix_error *err)
{
    *r = (struct roxi_result){0};
    if (o->provenance && roxi_output_open(&r->side, o->provenance, err) != 0)
        return -1;
    if (roxi_output_open(&r->data, o->output, err) == 0)
        return 0;
    roxi_output_abandon(&r->side);
    return -1;
}

static int put_provenance(FILE *out, const char *command, const struct roxi_origin *origin)
{
    struct roxi_json j = {.out = out};
    put_format(&j, "provenance");
    roxi_json_put_string(&j, "command", command);
    if (put_origin(&j, origin, true, true) != 0)
        return -1;
    roxi_json_end(&j);
    return 0;
}

int roxi_result_commit(struct roxi_result *r, const char *command, const struct roxi_origin *origin,
                       struct ix_error *err)
{
    if (r->side.stream) {
        if (put_provenance(r->side.stream, command, origin) != 0)
            return ix_fail(err, "out of memory");
        if (roxi_output_commit(&r->side, err) != 0)
            return -1;
    }
    return roxi_output_commit(&r->data, err);
}

void roxi_result_abandon(struct roxi_result *r)
{
    roxi_output_abandon(&r->data);
    roxi_output_abandon(&r->side);
}
