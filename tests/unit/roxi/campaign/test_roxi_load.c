/* SPDX-License-Identifier: Apache-2.0 */
/* From a catalogue and logs to profiles: which packets count, what is normalised, what is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "roxi/campaign/load.h"
#include "roxi/campaign/load_list.h"
#include "roxi/distance/stack_string.h"
#include "tests/support/campaign_support.h"
#include "tests/support/tracelog_fixture.h"

/* A thread in a packet; its stack is classes of one letter, 'f' of each at line 1; '~' says that
 * callers were cut off. Ended by packet 0. */
struct taken {
    unsigned packet;
    const char *thread, *stack;
};

static unsigned address;

static uint32_t write_stack(struct ix_log_writer *w, const char *classes)
{
    uint32_t stack = IX_STACK_EMPTY;
    for (; *classes; classes++) {
        if (*classes == '~') {
            stack = IX_STACK_CUT;
            continue;
        }
        char name[32];
        if (*classes == 'L') /* a lambda, with another address in every log */
            snprintf(name, sizeof name, "p.L$$Lambda$4/0x%04x", ++address);
        else
            snprintf(name, sizeof name, "p.%c", *classes);
        uint32_t c = ix_log_class(w, name, "");
        stack = ix_log_stack(w, stack, ix_log_frame(w, ix_log_method(w, c, "f", "()V"), 1));
    }
    return stack;
}

/* A thread whose name begins with '!' is left behind by an earlier test, in this packet. */
static struct ix_thread thread_of(uint32_t number, const char *name)
{
    struct ix_thread t = {number, number, number, name, "main", "system", 5, 0};
    if (*name == '!') {
        t.name++;
        t.flags = IX_THREAD_LEFT;
    }
    return t;
}

static bool each_in_its_part; /* the packets of a log */
static uint64_t turns;        /* of each thread, before each packet */
static const char *thrown; /* the class of an exception in a log, after its last packet, or NULL */

/* Its ancestor is prepared before it, on the same call stack. */
static void write_thrown(struct ix_log_writer *w)
{
    const uint32_t ancestor = ix_log_class(w, "p.Ancestor", "");
    const uint32_t class_number = ix_log_class(w, thrown, "");
    assert_int_equal(ix_log_first(w, &(struct ix_first){0, ancestor, IX_STACK_EMPTY}), 0);
    assert_int_equal(ix_log_first(w, &(struct ix_first){1, ancestor, IX_STACK_EMPTY}), 0);
    assert_int_equal(ix_log_first(w, &(struct ix_first){1, class_number, IX_STACK_EMPTY}), 0);
    assert_int_equal(ix_log_rest(w), 0);
}

static void write_log(const char *name, const struct taken *taken)
{
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(in_tempdir(name), &err);
    if (!w)
        fail_msg("%s", err.text);
    while (taken->packet) {
        struct ix_entry entries[4];
        struct ix_snapshot s = {.packet = taken->packet, .entries = entries};
        for (; taken->packet == s.packet; taken++) {
            uint32_t number = (uint32_t)++s.count;
            const struct ix_thread t = thread_of(number, taken->thread);
            assert_int_equal(ix_log_thread(w, &t), 0);
            entries[number - 1] = (struct ix_entry){number, 5, write_stack(w, taken->stack)};
            if (turns)
                assert_int_equal(ix_log_turns(w, &(struct ix_turns){number, turns}), 0);
        }
        assert_int_equal(ix_log_snapshot(w, &s), 0);
        if (each_in_its_part)
            assert_int_equal(ix_log_next_part(w), 0);
    }
    if (thrown)
        write_thrown(w);
    assert_int_equal(ix_log_writer_close(w), 0);
}

/* Adds execution `name` whose VMs are given as role and log, ended by NULL. */
static void add_execution(const char *name, const char *const *roles_and_logs)
{
    add_vms(name, roles_and_logs, 2);
}

static struct roxi_profiles *load_from(const char *dir, uint32_t min_vms, struct ix_error *err)
{
    return roxi_load(in_tempdir(dir), &(struct roxi_load_options){.min_vms = min_vms}, err);
}

