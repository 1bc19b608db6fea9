/* SPDX-License-Identifier: Apache-2.0 */
/* Loading on any number of threads against loading plainly: one log after the other, each read once
 * for its packets and once for its stacks, thread by thread. Dictionaries, profiles, messages and
 * warnings must be the same to the last byte, on random campaigns: threads that come, go and are
 * renamed, gaps, parts, logs that are torn, missing or break the format's rules.
 *
 * IXOR_TEST_SEED=N repeats a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <time.h>

#include "roxi/base/warn.h"
#include "roxi/campaign/load.h"
#include "schema/catalogue/catalogue.h"
#include "tests/support/capture.h"
#include "tests/support/rounds.h"
#include "tests/support/tempdir.h"
#include "tests/support/tracelog_fixture.h"

enum { EXECUTIONS = 7, THREADS = 9, DEPTH = 6, PACKETS = 40 };

static const char rules_text[] = "class |(\\$\\$Lambda).*|\\1|\n"
                                 "skip-thread |^gc|\n"
                                 "skip-frame |^p\\.Glue\\.|\n"
                                 "idle |\\.park$|\n";
static const char *const thread_rules[] = {"thread |-.*||\n",
                                           "thread |^pool$|pool-1|\nlearn-threads\n"};

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_state;

static uint32_t below(uint32_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

/* ---- campaigns ---- */

static uint32_t any_stack(struct ix_log_writer *w)
{
    static const char *const classes[] = {"p.A", "p.B", "p.Glue", "p.C"};
    static const char *const methods[] = {"run", "go", "park"};
    uint32_t stack = below(20) ? IX_STACK_EMPTY : IX_STACK_CUT;
    for (uint32_t depth = below(DEPTH); depth; depth--) {
        char lambda[32];
        snprintf(lambda, sizeof lambda, "p.L$$Lambda$%u", below(5));
        const uint32_t which = below(5);
        const uint32_t c = ix_log_class(w, which < 4 ? classes[which] : lambda, "");
        const uint32_t m = ix_log_method(w, c, methods[below(3)], "()V");
        stack = ix_log_stack(w, stack, ix_log_frame(w, m, (int32_t)below(3)));
    }
    return stack;
}

static void define(struct ix_log_writer *w, uint32_t number)
{
    static const char *const groups[] = {"g", "host 1", "host 2"};
    static const char *const names[] = {"main",          "w-1",           "w-2",
                                        "gc 1",          "pool",          "node-1 reader",
                                        "node-1 writer", "node-2 reader", "node-2 writer"};
    struct ix_thread t = {.number = number,
                          .start = number,
                          .id = number,
                          .name = names[below(9)],
                          .group = groups[below(3)],
                          .parent = "p",
                          .priority = 5};
    assert_int_equal(ix_log_thread(w, &t), 0);
}

/* Moves threads that are there, ends some, starts others; returns how many there are. */
static size_t step(struct ix_log_writer *w, struct ix_entry *entries, size_t count, uint32_t *born)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (below(12) == 0)
            continue;
        entries[n] = entries[i];
        if (below(3) == 0)
            entries[n].stack = any_stack(w);
        if (below(4) == 0)
            entries[n].state = below(9);
        if (below(15) == 0)
            define(w, entries[n].thread);
        n++;
    }
    while (n < THREADS && below(2)) {
        define(w, ++*born);
        entries[n++] = (struct ix_entry){*born, 1, any_stack(w)};
    }
    return n;
}

static void write_log(const char *path)
{
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(path, &err);
    if (!w)
        fail_msg("%s", err.text);
    struct ix_entry entries[THREADS];
    struct ix_snapshot s = {.packet = below(4), .entries = entries};
    uint32_t born = 0;
    for (uint32_t packets = below(PACKETS); packets; packets--) {
        s.packet += 1 + (below(4) == 0);
        s.count = step(w, entries, s.count, &born);
        assert_int_equal(ix_log_snapshot(w, &s), 0);
        if (below(12) == 0) { /* a new part knows nothing of the old one's numbers */
            assert_int_equal(ix_log_next_part(w), 0);
            s.count = born = 0;
        }
    }
    assert_int_equal(ix_log_writer_close(w), 0);
}

