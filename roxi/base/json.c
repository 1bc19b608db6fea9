/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "roxi/base/text_escape.h"

void roxi_json_text(FILE *out, const char *text)
{
    size_t left = strlen(text);
    char shown[TEXT_SHOWN_SIZE];
    while (left) {
        size_t len = text_utf8_length(text, left);
        if (len > 1 && text_show(text, left, shown) && *shown == '\\')
            fputs(shown, out); /* JSON is also printed on terminals; it reads back unchanged */
        else if (len == 0)
            fputs("\\ufffd", out);
        else if (len == 1 && (*text == '"' || *text == '\\'))
            fprintf(out, "\\%c", *text);
        else if (len == 1 && ((unsigned char)*text < 0x20 || *text == 0x7f))
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fwrite(text, 1, len, out);
        text += len ? len : 1;
        left -= len ? len : 1;
    }
}

void roxi_json_string(FILE *out, const char *text)
{
    putc('"', out);
    roxi_json_text(out, text);
    putc('"', out);
}

void roxi_json_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

/* ---- objects and lists ---- */

/* Writes what separates an element from the previous one. */
static void separate(struct roxi_json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->follows)
        putc(',', j->out);
    if (j->new_line)
        putc('\n', j->out);
    j->new_line = false;
    j->follows = true;
}

void roxi_json_open(struct roxi_json *j, char bracket)
{
    separate(j);
    putc(bracket, j->out);
    j->closing[j->depth++] = bracket == '{' ? '}' : ']';
    j->follows = false;
}

void roxi_json_close(struct roxi_json *j)
{
    putc(j->closing[--j->depth], j->out);
    j->follows = true;
}

void roxi_json_new_line(struct roxi_json *j)
{
    j->new_line = true;
}

void roxi_json_key(struct roxi_json *j, const char *key)
{
    separate(j);
    fprintf(j->out, "\"%s\":", key);
    j->after_key = true;
}

FILE *roxi_json_value(struct roxi_json *j)
{
    separate(j);
    return j->out;
}

void roxi_json_put_string(struct roxi_json *j, const char *key, const char *text)
{
    roxi_json_key(j, key);
    if (text)
        roxi_json_string(roxi_json_value(j), text);
    else
        fputs("null", roxi_json_value(j));
}

void roxi_json_put_number(struct roxi_json *j, const char *key, double value)
{
    roxi_json_key(j, key);
    roxi_json_number(roxi_json_value(j), value);
}

void roxi_json_put_count(struct roxi_json *j, const char *key, uint64_t value)
{
    roxi_json_key(j, key);
    fprintf(roxi_json_value(j), "%" PRIu64, value);
}

void roxi_json_put_bool(struct roxi_json *j, const char *key, bool value)
{
    roxi_json_key(j, key);
    fputs(value ? "true" : "false", roxi_json_value(j));
}
