/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_number.h"
#include "roxi/legacy/lines.h"
#include "schema/base/grow.h"

static const char suffix[] = ".txt";
enum { SUFFIX_SIZE = sizeof suffix - 1 };

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

static int malformed(const struct text_lines *lines, struct ix_span found, const char *expected,
                     struct ix_error *err)
{
    char quoted[TEXT_QUOTE_SIZE];
    return ix_fail(err, "%s:%" PRIu64 ": found '%s', expected %s", text_lines_name(lines),
                   text_lines_number(lines), text_quote(quoted, found), expected);
}

static int cut_line(const struct text_lines *lines, const char *expected, struct ix_error *err)
{
    return ix_fail(err, "%s:%" PRIu64 ": found the end of the file, expected %s and a line feed",
                   text_lines_name(lines), text_lines_number(lines), expected);
}

/* Splits <address>-<process id>.txt. */
static int parse_name(const struct text_lines *lines, struct ix_span line, struct text_vm_file *vm,
                      struct ix_error *err)
{
    static const char expected[] = "<address>-<process id>.txt";
    struct ix_span name = line;
    if (line.len < SUFFIX_SIZE ||
        memcmp(line.text + line.len - SUFFIX_SIZE, suffix, SUFFIX_SIZE) != 0 || !text_plain(line) ||
        memchr(line.text, '/', line.len))
        return malformed(lines, line, expected, err);
    name.len -= SUFFIX_SIZE;
    const char *dash = memrchr(name.text, '-', name.len);
    if (!dash || dash == name.text)
        return malformed(lines, line, expected, err);
    struct ix_span pid = {dash + 1, (size_t)(name.text + name.len - dash - 1)};
    if (!text_decimal(pid, UINT32_MAX, &vm->pid))
        return malformed(lines, line, expected, err);
    vm->name = strndup(name.text, name.len);
    vm->address = strndup(name.text, (size_t)(dash - name.text));
    return vm->name && vm->address ? 0 : no_memory(err);
}

/* Reads the log's path from the first line of the JVM's file. */
static int read_log_path(const char *dir, struct text_vm_file *vm, struct ix_error *err)
{
    static const char expected[] = "the path of a trace log";
    char *path;
    if (asprintf(&path, "%s/%s%s", dir, vm->name, suffix) < 0)
        return no_memory(err);
    struct text_lines *lines = text_lines_open(path, err);
    free(path);
    if (!lines)
        return -1;
    struct ix_span line;
    int rc = text_lines_next(lines, &line, err);
    if (rc == 0)
        rc = cut_line(lines, expected, err);
    else if (rc == 1 && (line.len == 0 || memchr(line.text, '\0', line.len)))
        rc = malformed(lines, line, expected, err);
    if (rc == 1) {
        bool absolute = line.text[0] == '/';
        rc = asprintf(&vm->log, "%s%s%.*s", absolute ? "" : dir, absolute ? "" : "/", (int)line.len,
                      line.text);
        if (rc < 0)
            vm->log = NULL;
    }
    text_lines_close(lines);
    return rc < 0 ? -1 : 0;
}

static int add_vm(const struct text_lines *lines, struct ix_span line, const char *dir,
                  struct text_layout *layout, struct ix_error *err)
{
    struct text_vm_file *vms = ix_grow(layout->vms, &layout->cap, layout->count + 1, sizeof *vms);
    if (!vms)
        return no_memory(err);
    layout->vms = vms;
    struct text_vm_file *vm = &vms[layout->count++];
    *vm = (struct text_vm_file){0};
    if (parse_name(lines, line, vm, err) != 0)
        return -1;
    if (read_log_path(dir, vm, err) != 0)
        return ix_fail_in(err, "%s:%" PRIu64, text_lines_name(lines), text_lines_number(lines));
    return 0;
}

int text_layout_read(const char *dir, struct text_layout *layout, struct ix_error *err)
{
    *layout = (struct text_layout){0};
    char *path;
    if (asprintf(&path, "%s/files.list", dir) < 0)
        return no_memory(err);
    struct text_lines *lines = text_lines_open(path, err);
    free(path);
    if (!lines)
        return -1;
    struct ix_span line;
    int rc;
    while ((rc = text_lines_next(lines, &line, err)) == 1)
        if ((rc = add_vm(lines, line, dir, layout, err)) != 0)
            break;
    if (rc == 0 && text_lines_cut(lines))
        rc = cut_line(lines, "<address>-<process id>.txt", err);
    text_lines_close(lines);
    if (rc != 0)
        text_layout_free(layout);
    return rc;
}

void text_layout_free(struct text_layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        free(layout->vms[i].name);
        free(layout->vms[i].address);
        free(layout->vms[i].log);
    }
    free(layout->vms);
    *layout = (struct text_layout){0};
}