static struct roxi_profiles *load(uint32_t min_vms)
{
    struct ix_error err = {""};
    struct roxi_profiles *p = load_from("c", min_vms, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

/* NULL: there is none. */
static const struct roxi_item *item(struct roxi_profiles *p, size_t execution, const char *role,
                                    const char *thread, const char *stack)
{
    uint32_t number;
    assert_int_equal(roxi_stack_parse(p->symbols, stack, &number, NULL), 0);
    uint32_t group = roxi_profiles_group(p, roxi_symbols_string(p->symbols, role, strlen(role)),
                                         roxi_symbols_string(p->symbols, thread, strlen(thread)));
    const struct roxi_profile *x = &p->executions[execution];
    for (size_t i = 0; i < x->count; i++)
        if (x->items[i].group == group && x->items[i].stack == number)
            return &x->items[i];
    return NULL;
}

static uint64_t count(struct roxi_profiles *p, size_t execution, const char *role,
                      const char *thread, const char *stack)
{
    const struct roxi_item *x = item(p, execution, role, thread, stack);
    return x ? x->count : 0;
}

static void three_vms(void)
{
    write_log("a1.ixl",
              (struct taken[]){{1, "main", "x"}, {2, "main", "x"}, {3, "main", "xy"}, {0}});
    write_log("b.ixl", (struct taken[]){{2, "main", "z"}, {3, "main", ""}, {4, "main", "z"}, {0}});
    write_log("a2.ixl", (struct taken[]){{3, "main", "xy"}, {5, "main", "xy"}, {0}});
    add_execution("first", (const char *const[]){"A", "a1.ixl", "B", "b.ixl", "A", "a2.ixl", NULL});
}

static struct roxi_profiles *load_with(const struct roxi_load_options *options)
{
    struct ix_error err = {""};
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), options, &err);
    if (!p)
        fail_msg("%s", err.text);
    return p;
}

/* What a JVM did after its last packet counts as of that packet, and after all else of it. */
static void test_thrown_last(void **state)
{
    (void)state;
    thrown = "p.Broken";
    write_log("a.ixl", (struct taken[]){{1, "main", "x"}, {2, "main", "x"}, {0}});
    thrown = NULL;
    add_execution("first", (const char *const[]){"A", "a.ixl", NULL});
    struct roxi_profiles *p = load(1);
    const struct roxi_use *use = &p->executions[0].use;
    assert_int_equal(use->first_count, 2); /* one of another thread is none */
    const struct roxi_first *broken = &use->firsts[1];
    assert_int_equal(broken->packet, 2);
    assert_true(broken->serial > 1000);
    assert_string_equal(roxi_symbols_text(p->symbols, broken->class_name), "p.Broken");
    assert_int_equal(broken->group,
                     roxi_profiles_group(p, roxi_symbols_string(p->symbols, "A", 1),
                                         roxi_symbols_string(p->symbols, "main", 4)));
    roxi_profiles_free(p);
}

/* A JVM that ended before its first packet, too, tells what it made. */
static void test_thrown_only(void **state)
{
    (void)state;
    struct ix_error err = {""};
    const struct ix_thread main = thread_of(1, "main");
    write_log("a.ixl", (struct taken[]){{1, "main", "x"}, {0}});
    thrown = "p.Broken";
    struct ix_log_writer *w = ix_log_create(in_tempdir("b.ixl"), &err);
    assert_non_null(w);
    assert_int_equal(ix_log_thread(w, &main), 0);
    write_thrown(w);
    thrown = NULL;
    assert_int_equal(ix_log_writer_close(w), 0);
    add_execution("usual", (const char *const[]){"A", "a.ixl", NULL});
    add_execution("no packet", (const char *const[]){"A", "b.ixl", NULL});
    struct roxi_profiles *p = load(1);
    const struct roxi_use *use = &p->executions[1].use;
    assert_int_equal(p->executions[1].total, 0);
    assert_int_equal(use->first_count, 2);
    assert_int_equal(use->firsts[1].packet, 0);
    assert_string_equal(roxi_symbols_text(p->symbols, use->firsts[1].class_name), "p.Broken");
    roxi_profiles_free(p);
}

