/* SPDX-License-Identifier: Apache-2.0 */
/* ixor status: a campaign's runs, or one run's JVMs, as a table or JSON. Reads only the catalogue,
 * so it works while a server writes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/terminal.h"
#include "schema/protocol/protocol.h"
#include "server/base/command.h"
#include "server/base/json.h"
#include "server/base/units.h"
#include "server/commands/common_options.h"
#include "server/commands/status_compare.h"
#include "server/commands/summary.h"
#include "server/store/endings.h"
#include "schema/catalogue/figures.h"
#include "schema/catalogue/lock.h"
#include "schema/catalogue/suggest.h"
#include "server/store/listing.h"
#include "server/store/marks.h"
#include "server/store/rates.h"
#include "server/store/report.h"

static const char about[] =
    "Shows the runs of the campaign DIR, even while it is being recorded. With a\n"
    "second campaign, DIR-B, says whether its runs fail more or less often than those\n"
    "of DIR.";

static const char after[] =
    "PACKETS counts those sent, each to all JVMs of the run at one instant; TAKEN\n"
    "counts the snapshots that JVMs reported, LOST% those that were asked for and not\n"
    "taken. STOP is how long a JVM's threads stood still, SKEW the time from the\n"
    "first JVM's stop to the last one's in the same packet; both as 50th/99th\n"
    "percentile. Below the table: the skew of all runs and its largest possible error\n"
    "(clocks of other hosts are known within a bound); stops that were late; how far\n"
    "ahead the last packet was sent; how often runs fail, by how they were disturbed;\n"
    "the marks of 'ixor mark'.\n"
    "\n"
    "Below each JVM: how it ended, and where its log is if it is not in the campaign.";

/* Longer names get a line of their own, so that the columns stay aligned. */
#define NAME_WIDTH 14

static void print_name(const char *name)
{
    char clean[1024];
    ixor_safe_text(name, clean, sizeof clean);
    if (strlen(clean) > NAME_WIDTH)
        printf("%s\n%-*s", clean, NAME_WIDTH, "");
    else
        printf("%-*s", NAME_WIDTH, clean);
}

static void print_pair(struct ix_values *values, const char *end)
{
    char p50[IXOR_UNIT_TEXT], p99[IXOR_UNIT_TEXT], both[2 * IXOR_UNIT_TEXT + 1];
    ixor_duration_text(ix_values_percentile(values, 0.5), p50);
    ixor_duration_text(ix_values_percentile(values, 0.99), p99);
    if (values->count)
        snprintf(both, sizeof both, "%s/%s", p50, p99);
    else
        snprintf(both, sizeof both, "-");
    printf(" %13s%s", both, end);
}

/* ---- executions ---- */

/* `written`: somebody records into the campaign now. */
static void print_execution(const struct ix_execution *e, struct ix_figures *f, bool written)
{
    char lost[IXOR_UNIT_TEXT];
    const bool running = written && f->running && !e->end_ns;
    ixor_percent_text(f->lost, f->requests, lost);
    print_name(e->name);
    printf(" %-7s %4" PRIu64 " %7" PRIu64 " %8" PRIu64 " %5s",
           running ? "running" : ix_verdict_name(e->verdict), f->vms, f->packets, f->taken, lost);
    print_pair(&f->stops, "");
    print_pair(&f->skews, "\n");
}

static int print_rates(const struct ixor_execution_list *list, struct ix_error *err)
{
    struct ixor_rates rates;
    if (ixor_rates_count(&rates, list->at, list->count, err) != 0)
        return -1;
    ixor_rates_print(stdout, &rates);
    ixor_rates_free(&rates);
    return 0;
}

/* Takes over `executions`. */
static int print_executions_json(struct ix_catalogue *c, const struct ixor_execution_list *list,
                                 json_t *executions, struct ix_error *err)
{
    struct ixor_rates rates = {0};
    if (json_array_size(executions) != list->count) { /* memory ran out */
        json_decref(executions);
        executions = NULL;
    }
    json_t *marks = ixor_marks_json(c, list, err);
    if (!marks || ixor_rates_count(&rates, list->at, list->count, err) != 0) {
        json_decref(executions);
        json_decref(marks);
        return -1;
    }
    json_t *root = IXOR_JSON_OBJECT({"campaign", ixor_report_text(ix_catalogue_dir(c))},
                                    {"failure_rates", ixor_rates_json(&rates)},
                                    {"executions", executions}, {"marks", marks});
    ixor_rates_free(&rates);
    return ixor_report_print(root, err);
}

