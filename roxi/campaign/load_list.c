/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/load_list.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Adds the packets of `any` that follow the first chosen one; all if none is. */
static void choose_to_end(struct roxi_load_execution *x, struct roxi_packets *any)
{
    if (x->chosen.count)
        roxi_packets_from(any, x->chosen.runs[0].first);
    roxi_packets_free(&x->chosen);
    x->chosen = *any;
    *any = (struct roxi_packets){0};
}

/* sets: room for all logs. */
static int choose(const struct roxi_load_log *logs, struct roxi_load_execution *x,
                  const struct roxi_packets **sets, uint32_t min_vms, bool to_the_end)
{
    struct roxi_packets any = {0};
    size_t taking_part = 0;
    for (size_t i = 0; i < x->count; i++) {
        sets[i] = &logs[x->first + i].answered;
        taking_part += sets[i]->count > 0;
    }
    const uint64_t enough = min_vms == ROXI_ALL_VMS ? taking_part : min_vms;
    int result = roxi_packets_choose(sets, x->count, 1, &any);
    x->packets = roxi_packets_size(&any);
    if (result == 0 && enough)
        result = roxi_packets_choose(sets, x->count, enough, &x->chosen);
    if (result == 0 && to_the_end)
        choose_to_end(x, &any);
    roxi_packets_free(&any);
    return result;
}

/* *some: there are packets that count. */
static int choose_all(struct roxi_load_list *list, const struct roxi_packets **sets,
                      uint32_t min_vms, bool to_the_end, bool *some)
{
    int result = 0;
    *some = false;
    for (size_t i = 0; i < list->count && result == 0; i++) {
        result = choose(list->logs, &list->executions[i], sets, min_vms, to_the_end);
        *some = *some || list->executions[i].chosen.count;
    }
    return result;
}

int roxi_load_list_choose(struct roxi_load_list *list, const struct roxi_load_options *o)
{
    const struct roxi_packets **sets = calloc(list->log_count + 1, sizeof *sets);
    bool some;
    int result = 0;
    if (!sets)
        return -1;
    if (o->min_vms == ROXI_AUTO_VMS) {
        result = choose_all(list, sets, 2, o->to_the_end, &some);
        if (result == 0 && !some)
            result = choose_all(list, sets, 1, false, &some);
    } else if (o->min_vms != 1) {
        result = choose_all(list, sets, o->min_vms, false, &some);
    }
    for (size_t i = 0; i < list->log_count; i++)
        roxi_packets_free(&list->logs[i].answered);
    free(sets);
    return result;
}

/* What was read. */
static void forget(struct roxi_load_log *log)
{
    free(log->items);
    log->items = NULL;
    log->item_count = 0;
    roxi_use_free(&log->use);
    roxi_traffic_free(&log->traffic);
    roxi_history_free(&log->history);
}

static void leave_out(struct roxi_load_log *logs, size_t count)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        others += !logs[i].only_builds;
    for (size_t i = 0; i < count; i++) {
        logs[i].only_builds = logs[i].only_builds && others;
        if (logs[i].only_builds)
            forget(&logs[i]);
    }
}

void roxi_load_list_leave_out(struct roxi_load_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        leave_out(list->logs + list->executions[i].first, list->executions[i].count);
}

void roxi_load_list_free(struct roxi_load_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->executions[i].name);
        free(list->executions[i].failure);
        roxi_packets_free(&list->executions[i].chosen);
    }
    for (size_t i = 0; i < list->log_count; i++) {
        struct roxi_load_log *log = &list->logs[i];
        free(log->role);
        free(log->path);
        free(log->unreadable);
        free(log->torn);
        forget(log);
        roxi_packets_free(&log->answered);
        ix_intern_free(&log->names);
    }
    free(list->executions);
    free(list->logs);
    *list = (struct roxi_load_list){0};
}

/* ---- histories ---- */

static bool is_asked_for(const struct roxi_load_options *o, const char *run)
{
    for (size_t i = 0; o->histories && o->histories[i]; i++)
        if (strcmp(o->histories[i], run) == 0)
            return true;
    return o->all_histories;
}

/* Logs that cannot be found have no size. */
static uint64_t bytes_of(const struct roxi_load_list *list, const struct roxi_load_execution *run)
{
    uint64_t bytes = 0;
    struct stat st;
    for (size_t i = run->first; i < run->first + run->count; i++)
        if (stat(list->logs[i].path, &st) == 0)
            bytes += (uint64_t)st.st_size;
    return bytes;
}

void roxi_load_list_histories(struct roxi_load_list *list, const struct roxi_load_options *o)
{
    uint64_t usual = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct roxi_load_execution *run = &list->executions[i];
        run->keeps_history = is_asked_for(o, run->name);
        if (!o->usual_histories || !roxi_is_usual_run(i, list->count))
            continue;
        const uint64_t bytes = bytes_of(list, run);
        if (bytes <= ROXI_USUAL_BYTES - usual) {
            usual += bytes;
            run->keeps_history = true;
        }
    }
}
