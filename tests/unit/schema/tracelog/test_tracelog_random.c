/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips of random campaigns. A world of threads changes at random from packet to packet; the
 * same seed lets it go the same way twice, once while a log is written and once while it is read,
 * so what is read can be compared with the world as it was then.
 *
 * IXOR_TEST_SEED=N repeats a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <time.h>

#include "tests/support/tracelog_fixture.h"

enum { THREADS = 60, DEPTH_MAX = 10000, FRAMES = 200 };

struct thread {
    bool alive;
    uint32_t name, group, state, depth;
    int32_t priority;
    bool cut;
    uint16_t *frames; /* from the thread's entry; DEPTH_MAX of them */
};

struct world {
    uint64_t random;
    struct ix_snapshot now; /* without entries */
    uint32_t born;          /* threads[0..born) have started at some time */
    struct thread threads[THREADS];
};

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(struct world *w)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(struct world *w, uint32_t n)
{
    return (uint32_t)(next_random(w) % n);
}

static void change_stack(struct world *w, struct thread *t)
{
    uint32_t keep = t->depth ? below(w, t->depth + 1) : 0;
    uint32_t depth = keep + below(w, 12);
    if (below(w, 200) == 0)
        depth = DEPTH_MAX;
    if (depth > DEPTH_MAX)
        depth = DEPTH_MAX;
    bool recursion = below(w, 3) == 0;
    for (uint32_t i = keep; i < depth; i++)
        t->frames[i] = i && recursion ? t->frames[i - 1] : (uint16_t)below(w, FRAMES);
    t->depth = depth;
    if (keep == 0)
        t->cut = below(w, 4) == 0;
}

static void step_thread(struct world *w, struct thread *t)
{
    if (below(w, 30) == 0)
        t->alive = false;
    if (below(w, 30) == 0)
        t->name = below(w, 50);
    if (below(w, 50) == 0)
        t->priority = (int32_t)below(w, 12) - 1;
    if (below(w, 3) == 0)
        t->state = below(w, 4) ? below(w, 1024) : (uint32_t)next_random(w);
    if (below(w, 3) == 0)
        change_stack(w, t);
}

static void step(struct world *w)
{
    struct ix_snapshot *s = &w->now;
    s->packet += 1 + below(w, 3);
    s->mono_ns += below(w, 200000000);
    /* The wall clock may be set to anything at any time. */
    s->real_ns = below(w, 20) ? s->real_ns + below(w, 200000000) : (int64_t)next_random(w);
    s->stop_ns = below(w, 10) ? below(w, 1000000) : next_random(w);
    s->missed = below(w, 3);
    for (uint32_t i = 0; i < w->born; i++)
        if (w->threads[i].alive)
            step_thread(w, &w->threads[i]);
    for (uint32_t births = below(w, 4); births && w->born < THREADS; births--) {
        struct thread *t = &w->threads[w->born++];
        t->alive = true;
        t->name = below(w, 50);
        t->group = below(w, 3);
        change_stack(w, t);
    }
}

static void world_start(struct world *w, uint64_t seed)
{
    *w = (struct world){.random = seed};
    for (uint32_t i = 0; i < THREADS; i++) {
        w->threads[i].frames = malloc(DEPTH_MAX * sizeof *w->threads[i].frames);
        assert_non_null(w->threads[i].frames);
    }
}

static void world_end(struct world *w)
{
    for (uint32_t i = 0; i < THREADS; i++)
        free(w->threads[i].frames);
}

/* How the world's small numbers are called in a log. */
struct names {
    char class[32], method[32], thread[32];
};

static struct names names_of(uint32_t frame, uint32_t thread)
{
    struct names n;
    snprintf(n.class, sizeof n.class, "org.example.C%u", frame % 17);
    snprintf(n.method, sizeof n.method, "m\xc3\xbc%u", frame % 40);
    if (thread)
        snprintf(n.thread, sizeof n.thread, "worker %u", thread);
    else
        n.thread[0] = '\0';
    return n;
}

