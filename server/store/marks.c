/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schema/protocol/control.h"
#include "server/base/units.h"
#include "server/store/report.h"

struct listing {
    const struct ixor_execution_list *executions;
    bool headed;
    size_t pauses;
    json_t *array;
};

static const char *name_of(const struct listing *l, int64_t execution)
{
    for (size_t i = 0; i < l->executions->count; i++) {
        if (l->executions->at[i].id == execution)
            return l->executions->at[i].name;
    }
    return NULL;
}

static int print_one(void *user, const struct ix_mark *mark)
{
    struct listing *l = user;
    if (strncmp(mark->text, IXOR_PAUSE_MARK, strlen(IXOR_PAUSE_MARK)) == 0) {
        l->pauses++;
        return 0;
    }
    const char *given = name_of(l, mark->execution);
    char name[1024], text[IX_CONTROL_TEXT_MAX + 1];
    ixor_safe_text(given ? given : "-", name, sizeof name);
    ixor_safe_text(mark->text, text, sizeof text);
    if (!l->headed)
        printf("\n%-14s %10s  MARK\n", "RUN", "PACKET");
    l->headed = true;
    printf("%-14s %10" PRId64 "  %s\n", name, mark->packet, text);
    return 0;
}

int ixor_marks_print(struct ix_catalogue *c, const struct ixor_execution_list *executions,
                     struct ix_error *err)
{
    struct listing l = {.executions = executions};
    if (ix_catalogue_marks(c, print_one, &l, err) != 0)
        return -1;
    if (l.pauses)
        printf("%s%zu pause%s of JVMs; --json lists them\n", l.headed ? "" : "\n", l.pauses,
               l.pauses == 1 ? "" : "s");
    return 0;
}

static int add_one(void *user, const struct ix_mark *mark)
{
    struct listing *l = user;
    return json_array_append_new(l->array, json_pack("{so sI sI so}", "execution",
                                                     ixor_report_text(name_of(l, mark->execution)),
                                                     "packet", (json_int_t)mark->packet, "at_ns",
                                                     (json_int_t)mark->at_ns, "text",
                                                     ixor_report_text(mark->text)));
}

json_t *ixor_marks_json(struct ix_catalogue *c, const struct ixor_execution_list *executions,
                        struct ix_error *err)
{
    struct listing l = {.executions = executions, .array = json_array()};
    struct ix_error why = {"out of memory"};
    if (l.array && ix_catalogue_marks(c, add_one, &l, &why) == 0)
        return l.array;
    json_decref(l.array);
    if (err)
        *err = why;
    return NULL;
}
