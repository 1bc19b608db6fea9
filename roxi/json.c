#include "roxi/json.h"

#include <math.h>
#include <string.h>

#include "roxi/text_escape.h"

void roxi_json_text(FILE *out, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        size_t len = text_utf8_length(text, left);
        if (len == 0)
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