static int32_t line_of(uint32_t frame)
{
    static const int32_t lines[] = {IX_LINE_UNKNOWN, IX_LINE_NATIVE, 1, 65535, IX_LINE_COMPILED};
    return lines[frame % 5];
}

static struct ix_thread thread_of(const struct world *w, uint32_t i, const struct names *names)
{
    const struct thread *t = &w->threads[i];
    return (struct ix_thread){.number = i + 1,
                              .start = i + 1,
                              .id = UINT64_MAX - i,
                              .name = names->thread,
                              .group = t->group ? "pool" : "",
                              .parent = t->group > 1 ? "system" : "",
                              .priority = t->priority,
                              .flags = i % 4};
}

static uint32_t log_stack(struct ix_log_writer *log, const struct thread *t)
{
    uint32_t stack = t->cut ? IX_STACK_CUT : IX_STACK_EMPTY;
    for (uint32_t i = 0; i < t->depth; i++) {
        struct names n = names_of(t->frames[i], 0);
        uint32_t class = ix_log_class(log, n.class, t->frames[i] % 2 ? "C.java" : "");
        uint32_t method = ix_log_method(log, class, n.method, "()V");
        stack = ix_log_stack(log, stack, ix_log_frame(log, method, line_of(t->frames[i])));
    }
    return stack;
}

static void log_world(struct world *w, struct ix_log_writer *log)
{
    struct ix_entry entries[THREADS];
    struct ix_snapshot s = w->now;
    s.entries = entries;
    for (uint32_t i = 0; i < w->born; i++) {
        const struct thread *t = &w->threads[i];
        struct names n = names_of(0, t->name);
        struct ix_thread thread = thread_of(w, i, &n);
        /* A thread that ended keeps its number, even if no snapshot ever showed it. */
        assert_int_equal(ix_log_thread(log, &thread), 0);
        if (t->alive)
            entries[s.count++] = (struct ix_entry){i + 1, t->state, log_stack(log, t)};
    }
    if (ix_log_snapshot(log, &s) < 0)
        fail_msg("%s", ix_log_writer_error(log));
}

static void compare_stack(const struct ix_log_reader *r, uint32_t stack, const struct thread *t)
{
    for (uint32_t i = t->depth; i > 0; i--) {
        assert_true(stack > IX_STACK_CUT);
        struct ix_frame frame = ix_log_frame_at(r, ix_log_stack_frame(r, stack));
        struct ix_method method = ix_log_method_at(r, frame.method);
        struct ix_class class = ix_log_class_at(r, method.class_number);
        struct names n = names_of(t->frames[i - 1], 0);
        assert_int_equal(frame.line, line_of(t->frames[i - 1]));
        assert_string_equal(method.name, n.method);
        assert_string_equal(method.descriptor, "()V");
        assert_string_equal(class.name, n.class);
        assert_string_equal(class.source, t->frames[i - 1] % 2 ? "C.java" : "");
        stack = ix_log_stack_parent(r, stack);
    }
    assert_int_equal(stack, t->cut ? IX_STACK_CUT : IX_STACK_EMPTY);
}

static void compare_world(const struct world *w, struct ix_log_reader *r)
{
    struct ix_snapshot s = next_snapshot(r);
    assert_int_equal(s.packet, w->now.packet);
    assert_int_equal(s.mono_ns, w->now.mono_ns);
    assert_int_equal(s.real_ns, w->now.real_ns);
    assert_int_equal(s.stop_ns, w->now.stop_ns);
    assert_int_equal(s.missed, w->now.missed);
    size_t at = 0;
    for (uint32_t i = 0; i < w->born; i++) {
        const struct thread *t = &w->threads[i];
        if (!t->alive)
            continue;
        assert_true(at < s.count);
        assert_int_equal(s.entries[at].thread, i + 1);
        assert_int_equal(s.entries[at].state, t->state);
        compare_stack(r, s.entries[at].stack, t);
        struct names n = names_of(0, t->name);
        struct ix_thread want = thread_of(w, i, &n), got = ix_log_thread_at(r, i + 1);
        assert_int_equal(got.start, want.start);
        assert_int_equal(got.id, want.id);
        assert_string_equal(got.name, want.name);
        assert_string_equal(got.group, want.group);
        assert_string_equal(got.parent, want.parent);
        assert_int_equal(got.priority, want.priority);
        assert_int_equal(got.flags, want.flags);
        at++;
    }
    assert_int_equal(at, s.count);
}