/* Turns are told at packets that do not count, too, before anything of the thread does. */
static void test_turns(void **state)
{
    static const struct taken all[] = {
        {1, "busy", "ab"}, {2, "busy", "ab"}, {3, "busy", "ab"}, {4, "busy", "ab"}, {0}};
    static const struct taken last[] = {{4, "other", "a"}, {0}};
    (void)state;
    turns = 10;
    write_log("a.ixl", all);
    write_log("b.ixl", last);
    turns = 0;
    add_execution("first", (const char *const[]){"A", "a.ixl", "B", "b.ixl", NULL});
    struct roxi_profiles *p = load(2);
    const struct roxi_use *use = &p->executions[0].use;
    uint64_t sum = 0;
    for (size_t i = 0; i < use->most_count; i++)
        sum += use->most[i].turns;
    assert_int_equal(use->most_count, 2);
    assert_int_equal(sum, 50);
    roxi_profiles_free(p);
}

/* Threads that an earlier test left behind do not count until they move. */
static void test_left_behind(void **state)
{
    (void)state;
    write_log("left.ixl", (struct taken[]){{1, "main", "x"},
                                           {1, "!rests", "r"},
                                           {1, "!wakes", "w"},
                                           {2, "main", "x"},
                                           {2, "!rests", "r"},
                                           {2, "wakes", "wx"},
                                           {3, "main", "x"},
                                           {3, "!rests", "r"},
                                           {3, "wakes", "w"},
                                           {0}});
    add_execution("first", (const char *const[]){"A", "left.ixl", NULL});
    struct roxi_profiles *p = load(1);
    assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1"), 3);
    assert_int_equal(count(p, 0, "A", "rests", "p.r.f()V:1"), 0);
    assert_int_equal(count(p, 0, "A", "wakes", "p.w.f()V:1;p.x.f()V:1"), 1);
    assert_int_equal(count(p, 0, "A", "wakes", "p.w.f()V:1"), 1);
    assert_int_equal(p->executions[0].count, 3);
    roxi_profiles_free(p);
}

/* In how many packets some thread is in a stack: of a JVM each once, however many threads. */
static void test_packets(void **state)
{
    (void)state;
    write_log("a.ixl", (struct taken[]){{1, "w", "x"},
                                        {1, "w", "x"},
                                        {2, "w", "x"},
                                        {3, "w", "y"},
                                        {3, "w", "x"},
                                        {4, "w", "y"},
                                        {6, "w", "x"},
                                        {6, "w", "x"},
                                        {6, "w", "x"},
                                        {0}});
    write_log("b.ixl", (struct taken[]){{1, "w", "x"}, {0}});
    add_execution("first", (const char *const[]){"A", "a.ixl", "B", "b.ixl", NULL});
    add_execution("second", (const char *const[]){"A", "a.ixl", "A", "b.ixl", NULL});
    struct roxi_profiles *p = load(1);
    const struct roxi_item *x = item(p, 0, "A", "w", "p.x.f()V:1");
    const struct roxi_item *y = item(p, 0, "A", "w", "p.y.f()V:1");
    assert_int_equal(x->count, 2 + 1 + 1 + 3);
    assert_int_equal(x->packets, 4);
    assert_int_equal(x->longest, 2);
    assert_int_equal(y->packets, 2);
    assert_int_equal(item(p, 1, "A", "w", "p.x.f()V:1")->packets, 4 + 1);
    roxi_profiles_free(p);
}

/* Frames without lines, or classes alone, make stacks equal that were not. */
static void test_granularity(void **state)
{
    (void)state;
    three_vms();
    const struct roxi_load_options by_method = {.min_vms = 1, .granularity = ROXI_METHODS},
                                   by_class = {.min_vms = 1, .granularity = ROXI_CLASSES};
    struct roxi_profiles *p = load_with(&by_method);
    assert_int_equal(count(p, 0, "A", "main", "p.x.f()V"), 2);
    assert_int_equal(count(p, 0, "A", "main", "p.x.f()V;p.y.f()V"), 3);
    roxi_profiles_free(p);
    p = load_with(&by_class);
    assert_int_equal(count(p, 0, "A", "main", "p.x"), 2);
    assert_int_equal(count(p, 0, "A", "main", "p.x;p.y"), 3);
    roxi_profiles_free(p);
}