static int show_executions(struct ix_catalogue *c, const struct ixor_execution_list *list,
                           bool json, struct ix_error *err)
{
    json_t *array = json ? json_array() : NULL;
    if (!json)
        printf("%-*s %-7s %4s %7s %8s %5s %13s %13s\n", NAME_WIDTH, "RUN", "VERDICT", "JVMS",
               "PACKETS", "TAKEN", "LOST%", "STOP p50/p99", "SKEW p50/p99");
    const bool written = ix_lock_is_held(ix_catalogue_dir(c));
    struct ix_figures sum = {0};
    for (size_t i = 0; i < list->count; i++) {
        struct ix_figures f = {0};
        int bad = ix_figures_add_execution(&f, c, list->at[i].id, err);
        if (!bad && !json)
            bad = ix_figures_merge(&sum, &f, err);
        if (!bad && json)
            json_array_append_new(array, ixor_report_execution(&list->at[i], &f));
        else if (!bad)
            print_execution(&list->at[i], &f, written);
        ix_figures_free(&f);
        if (bad) {
            ix_figures_free(&sum);
            json_decref(array);
            return -1;
        }
    }
    if (!json)
        ixor_summary_print_instant(&sum);
    ix_figures_free(&sum);
    if (json)
        return print_executions_json(c, list, array, err);
    if (print_rates(list, err) != 0)
        return -1;
    return ixor_marks_print(c, list, err);
}

/* ---- the JVMs of one execution ---- */

struct vm_stops {
    int64_t vm;
    int64_t last; /* last packet that it took; 0 none */
    struct ix_values stops;
};
struct all_stops {
    struct vm_stops *at; /* by JVM */
    size_t count;
};

static int by_vm(const void *a, const void *b)
{
    const struct vm_stops *x = a, *y = b;
    return (x->vm > y->vm) - (x->vm < y->vm);
}

static struct vm_stops *stops_of(const struct all_stops *all, int64_t vm)
{
    struct vm_stops key = {.vm = vm};
    return all->count ? bsearch(&key, all->at, all->count, sizeof key, by_vm) : NULL;
}

static int each_snapshot(void *user, const struct ix_snapshot_row *row)
{
    struct vm_stops *of = stops_of(user, row->vm);
    if (of) {
        of->last = row->packet; /* rows are in order */
        ix_values_add(&of->stops, row->stop_ns);
    }
    return 0;
}

/* The caller frees all->at with free_stops in either case. */
static int read_stops(struct all_stops *all, struct ix_catalogue *c, int64_t execution,
                      const struct ixor_vm_list *vms, struct ix_error *err)
{
    *all = (struct all_stops){.at = calloc(vms->count + 1, sizeof *all->at)};
    if (!all->at)
        return ix_fail(err, "out of memory");
    for (; all->count < vms->count; all->count++)
        all->at[all->count].vm = vms->at[all->count].id;
    qsort(all->at, all->count, sizeof *all->at, by_vm);
    return ix_catalogue_snapshots(c, execution, each_snapshot, all, err);
}

static void free_stops(struct all_stops *all)
{
    for (size_t i = 0; i < all->count; i++)
        ix_values_free(&all->at[i].stops);
    free(all->at);
}

/* Prints the clock of a JVM whose clock is not the server's, or that had late stops. */
static void print_clock(const struct ix_vm *vm)
{
    char offset[IXOR_UNIT_TEXT], error[IXOR_UNIT_TEXT];
    if (vm->clock_error_ns > 0) {
        ixor_duration_text(llabs(vm->clock_offset_ns), offset);
        ixor_duration_text(vm->clock_error_ns, error);
        printf("    clock %s %s (+-%s), drift %.1f ppm\n", offset,
               vm->clock_offset_ns > 0 ? "behind" : "ahead", error,
               -(double)vm->clock_drift_ppb / 1000);
    }
    if (vm->late > 0)
        printf("    %" PRId64 " stop%s late\n", vm->late, vm->late == 1 ? "" : "s");
}

/* Prints one line, truncated; the complete text is in the JSON. */
static void print_line(const char *text, const char *more)
{
    char line[IX_SCREEN_COLUMNS + 1];
    const size_t columns = ix_screen_columns(STDOUT_FILENO);
    int len = snprintf(line, columns + 1, "    %s%s%s", text, more[0] ? "; " : "", more);
    if ((size_t)len > columns)
        memcpy(line + columns - 3, "...", 3);
    puts(line);
}

