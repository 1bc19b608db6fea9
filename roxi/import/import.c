/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/staging.h"
#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/import/index.h"
#include "roxi/import/jfr.h"
#include "roxi/import/snapshots.h"
#include "schema/catalogue/catalogue.h"

struct import {
    struct dump_index index;
    struct roxi_staging staging, texts; /* texts: of recordings */
    struct ix_catalogue *catalogue;
    uint64_t snapshots, torn_threads;
    char *first_torn; /* FILE:LINE of the dump with the first torn thread; owned */
};

/* One JVM, while its log is written. */
struct writing {
    struct import *import;
    const struct dump_jvm *jvm;
    struct dump_log *log;
    struct dump_text_facts *facts;
    int64_t vm; /* its row */
    FILE *in;   /* NULL: no file is open */
    uint32_t source;
    const struct dump_format *format;
};

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

static const char *path_of(const struct writing *w)
{
    return w->import->index.sources->list[w->source].path;
}

/* ---- one dump ---- */

static int open_source(struct writing *w, uint32_t source, struct ix_error *err)
{
    if (w->in && w->source == source)
        return 0;
    if (w->in)
        fclose(w->in);
    w->source = source;
    w->in = dump_source_open(&w->import->index.sources->list[source], err);
    if (!w->in)
        return -1;
    w->format = dump_format_of(w->in);
    return 0;
}

static int note_torn(struct import *im, const struct writing *w, const struct dump_entry *e,
                     uint64_t threads, struct ix_error *err)
{
    im->torn_threads += threads;
    if (threads && !im->first_torn &&
        asprintf(&im->first_torn, "%s:%" PRIu64, path_of(w), e->line) < 0) {
        im->first_torn = NULL;
        return no_memory(err);
    }
    return 0;
}

static int write_dump(struct writing *w, const struct dump_entry *e, struct ix_error *err)
{
    struct import *im = w->import;
    struct dump_written written;
    if (open_source(w, e->source, err) != 0)
        return -1;
    const struct dump_sink sink = dump_log_sink(w->log);
    if (dump_log_begin(w->log, err) != 0 ||
        w->format->body(w->in, path_of(w), e->offset, e->line, w->facts, &sink, err) != 0 ||
        dump_log_end(w->log, e->packet, e->real_ns, &written, err) != 0)
        return ix_fail_in(err, "%s:%" PRIu64, path_of(w), e->line);
    const struct ix_snapshot_row row = {.vm = w->vm,
                                        .packet = (int64_t)e->packet,
                                        .begin_ns = e->real_ns,
                                        .begin_mono_ns = e->real_ns,
                                        .threads = (int64_t)written.threads,
                                        .frames = (int64_t)written.frames,
                                        .missed = (int64_t)written.torn};
    im->snapshots++;
    if (roxi_interrupted())
        return ix_fail(err, "interrupted");
    return note_torn(im, w, e, written.torn, err) == 0
               ? ix_catalogue_add_snapshot(im->catalogue, &row, err)
               : -1;
}

/* ---- one JVM ---- */