static void append_record(const char *path, uint8_t type, const char *payload, size_t len)
{
    struct ix_out bytes = {0};
    put_record(&bytes, type, payload, len);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
    assert_int_equal(fclose(f), 0);
    ix_out_free(&bytes);
}

enum damage { TORN = 1, MISSING = 2, FLIPPED = 4, BROKEN = 8, NO_LOG = 16 };

static void flip(const char *path)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)below((uint32_t)s.st_size / 2) + s.st_size / 2, SEEK_SET), 0);
    const int c = fgetc(f);
    assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
    fputc(c ^ 1, f);
    assert_int_equal(fclose(f), 0);
}

/* One of the kinds in `kinds`, perhaps. */
static void damage(const char *path, unsigned kinds)
{
    const unsigned kind = 1u << below(8) & kinds;
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    if (kind == TORN)
        assert_int_equal(truncate(path, (off_t)below((uint32_t)s.st_size + 1)), 0);
    else if (kind == MISSING)
        assert_int_equal(unlink(path), 0);
    else if (kind == FLIPPED && s.st_size > 40)
        flip(path);
    else if (kind == NO_LOG)
        assert_int_equal(truncate(path, 0) | truncate(path, 100), 0);
    else if (kind == BROKEN && below(2))
        append_record(path, IX_LOG_FRAME, "\xff\x7f\2", 3);
    else if (kind == BROKEN)
        append_record(path, IX_LOG_SNAPSHOT, "\1\0\0\0\0", 5); /* a packet of before */
}

