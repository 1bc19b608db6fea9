/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/formats.h"

#include "roxi/import/json_dumps.h"
#include "roxi/import/text_body.h"
#include "roxi/import/text_heads.h"

static int text_heads(FILE *in, const char *name,
                      int (*each)(void *user, struct dump_head *head, struct ix_error *err),
                      void *user, struct ix_error *err)
{
    struct dump_lines lines;
    int result = dump_lines_open(&lines, in, name, 0, 1, err);
    if (result == 0)
        result = dump_text_heads(&lines, each, user, err);
    dump_lines_close(&lines);
    return result;
}

static int text_body(FILE *in, const char *name, uint64_t offset, uint64_t line,
                     struct dump_text_facts *facts, const struct dump_sink *sink,
                     struct ix_error *err)
{
    struct dump_lines lines;
    int result = dump_lines_open(&lines, in, name, offset, line, err);
    if (result == 0)
        result = dump_text_body(&lines, facts, sink, err);
    dump_lines_close(&lines);
    return result;
}

static const struct dump_format dump_format_text = {text_heads, text_body};

const struct dump_format *dump_format_of(FILE *in)
{
    char begin[4096];
    const size_t len = fread(begin, 1, sizeof begin, in);
    rewind(in);
    return dump_is_json(begin, len) ? &dump_format_json : &dump_format_text;
}