static int write_meta(const struct writing *w, struct ix_error *err)
{
    const struct dump_index *x = &w->import->index;
    char pid[24] = "";
    if (w->jvm->pid)
        snprintf(pid, sizeof pid, "%" PRIu64, w->jvm->pid);
    const char *const pairs[][2] = {
        {"role", w->jvm->role},
        {"execution", x->runs[w->jvm->run].name},
        {"pid", pid},
        {"jvm", w->jvm->jvm},
        {"facts", "locks"},
        {"imported-from", x->sources->list[x->entries[w->jvm->first].source].path},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (dump_log_meta(w->log, pairs[i][0], pairs[i][1], err) != 0)
            return -1;
    return 0;
}

static int add_row(struct writing *w, int64_t execution, const char *path, struct ix_error *err)
{
    const struct ix_vm vm = {
        .execution = execution,
        .role = w->jvm->role,
        .host = "unknown",
        .jvm = w->jvm->jvm,
        .pid = (int64_t)w->jvm->pid,
        .log = path,
        .ended = "imported",
    };
    return ix_catalogue_add_vm(w->import->catalogue, &vm, &w->vm, err);
}

static int write_dumps(struct writing *w, int64_t execution, const char *path, struct ix_error *err)
{
    const struct dump_index *x = &w->import->index;
    w->facts = dump_text_facts_new();
    w->log = w->facts ? dump_log_new(path, err) : NULL;
    if (!w->facts)
        return no_memory(err);
    int result = w->log ? write_meta(w, err) : -1;
    if (result == 0)
        result = add_row(w, execution, path, err);
    for (size_t i = 0; result == 0 && i < w->jvm->count; i++)
        result = write_dump(w, &x->entries[w->jvm->first + i], err);
    if (result == 0) {
        result = dump_log_close(w->log, err);
        w->log = NULL;
    }
    return result;
}

static int write_jvm(struct import *im, const struct dump_jvm *jvm, int64_t execution,
                     struct ix_error *err)
{
    const struct dump_run *run = &im->index.runs[jvm->run];
    struct writing w = {.import = im, .jvm = jvm};
    char *path;
    if (!text_plain((struct ix_span){jvm->role, strlen(jvm->role)}))
        return ix_fail(err, "run %s: a role is not UTF-8, or has control characters", run->name);
    if (asprintf(&path, "%s/runs/%s/%zu" IX_LOG_SUFFIX, im->staging.path, run->name,
                 (size_t)(jvm - im->index.jvms)) < 0)
        return no_memory(err);
    const int result = write_dumps(&w, execution, path, err);
    if (w.in)
        fclose(w.in);
    dump_text_facts_free(w.facts);
    if (result != 0)
        dump_log_close(w.log, NULL);
    free(path);
    return result;
}

/* ---- the campaign ---- */

static int write_run(struct import *im, uint32_t run, struct ix_error *err)
{
    const struct dump_index *x = &im->index;
    int64_t id;
    if (ix_catalogue_add_execution(im->catalogue, x->runs[run].name, NULL, 0, &id, err) != 0)
        return -1;
    for (uint32_t i = x->runs[run].first_jvm; i != UINT32_MAX; i = x->jvms[i].next)
        if (write_jvm(im, &x->jvms[i], id, err) != 0)
            return -1;
    return 0;
}

static int write_all(struct import *im, struct ix_error *err)
{
    im->catalogue = ix_catalogue_open(im->staging.path, IX_CATALOGUE_CREATE, err);
    int result = im->catalogue ? ix_catalogue_begin(im->catalogue, err) : -1;
    for (uint32_t i = 0; result == 0 && i < im->index.run_count; i++)
        result = write_run(im, i, err);
    if (result == 0)
        result = ix_catalogue_commit(im->catalogue, err);
    else if (im->catalogue)
        ix_catalogue_rollback(im->catalogue);
    ix_catalogue_close(im->catalogue);
    return result;
}

/* ---- what is said ---- */

static void say_packets(const struct dump_index *x)
{
    size_t by_order = 0, by_time = 0;
    int64_t shortest = 0, longest = 0;
    for (size_t i = 0; i < x->run_count; i++) {
        const struct dump_run *run = &x->runs[i];
        by_order += run->by_order;
        if (run->by_order || !run->interval_ns)
            continue;
        if (!by_time++ || run->interval_ns < shortest)
            shortest = run->interval_ns;
        if (run->interval_ns > longest)
            longest = run->interval_ns;
    }
    if (by_time)
        roxi_warn("dumps of a run's JVMs are one packet within half of the usual time between two "
                  "dumps of a JVM, which is %.3g to %.3g s",
                  (double)shortest / 1e9, (double)longest / 1e9);
    if (by_order)
        roxi_warn("in %zu runs there are dumps without a date: the first dump of each JVM is "
                  "packet 1, and so on",
                  by_order);
}

static void say_left_out(const struct import *im)
{
    const struct dump_index *x = &im->index;
    if (x->empty)
        roxi_warn("%zu of %zu files have no thread dump, the first of them %s", x->empty,
                  x->sources->count, x->first_empty);
    if (x->torn)
        roxi_warn("%zu of %zu dumps are torn and left out, the first of them at %s", x->torn,
                  x->count + x->torn, x->first_torn);
    if (im->torn_threads)
        roxi_warn("%" PRIu64 " threads are left out because lines of them are damaged or they are "
                  "listed twice, the first in the dump at %s",
                  im->torn_threads, im->first_torn);
}

/* ---- the whole ---- */

/* Why the file may have none; "": not known. */
static const char *wrong_form(const char *path)
{
    char begin[3] = "";
    FILE *in = path ? fopen(path, "re") : NULL;
    const size_t len = in ? fread(begin, 1, 2, in) : 0;
    if (in)
        fclose(in);
    if (len < 2)
        return "";
    if (strcmp(begin, "\xFF\xFE") == 0 || strcmp(begin, "\xFE\xFF") == 0)
        return ", which is UTF-16 (iconv -f UTF-16 -t UTF-8 makes it readable)";
    return strcmp(begin, "\x1F\x8B") == 0 || strcmp(begin, "PK") == 0
               ? ", which is compressed (unpack it first)"
               : "";
}

static int check_found(const struct dump_index *x, struct ix_error *err)
{
    if (x->count)
        return 0;
    if (x->torn)
        return ix_fail(err, "no thread dump is whole; the first torn one is at %s", x->first_torn);
    return ix_fail(err,
                   "there is no thread dump in the %zu files, such as %s%s; expected what jstack, "
                   "jcmd or kill -3 print",
                   x->sources->count, x->first_empty, wrong_form(x->first_empty));
}

static int print_recording(struct import *im, struct dump_source *s, size_t number,
                           struct ix_error *err)
{
    if (asprintf(&s->text, "%s/%zu", im->texts.path, number) < 0) {
        s->text = NULL;
        return no_memory(err);
    }
    FILE *out = fopen(s->text, "wxe");
    if (!out)
        return ix_fail(err, "cannot write '%s': %s", s->text, strerror(errno));
    const int result = dump_jfr_print(s->path, out, err);
    const bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return ix_fail(err, "cannot write '%s', the text of '%s'; is the disk full?", s->text,
                       s->path);
    return result;
}

/* Prints the recordings among the files as text, into a directory beside the campaign. */
static int print_recordings(struct import *im, struct dump_sources *sources, const char *target,
                            struct ix_error *err)
{
    int result = 0;
    for (size_t i = 0; i < sources->count && result == 0; i++) {
        const int is_recording = dump_is_jfr(sources->list[i].path, err);
        if (is_recording < 0)
            result = -1;
        else if (is_recording && !im->texts.path)
            result = roxi_staging_make(&im->texts, target, err);
        if (result == 0 && is_recording)
            result = print_recording(im, &sources->list[i], i, err);
    }
    return result;
}

static int run(struct import *im, const char *target, struct ix_error *err)
{
    if (check_found(&im->index, err) != 0 || dump_index_number(&im->index, err) != 0 ||
        roxi_staging_make(&im->staging, target, err) != 0 || write_all(im, err) != 0)
        return -1;
    return roxi_staging_place(&im->staging, err);
}

int dump_import(const char *const *args, size_t count, const char *target,
                struct dump_imported *imported, struct ix_error *err)
{
    struct import im = {0};
    struct dump_sources sources = {0};
    struct stat st;
    if (lstat(target, &st) == 0)
        return ix_fail(err, "'%s' exists; -o takes the name of a new directory", target);
    roxi_interrupt_catch();
    int result = dump_sources_find(&sources, args, count, err);
    if (result == 0)
        result = print_recordings(&im, &sources, target, err);
    if (result == 0)
        result = dump_index_make(&im.index, &sources, err);
    if (result == 0)
        result = run(&im, target, err);
    roxi_interrupt_release();
    roxi_staging_abandon(&im.texts);
    if (result == 0) {
        roxi_staging_keep(&im.staging);
        say_packets(&im.index);
        say_left_out(&im);
        *imported = (struct dump_imported){im.index.run_count, im.index.jvm_count, im.snapshots};
    } else {
        roxi_staging_abandon(&im.staging);
    }
    dump_index_free(&im.index);
    dump_sources_free(&sources);
    free(im.first_torn);
    return result;
}
