/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/text_heads.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/import/date.h"
#include "schema/base/units.h"

struct heads {
    int (*each)(void *user, struct dump_head *head, struct ix_error *err);
    void *user;
    struct dump_head next;  /* what is known of the dump to come */
    struct dump_head found; /* the dump being read, if is_open */
    bool is_open, is_ours;  /* ours: written by roxi */
    bool blank;             /* the line before was */
    uint64_t expected;      /* threads of the dump to come, as roxi says */
    uint64_t left;          /* of the dump being read, if it is ours */
    uint64_t pid_line, date_line;
    struct ix_error *err;
};

/* So many lines of something else may be between the title and what belongs in front of it. */
enum { NEAR = 20 };

bool dump_text_begins(struct ix_span line, const char *words)
{
    const size_t len = strlen(words);
    return line.len >= len && memcmp(line.text, words, len) == 0;
}

bool dump_text_is_end(struct ix_span line)
{
    return dump_text_begins(line, "JNI global ref");
}

bool dump_text_is_origin(struct ix_span line)
{
    return dump_text_begins(line, "execution ") && strstr(line.text, ", process ") &&
           strstr(line.text, ", packet ");
}

static void forget(struct dump_head *head)
{
    free(head->execution);
    free(head->role);
    free(head->jvm);
    *head = (struct dump_head){0};
}

static char *copy(const char *from, const char *to)
{
    return strndup(from, (size_t)(to - from));
}

/* The number behind the last `words` in the line; 0: there is none. *at: where the words begin. */
static uint64_t last_number(struct ix_span line, const char *words, const char **at)
{
    const size_t len = strlen(words);
    uint64_t number = 0;
    for (const char *found = line.text; (found = strstr(found, words)); found++) {
        const size_t digits = strspn(found + len, "0123456789");
        if (ix_parse_number(found + len, digits, &number))
            *at = found;
        else
            number = 0;
    }
    return number;
}

/* "execution E, role R, process P, packet N:". Names of runs and roles may contain commas. */
static int take_origin(struct heads *h, struct ix_span line)
{
    static const char execution[] = "execution ", role[] = ", role ";
    const char *process = NULL, *packet = NULL;
    if (!dump_text_is_origin(line))
        return 0;
    const uint64_t number = last_number(line, ", packet ", &packet);
    const uint64_t pid = last_number(line, ", process ", &process);
    const char *where = strstr(line.text, role);
    if (!packet || !process || !where || process < where || packet < process)
        return 0;
    forget(&h->next);
    h->next.execution = copy(line.text + sizeof execution - 1, where);
    h->next.role = copy(where + sizeof role - 1, process);
    h->next.packet = number;
    h->next.pid = pid;
    return h->next.execution && h->next.role ? 1 : ix_fail(h->err, "out of memory");
}

/* jcmd prints the process before its answer. */
static bool take_pid(struct heads *h, uint64_t number, struct ix_span line)
{
    uint64_t pid;
    if (line.len < 2 || line.text[line.len - 1] != ':' ||
        !ix_parse_number(line.text, line.len - 1, &pid) || pid > INT32_MAX)
        return false;
    h->next.pid = pid;
    h->pid_line = number;
    return true;
}

static bool take_date(struct heads *h, uint64_t number, struct ix_span line)
{
    const int64_t ns =
        line.len <= sizeof "2026-11-22T12:00:00.123456789+01:00" ? dump_date_parse(line) : 0;
    if (ns) {
        h->next.real_ns = ns;
        h->date_line = number;
    }
    return ns != 0;
}

static int finish(struct heads *h, bool torn)
{
    if (!h->is_open)
        return 0;
    struct dump_head found = h->found;
    h->found = (struct dump_head){0};
    h->is_open = false;
    found.torn = h->is_ours ? h->left != 0 || !h->blank : torn;
    return h->each(h->user, &found, h->err);
}

/* What is known of the next dump begins there. */
static void mark(struct heads *h, const struct dump_lines *lines)
{
    if (!h->next.line) {
        h->next.offset = lines->offset;
        h->next.line = lines->number;
    }
}

static int begin(struct heads *h, const struct dump_lines *lines, struct ix_span line)
{
    static const char title[] = DUMP_TEXT_TITLE;
    const char *name = line.text + sizeof title - 1, *end = line.text + line.len;
    while (end > name && (end[-1] == ':' || end[-1] == ' '))
        end--;
    const int result = finish(h, true);
    mark(h, lines);
    h->found = h->next;
    h->next = (struct dump_head){0};
    h->is_open = true;
    h->is_ours = h->found.packet != 0;
    h->left = h->expected;
    if (!h->is_ours && lines->number - h->pid_line > NEAR)
        h->found.pid = 0;
    if (lines->number - h->date_line > NEAR)
        h->found.real_ns = 0;
    h->found.jvm = copy(name, end);
    return h->found.jvm ? result : ix_fail(h->err, "out of memory");
}

static int begin_ours(struct heads *h, const struct dump_lines *lines)
{
    const int result = finish(h, true);
    h->expected = UINT64_MAX;
    mark(h, lines);
    return result;
}

static int take_line(struct heads *h, const struct dump_lines *lines, struct ix_span line)
{
    static const char threads[] = DUMP_TEXT_THREADS;
    uint64_t count;
    if (dump_text_begins(line, DUMP_TEXT_TITLE))
        return begin(h, lines, line);
    if (h->is_open && dump_text_is_end(line))
        return finish(h, false);
    const int origin = take_origin(h, line);
    if (origin)
        return origin > 0 ? begin_ours(h, lines) : -1;
    if (h->next.packet && dump_text_begins(line, threads) &&
        ix_parse_number(line.text + sizeof threads - 1, line.len - (sizeof threads - 1), &count))
        h->expected = count;
    else if (take_pid(h, lines->number, line) || take_date(h, lines->number, line))
        mark(h, lines);
    else if (line.len && *line.text == '"')
        h->left--;
    return 0;
}

int dump_text_heads(struct dump_lines *lines,
                    int (*each)(void *user, struct dump_head *head, struct ix_error *err),
                    void *user, struct ix_error *err)
{
    struct heads h = {.each = each, .user = user, .err = err};
    struct ix_span line;
    int more;
    while ((more = dump_lines_next(lines, &line, err)) > 0) {
        more = take_line(&h, lines, line);
        h.blank = !line.len && lines->whole;
        if (more != 0)
            break;
    }
    const int result = more != 0 ? more : finish(&h, true);
    forget(&h.next);
    forget(&h.found);
    return result;
}