/* Skipped frames are not there, idle call stacks and skipped threads not counted. */
static void test_rules_file(void **state)
{
    (void)state;
    three_vms();
    FILE *f = fopen(in_tempdir("my.rules"), "w");
    assert_non_null(f);
    fputs("skip-frame /^p\\.y\\./\nidle /^p\\.z\\.f$/\n", f);
    fclose(f);
    char *rules = strdup(in_tempdir("my.rules"));
    struct roxi_profiles *p = load_with(&(struct roxi_load_options){.min_vms = 1, .rules = rules});
    assert_int_equal(p->executions[0].total, 6);
    assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1"), 5);
    assert_int_equal(count(p, 0, "B", "main", ""), 1);
    roxi_profiles_free(p);
    free(rules);
}

/* Packet 1: one VM, 2: two, 3: three, 4 and 5: one. */
static void test_min_vms(void **state)
{
    (void)state;
    static const struct {
        uint32_t min_vms;
        uint64_t total, x, xy, z, empty;
    } cells[] = {
        {1, 8, 2, 3, 2, 1}, {2, 5, 1, 2, 1, 1}, {3, 3, 0, 2, 0, 1}, {ROXI_ALL_VMS, 3, 0, 2, 0, 1}};
    three_vms();
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        struct roxi_profiles *p = load(cells[i].min_vms);
        assert_int_equal(p->count, 1);
        assert_string_equal(p->executions[0].name, "first");
        assert_int_equal(p->executions[0].total, cells[i].total);
        assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1"), cells[i].x);
        assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1;p.y.f()V:1"), cells[i].xy);
        assert_int_equal(count(p, 0, "B", "main", "p.z.f()V:1"), cells[i].z);
        assert_int_equal(count(p, 0, "B", "main", ""), cells[i].empty);
        roxi_profiles_free(p);
    }
    struct ix_error err = {""};
    assert_null(load_from("c", 4, &err));
    assert_non_null(strstr(err.text, "--min-vms asks for"));
}

/* By default two JVMs must have answered, also in a run in which all but one are missing; */
static void test_min_vms_auto(void **state)
{
    (void)state;
    three_vms();
    add_execution("alone", (const char *const[]){"A", "a1.ixl", NULL});
    struct roxi_profiles *p = load(ROXI_AUTO_VMS);
    assert_int_equal(p->executions[0].total, 5);
    assert_int_equal(p->executions[1].total, 0);
    roxi_profiles_free(p);
}

/* but one where in no run two JVMs answered the same packet. */
static void test_min_vms_auto_alone(void **state)
{
    (void)state;
    write_log("a.ixl", (struct taken[]){{1, "main", "z"}, {2, "main", "z"}, {0}});
    write_log("c.ixl", (struct taken[]){{7, "main", "z"}, {0}});
    add_execution("alone", (const char *const[]){"A", "a.ixl", NULL});
    add_execution("in turn", (const char *const[]){"A", "a.ixl", "B", "c.ixl", NULL});
    struct roxi_profiles *p = load(ROXI_AUTO_VMS);
    assert_int_equal(p->executions[0].total, 2);
    assert_int_equal(p->executions[1].total, 3);
    roxi_profiles_free(p);
}

/* Where runs are ranked what one JVM does when the others have ended counts, too, but not what it
 * does before they begin; unless they never do. */
static void test_to_the_end(void **state)
{
    (void)state;
    three_vms();
    add_execution("alone", (const char *const[]){"A", "a1.ixl", NULL});
    struct roxi_profiles *p =
        load_with(&(struct roxi_load_options){.min_vms = ROXI_AUTO_VMS, .to_the_end = true});
    assert_int_equal(p->executions[0].total, 7);
    assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1"), 1);
    assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1;p.y.f()V:1"), 3);
    assert_int_equal(count(p, 0, "B", "main", "p.z.f()V:1"), 2);
    assert_int_equal(p->executions[1].total, 3);
    roxi_profiles_free(p);
}

