/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/export_support.h"

const char *const export_names[EXPORT_NAMES] = {"collapsed", "json",   "speedscope",
                                                "pprof",     "jstack", "dot"};

struct exported export_bytes(const char *name, struct export_options options, const void *log,
                             size_t size, struct ix_error *err)
{
    const struct roxi_listed_execution execution = {.name = (char[]){"run 1"}};
    const struct roxi_listed_vm vm = {.role = (char[]){"server"},
                                      .host = (char[]){"h"},
                                      .jvm = (char[]){"OpenJDK 17"},
                                      .log = (char[]){"x.ixl"},
                                      .pid = 77};
    const struct export_format *f = export_format_find(name);
    struct exported result = {0};
    struct export x = {.options = &options, .execution = &execution, .vm = &vm};
    struct ix_log_reader *reader = ix_log_open_memory(log, size, "x.ixl", err);
    options.campaign = "camp";
    options.format = name;
    x.dictionary.keeps = f->keeps | (options.lines ? EXPORT_LINES : 0);
    x.out = open_memstream(&result.data, &result.size);
    x.state = calloc(1, f->state_size);
    if (!x.out || !x.state)
        abort();
    int (*const before[])(struct export *, struct ix_error *) = {f->begin, f->execution_begin,
                                                                 f->vm_begin};
    int (*const after[])(struct export *, struct ix_error *) = {f->vm_end, f->execution_end,
                                                                f->end};
    for (size_t i = 0; i < 3; i++)
        result.status |= before[i] ? before[i](&x, err) : 0;
    if (!reader || export_read_log(&x, f, reader, &result.snapshots, err) != 0)
        result.status = -1;
    for (size_t i = 0; i < 3 && result.status == 0; i++)
        result.status |= after[i] ? after[i](&x, err) : 0;
    if (f->release)
        f->release(x.state);
    free(x.state);
    fclose(x.out);
    export_log_release(&x.log);
    export_dictionary_free(&x.dictionary);
    ix_log_reader_close(reader);
    return result;
}

size_t export_work(const void *log, size_t size, size_t most)
{
    struct ix_error err;
    struct ix_snapshot s;
    size_t frames = 0;
    struct ix_log_reader *r = ix_log_open_memory(log, size, "x.ixl", &err);
    while (r && frames < most && ix_log_next(r, &s, &err) == 1)
        for (size_t i = 0; i < s.count && frames < most; i++, frames++)
            for (uint32_t at = s.entries[i].stack; at > IX_STACK_CUT && frames < most; frames++)
                at = ix_log_stack_parent(r, at);
    ix_log_reader_close(r);
    return frames;
}
