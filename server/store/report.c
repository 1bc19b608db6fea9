/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/report.h"

#include <stdio.h>
#include <string.h>

#include "server/base/json.h"
#include "server/store/endings.h"

/* JSON must be UTF-8. */
json_t *ixor_report_text(const char *value)
{
    if (!value)
        return json_null();
    json_t *valid = json_string(value);
    if (valid)
        return valid;
    size_t len = strlen(value);
    char *clean = strdup(value);
    for (size_t i = 0; clean && i < len; i++) {
        if ((unsigned char)clean[i] >= 0x80)
            clean[i] = '?';
    }
    json_t *string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

static json_t *time_or_null(int64_t ns)
{
    return ns > 0 ? json_integer(ns) : json_null();
}

static json_t *value_or_null(int64_t value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

/* p50, p99 and maximum as members of `object`; false: out of memory. */
static bool set_values(json_t *object, const char *what, struct ix_values *values)
{
    static const struct {
        const char *name;
        double q;
    } of[] = {{"p50", 0.5}, {"p99", 0.99}, {"max", 1}};
    bool good = true;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s_ns", what, of[i].name);
        json_t *value = value_or_null(ix_values_percentile(values, of[i].q));
        good = json_object_set_new(object, name, value) == 0 && good;
    }
    return good;
}

json_t *ixor_report_figures(struct ix_figures *f)
{
    json_t *figures = IXOR_JSON_OBJECT(
        {"vms", json_integer((json_int_t)f->vms)},
        {"packets", json_integer((json_int_t)f->packets)},
        {"requests", json_integer((json_int_t)f->requests)},
        {"taken", json_integer((json_int_t)f->taken)}, {"lost", json_integer((json_int_t)f->lost)},
        {"late", json_integer((json_int_t)f->late)},
        {"lead_ns", f->packets ? json_integer(f->lead_ns) : json_null()});
    if (figures && set_values(figures, "stop", &f->stops) &&
        set_values(figures, "skew", &f->skews) &&
        set_values(figures, "skew_error", &f->skew_errors))
        return figures;
    json_decref(figures);
    return NULL;
}

json_t *ixor_report_execution(const struct ix_execution *e, struct ix_figures *f)
{
    json_t *head = IXOR_JSON_OBJECT(
        {"name", ixor_report_text(e->name)}, {"verdict", json_string(ix_verdict_name(e->verdict))},
        {"verdict_by", ixor_report_text(e->verdict_by)}, {"command", ixor_report_text(e->command)},
        {"begin_ns", time_or_null(e->begin_ns)}, {"end_ns", time_or_null(e->end_ns)},
        {"exit_status", value_or_null(e->exit_status)},
        {"exit_signal", e->exit_signal ? json_integer(e->exit_signal) : json_null()},
        {"disturbed", ixor_report_text(e->disturbed)});
    json_t *figures = ixor_report_figures(f);
    if (!head || !figures || json_object_update(head, figures) != 0) {
        json_decref(head);
        head = NULL;
    }
    json_decref(figures);
    return head;
}

/* How it ended, and where its log is. */
static json_t *report_end(const struct ix_vm *vm, int64_t last_packet)
{
    char words[IXOR_ENDING_TEXT];
    ixor_ending_words(vm, last_packet, words, sizeof words);
    return IXOR_JSON_OBJECT(
        {"ended", ixor_report_text(vm->ended)}, {"ended_ns", time_or_null(vm->ended_ns)},
        {"ended_text", ixor_report_text(vm->ended_text)}, {"ended_words", ixor_report_text(words)},
        {"last_packet", time_or_null(last_packet)}, {"log_there", ixor_report_text(vm->log_there)},
        {"log_state", ixor_report_text(vm->log_state)},
        {"log_copy", ixor_report_text(vm->log_copy)},
        {"log_whole", vm->log_whole < 0 ? json_null() : json_boolean(vm->log_whole)});
}

json_t *ixor_report_vm(const struct ix_vm *vm, uint64_t taken, int64_t last_packet,
                       struct ix_values *stops)
{
    uint64_t requests = (uint64_t)vm->requests;
    json_t *end = report_end(vm, last_packet);
    json_t *all = IXOR_JSON_OBJECT(
        {"role", ixor_report_text(vm->role)}, {"host", ixor_report_text(vm->host)},
        {"pid", json_integer((json_int_t)vm->pid)}, {"jvm", ixor_report_text(vm->jvm)},
        {"log", ixor_report_text(vm->log)},
        {"clock_offset_ns", json_integer((json_int_t)vm->clock_offset_ns)},
        {"clock_error_ns", value_or_null(vm->clock_error_ns)},
        {"clock_drift_ppb",
         vm->clock_error_ns < 0 ? json_null() : json_integer(vm->clock_drift_ppb)},
        {"late", json_integer((json_int_t)vm->late)},
        {"requests", json_integer((json_int_t)vm->requests)},
        {"taken", json_integer((json_int_t)taken)},
        {"lost", json_integer((json_int_t)(requests > taken ? requests - taken : 0))},
        {"stale", json_integer((json_int_t)vm->stale)},
        {"superseded", json_integer((json_int_t)vm->superseded)},
        {"foreign", json_integer((json_int_t)vm->foreign_count)},
        {"stop_p50_ns", value_or_null(ix_values_percentile(stops, 0.5))},
        {"stop_p99_ns", value_or_null(ix_values_percentile(stops, 0.99))},
        {"started_ns", time_or_null(vm->started_ns)});
    if (!all || !end || json_object_update(all, end) != 0) {
        json_decref(all);
        all = NULL;
    }
    json_decref(end);
    return all;
}

int ixor_report_print(json_t *root, struct ix_error *err)
{
    int bad = !root || json_dumpf(root, stdout, JSON_INDENT(2)) != 0 || putchar('\n') == EOF;
    int out_of_memory = !root;
    json_decref(root);
    if (out_of_memory)
        return ix_fail(err, "out of memory");
    return bad ? ix_fail(err, "cannot write standard output") : 0;
}