/* An execution without anything stays in its place. */
static void test_order_and_empty(void **state)
{
    (void)state;
    add_execution("nothing", (const char *const[]){NULL});
    three_vms();
    add_execution("one packet", (const char *const[]){"A", "a1.ixl", NULL});
    struct roxi_profiles *p = load(2);
    assert_int_equal(p->count, 3);
    assert_string_equal(p->executions[0].name, "nothing");
    assert_string_equal(p->executions[2].name, "one packet");
    assert_int_equal(p->executions[0].total, 0);
    assert_int_equal(p->executions[1].total, 5);
    assert_int_equal(p->executions[2].total, 0);
    roxi_profiles_free(p);
}

static void test_no_execution(void **state)
{
    (void)state;
    struct ix_error err = {""};
    ix_catalogue_close(ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_CREATE, &err));
    assert_null(load_from("c", 1, &err));
    assert_non_null(strstr(err.text, "no runs yet"));
    add_execution("nothing", (const char *const[]){NULL});
    assert_null(load_from("c", 1, &err));
    assert_string_equal(err.text, "no run has any call stacks");
    assert_null(load_from("elsewhere", 1, &err));
}

/* Names of threads and of generated classes; a thread that is renamed; a stack cut by the depth
 * limit; two logs with the same things in another order. */
static void test_normalised(void **state)
{
    (void)state;
    write_log("a.ixl", (struct taken[]){{1, "w-1", "xL"},
                                        {1, "w-2", "xL"},
                                        {2, "v", "y"},
                                        {2, "w (2)", "~xy"},
                                        {3, "w-1", "xL"},
                                        {0}});
    write_log("b.ixl", (struct taken[]){{1, "w", "~xy"}, {2, "w", "yx"}, {3, "w[", "xL"}, {0}});
    add_execution("e", (const char *const[]){"A", "a.ixl", "A", "b.ixl", NULL});
    struct roxi_profiles *p =
        load_with(&(struct roxi_load_options){.min_vms = 2, .rules = "thesis"});
    assert_int_equal(count(p, 0, "A", "w", "p.x.f()V:1;p.L$$Lambda.f()V:1"), 4);
    assert_int_equal(count(p, 0, "A", "w", "p.x.f()V:1;p.y.f()V:1"), 2);
    assert_int_equal(count(p, 0, "A", "w", "p.y.f()V:1;p.x.f()V:1"), 1);
    assert_int_equal(count(p, 0, "A", "v", "p.y.f()V:1"), 1);
    assert_int_equal(p->executions[0].total, 8);
    roxi_profiles_free(p);
}

/* Templates are learnt from all logs, also of threads that are only in packets that do not count; a
 * renamed thread counts where its name puts it. */
static void test_templates(void **state)
{
    (void)state;
    write_log("a.ixl", (struct taken[]){{1, "w-1", "x"}, {1, "v 1", "x"}, {2, "w (2)", "y"}, {0}});
    write_log("b.ixl", (struct taken[]){{1, "w-1", "x"}, {2, "v 1", "x"}, {0}});
    write_log("c.ixl", (struct taken[]){{9, "w-7", "x"}, {0}});
    add_execution("e", (const char *const[]){"A", "a.ixl", "A", "b.ixl", NULL});
    add_execution("f", (const char *const[]){"A", "b.ixl", "B", "c.ixl", "B", "b.ixl", NULL});
    for (unsigned threads = 1; threads < 4; threads++) {
        struct roxi_profiles *p =
            load_with(&(struct roxi_load_options){.min_vms = 2, .threads = threads});
        assert_int_equal(count(p, 0, "A", "w-*", "p.x.f()V:1"), 2);
        assert_int_equal(count(p, 0, "A", "v 1", "p.x.f()V:1"), 2);
        assert_int_equal(count(p, 0, "A", "w (2)", "p.y.f()V:1"), 1);
        assert_int_equal(count(p, 1, "A", "w-*", "p.x.f()V:1"), 1);
        assert_int_equal(count(p, 1, "B", "w-*", "p.x.f()V:1"), 1);
        roxi_profiles_free(p);
    }
}