static void write_campaign(unsigned kinds)
{
    struct ix_error err = {""};
    int64_t execution, id, pid = 1;
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_CREATE, &err);
    assert_non_null(c);
    for (uint32_t e = 0; e < EXECUTIONS; e++) {
        char name[64];
        snprintf(name, sizeof name, "run%u", e);
        assert_int_equal(ix_catalogue_add_execution(c, name, NULL, 0, &execution, &err), 0);
        for (uint32_t vms = below(5); vms; vms--) {
            snprintf(name, sizeof name, "run%u-%u.ixl", e, vms);
            struct ix_vm vm = {.execution = execution,
                               .role = below(2) ? "A" : "B",
                               .host = "h",
                               .jvm = "j",
                               .pid = pid++,
                               .log = in_tempdir(name),
                               .ended = "imported"};
            write_log(vm.log);
            damage(vm.log, kinds);
            assert_int_equal(ix_catalogue_add_vm(c, &vm, &id, &err), 0);
        }
    }
    ix_catalogue_close(c);
    FILE *f = fopen(in_tempdir("rules"), "w");
    assert_non_null(f);
    assert_true(fputs(rules_text, f) >= 0 && fputs(thread_rules[below(2)], f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* ---- loading plainly ---- */

struct plain_vm {
    char role[8], log[PATH_MAX];
    bool unreadable;
};

struct plain {
    const struct roxi_load_options *options;
    struct roxi_profiles *profiles;
    struct roxi_rules *rules;
    struct roxi_templates *templates;
    struct roxi_names *names;
    struct ix_catalogue *catalogue;
    struct plain_vm vms[8];
    size_t vm_count;
    struct ix_error *err;
    int result;
    size_t packets; /* of all executions */
};

static int take_vm(void *user, const struct ix_vm *vm)
{
    struct plain *l = user;
    struct plain_vm *taken = &l->vms[l->vm_count++];
    *taken = (struct plain_vm){0};
    snprintf(taken->role, sizeof taken->role, "%s", vm->role);
    snprintf(taken->log, sizeof taken->log, "%s", vm->log);
    return 0;
}

static struct ix_log_reader *open_log(const char *execution, struct plain_vm *vm)
{
    struct ix_error why;
    struct ix_log_reader *log = vm->unreadable ? NULL : ix_log_open(vm->log, &why);
    if (!log && !vm->unreadable)
        roxi_warn("run %s: %s is left out: %s", execution, vm->role, why.text);
    vm->unreadable |= !log;
    return log;
}

static int plain_packets(struct plain *l, const char *name, struct plain_vm *vm,
                         struct roxi_tally *packets, size_t *taking_part)
{
    struct ix_log_reader *log = open_log(name, vm);
    struct ix_snapshot snapshot;
    bool any = false;
    int more = 0;
    while (log && (more = ix_log_next(log, &snapshot, l->err)) > 0) {
        any = true;
        assert_int_not_equal(roxi_tally_add(packets, snapshot.packet, 1), ROXI_NONE);
    }
    ix_log_reader_close(log);
    *taking_part += any;
    return more;
}

static void plain_snapshot(struct plain *l, struct roxi_log_symbols *symbols, uint32_t role,
                           const struct ix_snapshot *snapshot, struct roxi_tally *seen)
{
    assert_int_equal(roxi_log_symbols_update(symbols), 0);
    for (size_t i = 0; i < snapshot->count; i++) {
        const uint32_t thread = roxi_log_symbols_thread(symbols, snapshot->entries[i].thread);
        if (thread == ROXI_LEFT_OUT)
            continue;
        const uint32_t stack = roxi_log_symbols_stack(symbols, snapshot->entries[i].stack);
        if (stack == ROXI_LEFT_OUT)
            continue;
        roxi_tally_add(seen, roxi_pair(roxi_profiles_group(l->profiles, role, thread), stack), 1);
    }
}

static int plain_stacks(struct plain *l, const char *name, struct plain_vm *vm,
                        const struct roxi_tally *packets, uint64_t enough, struct roxi_tally *seen)
{
    struct ix_log_reader *log = open_log(name, vm);
    struct roxi_log_symbols symbols;
    struct ix_snapshot snapshot;
    int more;
    if (!log)
        return 0;
    roxi_log_symbols_init(&symbols, log, l->profiles->symbols, l->names, l->options->granularity);
    const uint32_t role = roxi_symbols_string(l->profiles->symbols, vm->role, strlen(vm->role));
    while ((more = ix_log_next(log, &snapshot, l->err)) > 0)
        if (!packets || roxi_tally_count(packets, snapshot.packet) >= enough)
            plain_snapshot(l, &symbols, role, &snapshot, seen);
    if (more == 0 && ix_log_torn(log))
        roxi_warn("run %s: %s", name, ix_log_torn(log));
    roxi_log_symbols_release(&symbols);
    ix_log_reader_close(log);
    return more;
}

static void learn_name(struct plain *l, struct ix_thread thread)
{
    struct ix_out text = {0};
    assert_int_equal(
        roxi_rules_rewrite(l->rules, ROXI_RULE_THREAD, thread.name, &text, NULL, l->err), 0);
    assert_int_equal(roxi_templates_add(l->templates, (const char *)text.data, thread.group), 0);
    ix_out_free(&text);
}

/* Names are learnt from as all logs have them, log by log. */
static int learn_log(struct plain *l, const char *path)
{
    struct ix_error err;
    struct ix_snapshot snapshot;
    struct ix_log_reader *log = ix_log_open(path, &err);
    int more = 0;
    while (log && (more = ix_log_next(log, &snapshot, &err)) > 0)
        for (uint32_t i = 1; i < ix_log_thread_count(log); i++)
            learn_name(l, ix_log_thread_at(log, i));
    ix_log_reader_close(log);
    return more < 0 ? more : roxi_templates_end_vm(l->templates);
}

static int learn_execution(void *user, const struct ix_execution *e)
{
    struct plain *l = user;
    l->vm_count = 0;
    assert_int_equal(ix_catalogue_vms(l->catalogue, e->id, take_vm, l, NULL), 0);
    for (size_t i = 0; i < l->vm_count; i++)
        learn_log(l, l->vms[i].log);
    return roxi_templates_end_run(l->templates, (uint32_t)e->id);
}

static int plain_execution(void *user, const struct ix_execution *e)
{
    struct plain *l = user;
    struct roxi_tally packets = {0}, seen = {0};
    const uint32_t min_vms = l->options->min_vms;
    size_t taking_part = 0;
    if (l->result != 0)
        return 0;
    l->vm_count = 0;
    assert_int_equal(ix_catalogue_vms(l->catalogue, e->id, take_vm, l, NULL), 0);
    for (size_t i = 0; (min_vms != 1 || l->templates) && i < l->vm_count && l->result == 0; i++)
        l->result = plain_packets(l, e->name, &l->vms[i], &packets, &taking_part);
    const uint64_t enough = min_vms == ROXI_ALL_VMS ? taking_part : min_vms;
    for (size_t i = 0; i < l->vm_count && l->result == 0; i++)
        l->result =
            plain_stacks(l, e->name, &l->vms[i], min_vms == 1 ? NULL : &packets, enough, &seen);
    if (l->result == 0)
        assert_int_equal(roxi_profiles_add(l->profiles, e->name, &seen, l->err), 0);
    else
        ix_fail_in(l->err, "run %s", e->name);
    roxi_tally_free(&packets);
    roxi_tally_free(&seen);
    return 0;
}

/* Roles are known even if no log of theirs could be read. */
static int plain_roles(void *user, const struct ix_execution *e)
{
    struct plain *l = user;
    l->vm_count = 0;
    assert_int_equal(ix_catalogue_vms(l->catalogue, e->id, take_vm, l, NULL), 0);
    for (size_t i = 0; i < l->vm_count; i++)
        assert_int_not_equal(
            roxi_symbols_string(l->profiles->symbols, l->vms[i].role, strlen(l->vms[i].role)),
            ROXI_NONE);
    return 0;
}

static struct roxi_profiles *load_plainly(const struct roxi_load_options *options,
                                          struct ix_error *err)
{
    struct plain l = {.options = options, .profiles = roxi_profiles_new(), .err = err};
    struct roxi_rules *rules = l.rules = roxi_rules_read(options->rules, err);
    l.catalogue = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_READ, err);
    if (roxi_rules_learn(rules)) {
        l.templates = roxi_templates_new();
        assert_int_equal(ix_catalogue_executions(l.catalogue, learn_execution, &l, err), 0);
        assert_int_equal(roxi_templates_learn(l.templates), 0);
    }
    l.names = roxi_names_new(l.profiles->symbols, rules, l.templates, NULL, err);
    assert_int_equal(ix_catalogue_executions(l.catalogue, plain_execution, &l, err), 0);
    if (l.result == 0) {
        size_t count;
        assert_int_equal(ix_catalogue_executions(l.catalogue, plain_roles, &l, err), 0);
        const struct roxi_node *nodes = roxi_names_nodes(l.names, &count);
        assert_int_equal(roxi_profiles_nodes(l.profiles, nodes, count), 0);
    }
    roxi_names_free(l.names);
    roxi_templates_free(l.templates);
    roxi_rules_free(rules);
    ix_catalogue_close(l.catalogue);
    if (l.result == 0)
        return l.profiles;
    roxi_profiles_free(l.profiles);
    return NULL;
}

/* ---- comparing ---- */

/* All there is in them, as text; to be freed. */
__attribute__((noinline)) static char *in_full(const struct roxi_profiles *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct roxi_symbols_count n = roxi_symbols_count(p->symbols);
    for (uint32_t i = 0; i < n.strings; i++)
        fprintf(out, "string %u %s\n", i, roxi_symbols_text(p->symbols, i));
    for (uint32_t i = 0; i < n.frames; i++) {
        const struct roxi_frame f = roxi_symbols_frame_at(p->symbols, i);
        fprintf(out, "frame %u %u %u %u %d\n", i, f.class_name, f.method, f.descriptor, f.line);
    }
    for (uint32_t i = 0; i < n.stacks; i++) {
        const struct roxi_stack s = roxi_symbols_stack_at(p->symbols, i);
        fprintf(out, "stack %u %u %u %u\n", i, s.parent, s.frame, s.depth);
    }
    for (size_t i = 0; i < p->groups.n; i++)
        fprintf(out, "group %zu %" PRIx64 "\n", i, roxi_tally_key(&p->groups, i));
    for (uint32_t i = 0; i < p->groups.n; i++) {
        const struct roxi_place place = roxi_profiles_place(p, i);
        fprintf(out, "place %u %u %u\n", place.role, place.node, place.template);
    }
    for (size_t e = 0; e < p->count; e++) {
        const struct roxi_profile *x = &p->executions[e];
        fprintf(out, "execution %s %" PRIu64 "\n", x->name, x->total);
        for (size_t i = 0; i < x->count; i++)
            fprintf(out, "%u %u %" PRIu64 "\n", x->items[i].group, x->items[i].stack,
                    x->items[i].count);
    }
    fclose(out);
    return text;
}

/* What a load gave: the profiles in full or the message, and all warnings that are about logs. */
struct outcome {
    char *result;
    char warnings[65536];
};

/* Drops warnings that are not of a log. */
static void keep_logs(char *text)
{
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        const size_t len = (size_t)(next - line);
        const char *of_run = strstr(line, " is empty: ");
        if (of_run && of_run < next)
            continue;
        memmove(to, line, len);
        to += len;
    }
    *to = '\0';
}