/* Threads of a snapshot that ix_log_changes was asked about. */
struct list {
    struct ix_entry entries[THREADS];
    size_t count;
};

static const struct ix_entry *entry_of(const struct list *list, uint32_t thread)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].thread == thread)
            return &list->entries[i];
    return NULL;
}

static bool is_in(const uint32_t *numbers, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* What is not told to have changed has not: neither list nor names. */
static void compare_changes(const struct ix_log_reader *r, const struct list *before,
                            const struct list *now, char (*names)[32])
{
    const struct ix_changes c = ix_log_changes(r);
    for (size_t i = 0; i < before->count; i++) {
        const uint32_t thread = before->entries[i].thread;
        assert_true(entry_of(now, thread) || is_in(c.gone, c.gone_count, thread));
    }
    for (size_t i = 0; i < c.gone_count; i++)
        assert_non_null(entry_of(before, c.gone[i]));
    for (size_t i = 0; i < c.set_count; i++)
        assert_true(c.set[i] < now->count && (i == 0 || c.set[i] > c.set[i - 1]));
    for (size_t i = 0; i < now->count; i++) {
        const struct ix_entry *entry = &now->entries[i], *old = entry_of(before, entry->thread);
        const char *name = ix_log_thread_at(r, entry->thread).name;
        if (!is_in(c.set, c.set_count, (uint32_t)i)) {
            assert_non_null(old);
            assert_memory_equal(entry, old, sizeof *entry);
        }
        if (old && !is_in(c.redefined, c.redefined_count, entry->thread))
            assert_string_equal(name, names[entry->thread]);
        snprintf(names[entry->thread], sizeof names[0], "%s", name);
    }
}

/* The log once more, by its changes and by its packets alone. */
static void compare_readings(const char *path)
{
    static char names[THREADS + 1][32];
    struct list before = {.count = 0};
    struct ix_log_reader *r = ix_log_open(path, NULL), *packets = ix_log_open(path, NULL);
    struct ix_snapshot s;
    uint64_t packet;
    while (ix_log_next(r, &s, NULL) == 1) {
        struct list now = {.count = s.count};
        if (s.count)
            memcpy(now.entries, s.entries, s.count * sizeof *s.entries);
        compare_changes(r, &before, &now, names);
        before = now;
        assert_int_equal(ix_log_next_packet(packets, &packet, NULL), 1);
        assert_int_equal(packet, s.packet);
    }
    assert_int_equal(ix_log_next_packet(packets, &packet, NULL), 0);
    assert_int_equal(ix_log_reader_offset(packets), ix_log_reader_offset(r));
    ix_log_reader_close(packets);
    ix_log_reader_close(r);
}

/* Reads through a file, so that the reader's window slides. */
static void round_trip(uint64_t seed, int packets)
{
    char path[] = "/tmp/tracelog-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct ix_error err;
    struct world world;
    struct ix_log_writer *log = ix_log_create_fd(fd, &err);
    assert_non_null(log);
    world_start(&world, seed);
    for (int i = 0; i < packets; i++) {
        step(&world);
        log_world(&world, log);
    }
    world_end(&world);
    assert_int_equal(ix_log_writer_close(log), 0);

    struct ix_log_reader *r = ix_log_open(path, &err);
    assert_non_null(r);
    world_start(&world, seed);
    for (int i = 0; i < packets; i++) {
        step(&world);
        compare_world(&world, r);
    }
    world_end(&world);
    expect_end(r);
    compare_readings(path);
    assert_int_equal(unlink(path), 0);
}

static void test_random_campaigns(void **state)
{
    (void)state;
    const char *given = getenv("IXOR_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("IXOR_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 8; i++)
        round_trip(seed + i, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_campaigns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