static struct roxi_place place_of(struct roxi_profiles *p, const char *role, const char *thread)
{
    return roxi_profiles_place(
        p, roxi_profiles_group(p, roxi_symbols_string(p->symbols, role, strlen(role)),
                               roxi_symbols_string(p->symbols, thread, strlen(thread))));
}

/* Each node has groups of its own, which have a template in common. */
static void test_nodes(void **state)
{
    (void)state;
    write_log("a.ixl", (struct taken[]){{1, "srv-1-ticker", "x"},
                                        {1, "srv-1-applier", "x"},
                                        {1, "srv-2-ticker", "y"},
                                        {1, "srv-2-applier", "y"},
                                        {2, "main", "x"},
                                        {0}});
    add_execution("e", (const char *const[]){"A", "a.ixl", NULL});
    add_execution("f", (const char *const[]){"B", "a.ixl", NULL});
    for (unsigned threads = 1; threads < 4; threads++) {
        struct roxi_profiles *p =
            load_with(&(struct roxi_load_options){.min_vms = ROXI_AUTO_VMS, .threads = threads});
        assert_int_equal(count(p, 0, "A", "srv-1/srv-*-ticker", "p.x.f()V:1"), 1);
        assert_int_equal(count(p, 1, "B", "srv-2/srv-*-ticker", "p.y.f()V:1"), 1);
        const struct roxi_place one = place_of(p, "A", "srv-1/srv-*-ticker"),
                                two = place_of(p, "B", "srv-2/srv-*-ticker"),
                                none = place_of(p, "A", "main");
        assert_string_equal(roxi_symbols_text(p->symbols, one.role), "A");
        assert_string_equal(roxi_symbols_text(p->symbols, one.node), "srv-1");
        assert_string_equal(roxi_symbols_text(p->symbols, one.template), "srv-*-ticker");
        assert_string_equal(roxi_symbols_text(p->symbols, two.node), "srv-2");
        assert_int_equal(two.template, one.template);
        assert_int_equal(none.node, 0);
        assert_string_equal(roxi_symbols_text(p->symbols, none.template), "main");
        roxi_profiles_free(p);
    }
}

static void resize(const char *name, off_t by)
{
    struct stat s;
    assert_int_equal(stat(in_tempdir(name), &s), 0);
    assert_int_equal(truncate(in_tempdir(name), s.st_size + by), 0);
}

/* A torn log counts up to its last whole packet; one that is gone or no log at all does not count
 * as a VM. */
static void test_damaged(void **state)
{
    (void)state;
    three_vms();
    resize("b.ixl", -1); /* its packet 4 */
    struct roxi_profiles *p = load(1);
    assert_int_equal(p->executions[0].total, 7);
    assert_int_equal(count(p, 0, "B", "main", "p.z.f()V:1"), 1);
    roxi_profiles_free(p);
    assert_int_equal(unlink(in_tempdir("a2.ixl")), 0);
    p = load(ROXI_ALL_VMS);
    assert_int_equal(p->executions[0].total, 4);
    roxi_profiles_free(p);
    assert_int_equal(truncate(in_tempdir("b.ixl"), 0), 0);
    resize("b.ixl", 100);
    p = load(1);
    assert_int_equal(p->executions[0].total, 3);
    roxi_profiles_free(p);
}

static void test_invalid(void **state)
{
    (void)state;
    three_vms();
    static const uint8_t frame_of_no_method[] = {9, 2};
    struct ix_out bytes = {0};
    put_header(&bytes);
    put_record(&bytes, IX_LOG_FRAME, frame_of_no_method, sizeof frame_of_no_method);
    FILE *f = fopen(in_tempdir("b.ixl"), "w");
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
    assert_int_equal(fclose(f), 0);
    ix_out_free(&bytes);
    for (uint32_t min_vms = 1; min_vms <= 2; min_vms++) {
        struct ix_error err = {""};
        assert_null(load_from("c", min_vms, &err));
        assert_non_null(strstr(err.text, "run first"));
        assert_non_null(strstr(err.text, "b.ixl"));
    }
}