typedef struct roxi_profiles *load_fn(const struct roxi_load_options *, struct ix_error *);

static struct roxi_profiles *load(const struct roxi_load_options *options, struct ix_error *err)
{
    return roxi_load(in_tempdir("c"), options, err);
}

static struct outcome outcome_of(load_fn *how, const struct roxi_load_options *options)
{
    static struct outcome o;
    struct ix_error err = {""};
    const int before = capture_begin();
    struct roxi_profiles *p = how(options, &err);
    capture_end(before, o.warnings, sizeof o.warnings);
    keep_logs(o.warnings);
    o.result = p ? in_full(p) : strdup(err.text);
    assert_non_null(o.result);
    roxi_profiles_free(p);
    return o;
}

static bool nothing_at_all(const char *result)
{
    return strstr(result, "no packet was answered") || strstr(result, "no run has any");
}

static void compare(const struct roxi_load_options *options)
{
    static const unsigned threads[] = {1, 2, 3, 16};
    const struct outcome want = outcome_of(load_plainly, options);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct roxi_load_options on = *options;
        on.threads = threads[i];
        const struct outcome got = outcome_of(load, &on);
        if (!nothing_at_all(got.result))
            assert_string_equal(got.result, want.result);
        assert_string_equal(got.warnings, want.warnings);
        free(got.result);
    }
    free(want.result);
}