static void print_vm(const struct ix_vm *vm, struct vm_stops *of)
{
    char lost[IXOR_UNIT_TEXT], jvm[IX_JVM_MAX + 1];
    static char text[IX_PATH_MAX + 512];
    uint64_t requests = (uint64_t)vm->requests;
    struct ix_values *stops = &of->stops;
    ixor_percent_text(requests > stops->count ? requests - stops->count : 0, requests, lost);
    print_name(vm->role);
    printf(" %8" PRId64 " %6" PRId64 " %6zu %5s %6" PRId64 " %6" PRId64, vm->pid, vm->requests,
           stops->count, lost, vm->stale, vm->superseded);
    print_pair(stops, "\n");
    ixor_safe_text(vm->jvm, jvm, sizeof jvm);
    ixor_ending_words(vm, of->last, text, sizeof text);
    print_line(text, jvm);
    if (ixor_log_words(vm, text, sizeof text))
        print_line(text, "");
    print_clock(vm);
}

static void print_vms(const struct ixor_vm_list *vms, const struct all_stops *all)
{
    printf("%-*s %8s %6s %6s %5s %6s %6s %13s\n", NAME_WIDTH, "ROLE", "PID", "SENT", "TAKEN",
           "LOST%", "STALE", "SUPER", "STOP p50/p99");
    for (size_t i = 0; i < vms->count; i++)
        print_vm(&vms->at[i], stops_of(all, vms->at[i].id));
}

static json_t *vms_json(const struct ixor_vm_list *vms, const struct all_stops *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < vms->count; i++) {
        struct vm_stops *of = stops_of(all, vms->at[i].id);
        json_array_append_new(array,
                              ixor_report_vm(&vms->at[i], of->stops.count, of->last, &of->stops));
    }
    if (json_array_size(array) == vms->count)
        return array;
    json_decref(array); /* memory ran out */
    return NULL;
}

static int print_vms_json(struct ix_catalogue *c, const struct ix_execution *e,
                          const struct ixor_vm_list *vms, const struct all_stops *all,
                          struct ix_error *err)
{
    struct ix_figures f = {0};
    int bad = ix_figures_add_execution(&f, c, e->id, err);
    json_t *root = bad ? NULL : ixor_report_execution(e, &f);
    ix_figures_free(&f);
    if (bad)
        return -1;
    json_t *array = vms_json(vms, all);
    if (!root || !array || json_object_set_new(root, "virtual_machines", array) != 0) {
        json_decref(root);
        root = NULL;
    }
    return ixor_report_print(root, err);
}

static int show_vms(struct ix_catalogue *c, const struct ix_execution *e, bool json,
                    struct ix_error *err)
{
    struct ixor_vm_list vms = {0};
    struct all_stops all = {0};
    int bad = ixor_list_vms(&vms, c, e->id, err);
    if (!bad)
        bad = read_stops(&all, c, e->id, &vms, err);
    if (!bad && json)
        bad = print_vms_json(c, e, &vms, &all, err);
    else if (!bad)
        print_vms(&vms, &all);
    free_stops(&all);
    ixor_vm_list_free(&vms);
    return bad;
}

static int show(const char *dir, const char *execution, bool json, struct ix_error *err)
{
    struct ix_catalogue *c = ix_catalogue_open(dir, IX_CATALOGUE_READ, err);
    if (!c)
        return -1;
    struct ixor_execution_list list = {0};
    int bad = ixor_list_executions(&list, c, err);
    size_t found = 0;
    while (execution && found < list.count && strcmp(list.at[found].name, execution) != 0)
        found++;
    if (!bad && !execution)
        bad = show_executions(c, &list, json, err);
    else if (!bad && found == list.count)
        bad = ix_catalogue_fail_unknown(c, execution, err);
    else if (!bad)
        bad = show_vms(c, &list.at[found], json, err);
    ixor_execution_list_free(&list);
    ix_catalogue_close(c);
    return bad;
}

struct options {
    const char *execution;
    struct ixor_json_option json;
};

int ixor_cmd_status(int argc, char **argv, struct ix_error *err)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_TEXT, "execution", .value = "NAME", .help = "show the JVMs of one run instead",
         .offset = offsetof(struct options, execution)},
    };
    struct options o = {0};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(rows, &o), ixor_json_group(&o.json), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "status",
        .args = "DIR [DIR-B]",
        .args_min = 1,
        .args_max = 2,
        .about = about,
        .after = after,
        .groups = groups,
    };
    char **args;
    const int parsed = ixor_parse_options(&line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    if (args[1] && o.execution) {
        ix_fail(err, "--execution shows a run of one campaign: leave out the second one");
        return ixor_wrong_use(&line, err);
    }
    const char *const dirs[] = {args[0], args[1]};
    const int bad = args[1] ? ixor_status_compare(dirs, o.json.wanted, err)
                            : show(args[0], o.execution, o.json.wanted, err);
    return bad ? IXOR_FAILED : IXOR_OK;
}