/* What is counted does not depend on parts, also where parts are passed over for too few VMs, or
 * PATH itself is missing. */
static void test_parts(void **state)
{
    (void)state;
    each_in_its_part = true;
    three_vms();
    each_in_its_part = false;
    assert_int_equal(access(in_tempdir("a1.ixl.3"), F_OK), 0);
    assert_int_equal(unlink(in_tempdir("a1.ixl")), 0);
    for (uint32_t min_vms = 1; min_vms <= 2; min_vms++) {
        struct roxi_profiles *p = load(min_vms);
        assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1"), min_vms == 1 ? 2 : 1);
        assert_int_equal(count(p, 0, "A", "main", "p.x.f()V:1;p.y.f()V:1"), min_vms == 1 ? 3 : 2);
        assert_int_equal(count(p, 0, "B", "main", "p.z.f()V:1"), min_vms == 1 ? 2 : 1);
        roxi_profiles_free(p);
    }
}

/* Of 90 runs with a log each, whose histories are kept: of 60 that are spread evenly, and of those
 * that are asked for. A log that is too large for that is left out. */
static void test_usual_histories(void **state)
{
    enum { RUNS = 90, LARGE = 10, ASKED = 2 };
    struct roxi_load_log logs[RUNS] = {0};
    struct roxi_load_execution runs[RUNS] = {0};
    struct roxi_load_list list = {
        .executions = runs, .count = RUNS, .logs = logs, .log_count = RUNS};
    const char *const asked[] = {"run2", NULL};
    const struct roxi_load_options o = {.histories = asked, .usual_histories = true};
    char names[RUNS][16], path[300], nowhere[] = "/nonexistent";
    size_t usual = 0;
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        snprintf(names[i], sizeof names[i], "run%zu", i);
        runs[i] = (struct roxi_load_execution){.name = names[i], .first = i, .count = 1};
        logs[i].path = nowhere;
    }
    roxi_load_list_histories(&list, &o);
    for (size_t i = 0; i < RUNS; i++) {
        assert_true(runs[i].keeps_history == (roxi_is_usual_run(i, RUNS) || i == ASKED));
        usual += roxi_is_usual_run(i, RUNS);
    }
    assert_int_equal(usual, ROXI_USUAL_RUNS);
    snprintf(path, sizeof path, "%s/large", tempdir);
    FILE *large = fopen(path, "w");
    assert_non_null(large);
    assert_int_equal(fclose(large), 0);
    assert_int_equal(truncate(path, ROXI_USUAL_BYTES + 1), 0);
    logs[LARGE].path = path;
    assert_true(runs[LARGE].keeps_history);
    roxi_load_list_histories(&list, &o);
    assert_false(runs[LARGE].keeps_history);
    assert_true(runs[LARGE + 1].keeps_history == roxi_is_usual_run(LARGE + 1, RUNS));
}

int main(void)
{
#define IN_TEMPDIR(test) cmocka_unit_test_setup_teardown(test, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        IN_TEMPDIR(test_min_vms),
        IN_TEMPDIR(test_min_vms_auto),
        IN_TEMPDIR(test_min_vms_auto_alone),
        IN_TEMPDIR(test_to_the_end),
        IN_TEMPDIR(test_packets),
        IN_TEMPDIR(test_granularity),
        IN_TEMPDIR(test_thrown_last),
        IN_TEMPDIR(test_thrown_only),
        IN_TEMPDIR(test_turns),
        IN_TEMPDIR(test_left_behind),
        IN_TEMPDIR(test_templates),
        IN_TEMPDIR(test_nodes),
        IN_TEMPDIR(test_rules_file),
        IN_TEMPDIR(test_usual_histories),
        IN_TEMPDIR(test_order_and_empty),
        IN_TEMPDIR(test_no_execution),
        IN_TEMPDIR(test_normalised),
        IN_TEMPDIR(test_damaged),
        IN_TEMPDIR(test_invalid),
        IN_TEMPDIR(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