static void compare_all(unsigned kinds)
{
    static const uint32_t min_vms[] = {1, 2, 3, ROXI_ALL_VMS};
    write_campaign(kinds);
    char *rules = strdup(in_tempdir("rules"));
    for (size_t i = 0; i < sizeof min_vms / sizeof min_vms[0]; i++) {
        const enum roxi_granularity granularity = (enum roxi_granularity)below(3);
        compare(&(struct roxi_load_options){
            .min_vms = min_vms[i], .rules = rules, .granularity = granularity});
    }
    free(rules);
}

static void campaigns(unsigned kinds, uint64_t salt)
{
    const char *given = getenv("IXOR_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("IXOR_TEST_SEED=%" PRIu64 "\n", seed);
    for (uint64_t i = 0; i < rounds(12); i++) {
        random_state = seed * 1000 + salt + i;
        compare_all(kinds);
        assert_int_equal(tempdir_remove(NULL), 0);
        assert_int_equal(tempdir_make(NULL), 0);
    }
}

static void test_whole_logs(void **state)
{
    (void)state;
    campaigns(0, 0);
}

static void test_damaged_logs(void **state)
{
    (void)state;
    campaigns(TORN | MISSING | FLIPPED | NO_LOG, 100);
}

static void test_broken_logs(void **state)
{
    (void)state;
    campaigns(TORN | MISSING | BROKEN | NO_LOG, 200);
}

int main(void)
{
#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_whole_logs),
        IN_TEMPDIR(test_damaged_logs),
        IN_TEMPDIR(test_broken_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
