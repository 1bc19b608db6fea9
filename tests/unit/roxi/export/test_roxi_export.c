/* SPDX-License-Identifier: Apache-2.0 */
/* Exports: a small log with hostile names in every format, by hand or by another reader; the
 * fuzzer's logs in all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <string.h>

#include <jansson.h>
#include <zlib.h>

#include "tests/fuzz/log_bytes.h"
#include "tests/support/export_support.h"
#include "tests/support/tracelog_fixture.h"

/* a.B.run calls "x;y z" in class C"<&\, which calls itself; the entry is cut off in the second
 * thread. Names: blanks, quotes, a line end, a character beyond the BMP as UTF-8, and in the form
 * of modified UTF-8 (two surrogates of three bytes each), which is not UTF-8. */
#define SMILE "\xF0\x9F\x98\x80"
#define SURROGATES "\xED\xA0\xBD\xED\xB8\x80"

static struct ix_out log_of(uint64_t first_packet)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    uint32_t b = ix_log_class(w, "a.B", "B.java"), c = ix_log_class(w, "C\"<&\\", "");
    uint32_t run = ix_log_method(w, b, "run", "()V"), odd = ix_log_method(w, c, "x;y z", "(I)V");
    uint32_t low = ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, run, 12));
    uint32_t middle = ix_log_stack(w, low, ix_log_frame(w, odd, IX_LINE_UNKNOWN));
    uint32_t high = ix_log_stack(w, middle, ix_log_frame(w, odd, IX_LINE_NATIVE));
    uint32_t cut = ix_log_stack(w, IX_STACK_CUT, ix_log_frame(w, run, 13));
    struct ix_thread threads[] = {
        {1, 1, 1, "main 5", "main", "system", 5, IX_THREAD_DAEMON},
        {2, 2, 22, "a\"\n" SMILE SURROGATES, "g", "p", IX_PRIORITY_UNKNOWN, 0},
        {3, 3, 33, "", "g", "p", 1, IX_THREAD_VIRTUAL | IX_THREAD_DAEMON_UNKNOWN | IX_THREAD_LEFT},
    };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ix_log_thread(w, &threads[i]), 0);
    struct ix_entry entries[] = {{1, 0x401, high}, {2, 0x5, cut}, {3, 0xe1, IX_STACK_EMPTY}};
    struct ix_snapshot s = {first_packet, 1000, 1767323045678000000, 1500, 1, entries, 3};
    struct ix_lock locks[] = {{1, IX_LOCK_ENTERS, 0xabc, c, -1},
                              {1, IX_LOCK_OWNS, 7, b, 2},
                              {2, IX_LOCK_OWNS, 0xabc, c, 0},
                              {1, IX_LOCK_OWNS_SYNCHRONIZER, 0x201, b, -1},
                              {1, IX_LOCK_OWNS_SYNCHRONIZER, 0x202, b, -1},
                              {3, IX_LOCK_PARKED, 0x201, b, -1}};
    struct ix_exception exception = {1, c, ix_log_frame(w, run, 12), 3};
    struct ix_process process = {1, 2, 3, 4, 5};
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        assert_int_equal(ix_log_lock(w, &locks[i]), 0);
    assert_int_equal(ix_log_exception(w, &exception), 0);
    assert_int_equal(ix_log_first(w, &(struct ix_first){0, c, low}), 0);
    assert_int_equal(ix_log_first(w, &(struct ix_first){2, b, IX_STACK_EMPTY}), 0);
    assert_int_equal(ix_log_firsts_dropped(w, 7), 0);
    assert_int_equal(ix_log_starter(w, &(struct ix_starter){2, low}), 0);
    assert_int_equal(ix_log_turns(w, &(struct ix_turns){3, 9}), 0);
    assert_int_equal(ix_log_covered(w, &(struct ix_covered){ix_log_frame(w, run, 12), 0}), 0);
    assert_int_equal(ix_log_covered(w, &(struct ix_covered){ix_log_frame(w, odd, 8), 70000}), 0);
    assert_int_equal(ix_log_pause(w, &(struct ix_pause){ix_log_frame(w, odd, 8), 70000, 9}), 0);
    assert_int_equal(ix_log_pause(w, &(struct ix_pause){ix_log_frame(w, run, 12), 0, 0}), 0);
    assert_int_equal(
        ix_log_traffic(w, &(struct ix_traffic){"a:1", "b\"2", 1, 2, 3, 4, 5, IX_SPOKE_HERE}), 0);
    assert_int_equal(
        ix_log_traffic(w, &(struct ix_traffic){"a:1", "c", 1, 0, 3, 0, 0, IX_SPOKE_UNKNOWN}), 0);
    assert_int_equal(ix_log_process(w, &process), 0);
    assert_int_equal(ix_log_wait(w, &(struct ix_wait){2, IX_WAIT_READ, "a:1", "b\"2"}), 0);
    assert_int_equal(
        ix_log_connection(w, &(struct ix_connection){2, IX_CONNECTION_OPEN, "a:1", ""}), 0);
    assert_int_equal(
        ix_log_connection(w, &(struct ix_connection){0, IX_CONNECTION_CLOSED, "c", ""}), 0);
    assert_int_equal(ix_log_join(w, &(struct ix_join){1, 2}), 0);
    assert_int_equal(ix_log_connection_flags(w, IX_CONNECTIONS_PARTIAL), 0);
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    entries[0].stack = low;
    s.packet += 2;
    s.count = 1;
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    s.packet += 1;
    s.count = 2;
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    assert_int_equal(ix_log_first(w, &(struct ix_first){1, c, middle}), 0);
    assert_int_equal(ix_log_covered(w, &(struct ix_covered){ix_log_frame(w, run, 14), 1}), 0);
    assert_int_equal(ix_log_rest(w), 0);
    return finish(w, fd);
}

static struct exported export_small(const char *format, struct export_options options)
{
    struct ix_error err = {""};
    struct ix_out log = log_of(7);
    struct exported e = export_bytes(format, options, log.data, log.len, &err);
    if (e.status != 0)
        fail_msg("%s: %s", format, err.text);
    ix_out_free(&log);
    return e;
}

static void expect_text(const char *format, struct export_options options, const char *want)
{
    struct exported e = export_small(format, options);
    assert_string_equal(e.data, want);
    free(e.data);
}

/* ---- text ---- */

static void test_collapsed(void **state)
{
    (void)state;
    expect_text("collapsed", (struct export_options){0},
                "server;main_5;a.B.run;C\"<&\\.x:y_z;C\"<&\\.x:y_z 1\n"
                "server;a\"\\x0A" SMILE
                "\\xED\\xA0\\xBD\\xED\\xB8\\x80;[callers_cut_off];a.B.run 2\n"
                "server;virtual-33 1\n"
                "server;main_5;a.B.run 2\n");
    expect_text("collapsed", (struct export_options){.lines = true, .no_threads = true},
                "a.B.run:12;C\"<&\\.x:y_z;C\"<&\\.x:y_z 1\n"
                "[callers_cut_off];a.B.run:13 2\n"
                "a.B.run:12 2\n");
}

#define ORIGIN(options)                                                                            \
    "{\"roxi\":\"" IXOR_VERSION "\",\"campaign\":\"camp\",\"options\":{" options "}}"

static void test_jstack(void **state)
{
    (void)state;
    expect_text(
        "jstack", (struct export_options){.packet = 7},
        "roxi: " ORIGIN(
            "\"format\":\"jstack\",\"packet\":7") "\n\n"
                                                  "execution run 1, role server, process 77, "
                                                  "packet 7:\n"
                                                  "threads\t3\n"
                                                  "thread\t#1\tmain\n"
                                                  "frame\tC\"<&\\.x;y z(Native Method)\t0\t"
                                                  "(I)V\t-3\n"
                                                  "frame\tC\"<&\\.x;y z(Unknown Source)\t0\t"
                                                  "(I)V\t-1\n"
                                                  "frame\ta.B.run(B.java:12)\t0\t()V\t12\n"
                                                  "thread\t#22\tg\n"
                                                  "frame\ta.B.run(B.java:13)\t0\t()V\t13\n"
                                                  "thread\t#33\tg\n"
                                                  "2026-01-02 03:04:05\n"
                                                  "Full thread dump OpenJDK 17:\n\n"
                                                  "\"main 5\" #1 daemon prio=5 "
                                                  "tid=0x0000000000000001 nid=0x1 waiting for "
                                                  "monitor entry\n"
                                                  "   java.lang.Thread.State: BLOCKED (on object "
                                                  "monitor)\n"
                                                  "\tat C\"<&\\.x;y z(Native Method)\n"
                                                  "\t- waiting to lock <0x0000000000000abc> (a "
                                                  "C\"<&\\)\n"
                                                  "\tat C\"<&\\.x;y z(Unknown Source)\n"
                                                  "\tat a.B.run(B.java:12)\n"
                                                  "\t- locked <0x0000000000000007> (a a.B)\n\n"
                                                  "   Locked ownable synchronizers:\n"
                                                  "\t- <0x0000000000000201> (a a.B)\n"
                                                  "\t- <0x0000000000000202> (a a.B)\n\n"
                                                  "\"a'\\x0A" SMILE
                                                  "\\xED\\xA0\\xBD\\xED\\xB8\\x80\" #22 prio=5 "
                                                  "tid=0x0000000000000016"
                                                  " nid=0x16 runnable\n"
                                                  "   java.lang.Thread.State: RUNNABLE\n"
                                                  "\tat a.B.run(B.java:13)\n"
                                                  "\t- locked <0x0000000000000abc> (a C\"<&\\)\n"
                                                  "\t...\n\n"
                                                  "\"virtual-33\" #33 prio=1 "
                                                  "tid=0x0000000000000021 nid=0x21 waiting on "
                                                  "condition\n"
                                                  "   java.lang.Thread.State: TIMED_WAITING "
                                                  "(sleeping)\n"
                                                  "\t- parking to wait for  "
                                                  "<0x0000000000000201> (a a.B)\n\n");
}

#define DOT_HEAD                                                                                   \
    "digraph calls {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"                 \
    "  edge [fontname=\"sans-serif\", fontsize=9];\n"

static void test_dot(void **state)
{
    (void)state;
    expect_text(
        "dot", (struct export_options){.no_threads = true, .max_nodes = 10},
        "// " ORIGIN(
            "\"format\":\"dot\",\"no-threads\":true,\"max-nodes\":10") "\n"
                                                                       "// 6 snapshots of threads. "
                                                                       "Left out (--max-nodes): 0 "
                                                                       "nodes, of at most 0 "
                                                                       "snapshots"
                                                                       " each; 0 snapshots "
                                                                       "executed in them; 0 "
                                                                       "edges.\n" DOT_HEAD "  n0 "
                                                                       "[label=\"C\\\"<&amp;"
                                                                       "\\\\\\nx;y z\\n1 of 1 "
                                                                       "(16.7%)\"];\n"
                                                                       "  n1 "
                                                                       "[label=\"a.B\\nrun\\n4 of "
                                                                       "5 (83.3%)\"];\n"
                                                                       "  n2 [label=\"[callers cut "
                                                                       "off]\\n0 of 2 (33.3%)\", "
                                                                       "style=dashed];\n"
                                                                       "  n0 -> n0 [label=\"1\", "
                                                                       "weight=17, "
                                                                       "penwidth=1.17];\n"
                                                                       "  n1 -> n0 [label=\"1\", "
                                                                       "weight=17, "
                                                                       "penwidth=1.17];\n"
                                                                       "  n2 -> n1 [label=\"2\", "
                                                                       "weight=34, "
                                                                       "penwidth=1.83];\n"
                                                                       "}\n");
    expect_text(
        "dot", (struct export_options){.no_threads = true, .max_nodes = 1},
        "// " ORIGIN(
            "\"format\":\"dot\",\"no-threads\":true,\"max-nodes\":1") "\n"
                                                                      "// 6 snapshots of threads. "
                                                                      "Left out (--max-nodes): 2 "
                                                                      "nodes, of at most 2 "
                                                                      "snapshots"
                                                                      " each; 1 snapshots executed "
                                                                      "in them; 3 edges.\n" DOT_HEAD
                                                                      "  n1 [label=\"a.B\\nrun\\n4 "
                                                                      "of 5 (83.3%)\"];\n"
                                                                      "}\n");
    struct exported e = export_small("dot", (struct export_options){.max_nodes = 10});
    assert_non_null(strstr(e.data, "a\\\"\\\\x0A" SMILE "\\\\xED"));
    assert_non_null(
        strstr(e.data, "[label=\"server\\n0 of 6 (100.0%)\", shape=ellipse, style=bold]"));
    free(e.data);
}

/* ---- JSON, read by jansson ---- */

static json_t *read_json(const char *format, struct export_options options)
{
    struct exported e = export_small(format, options);
    json_error_t why;
    json_t *json = json_loadb(e.data, e.size, JSON_REJECT_DUPLICATES, &why);
    if (!json)
        fail_msg("%s:%d: %s", format, why.line, why.text);
    free(e.data);
    return json;
}

/* The element that a path such as "executions 0 vms 1" leads to, printed. */
static void expect_at(json_t *json, const char *path, const char *want)
{
    char words[256];
    snprintf(words, sizeof words, "%s", path);
    for (char *rest = words, *word; (word = strsep(&rest, " "));)
        json = json_is_array(json) ? json_array_get(json, strtoul(word, NULL, 10))
                                   : json_object_get(json, word);
    char *got = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
    if (!got || strcmp(got, want) != 0)
        fail_msg("%s: %s instead of %s", path, got ? got : "nothing", want);
    free(got);
}

#define MENDED "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"

static void test_json(void **state)
{
    (void)state;
    json_t *json = read_json("json", (struct export_options){0});
    expect_at(json, "format", "\"roxi-export\"");
    expect_at(json, "version", "1");
    expect_at(json, "options", "{\"format\":\"json\"}");
    expect_at(json, "executions 0 name", "\"run 1\"");
    expect_at(json, "executions 0 vms 0 pid", "77");
    expect_at(json, "executions 0 vms 0 problem", "null");
    const char *first = "executions 0 vms 0 snapshots 0 ";
    char path[128];
    static const char *const facts[][2] = {
        {"packet", "7"},
        {"real-ns", "1767323045678000000"},
        {"missed", "1"},
        {"threads", "[[0,1025,4],[1,5,5],[2,225,0]]"},
        {"locks", "[[0,\"enters\",2748,1,-1],[0,\"owns\",7,0,2],[1,\"owns\",2748,1,0],"
                  "[0,\"owns-synchronizer\",513,0,-1],[0,\"owns-synchronizer\",514,0,-1],"
                  "[2,\"parked\",513,0,-1]]"},
        {"waits", "[[1,\"read\",\"a:1\",\"b\\\"2\"]]"},
        {"sockets", "[[1,\"open\",\"a:1\",\"\"],[null,\"closed\",\"c\",\"\"]]"},
        {"joins", "[[0,1]]"},
        {"waits-partial", "true"},
        {"exceptions", "[[0,1,0,3]]"},
        {"first-exceptions", "[[null,1,2],[1,0,0]]"},
        {"first-exceptions-dropped", "7"},
        {"started", "[[1,2]]"},
        {"turns", "[[2,9]]"},
        {"covered", "[[0,0],[4,70000]]"},
        {"pauses", "[[4,70000,9],[0,0,0]]"},
        {"traffic", "[[1,2,3,4,5,\"here\",\"a:1\",\"b\\\"2\"],[1,0,3,0,0,null,\"a:1\",\"c\"]]"},
        {"process", "{\"cpu-ns\":1,\"rss-bytes\":2,\"descriptors\":3,\"gc-count\":4,\"gc-ns\":5}"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        snprintf(path, sizeof path, "%s%s", first, facts[i][0]);
        expect_at(json, path, facts[i][1]);
    }
    expect_at(json, "executions 0 vms 0 first-exceptions", "[[0,1,3]]");
    expect_at(json, "executions 0 vms 0 covered", "[[5,1]]");
    expect_at(json, "executions 0 vms 0 snapshots 2 threads", "[[0,1025,2],[1,5,5]]");
    expect_at(json, "executions 0 vms 0 threads 1",
              "{\"id\":22,\"start\":2,\"name\":\"a\\\"\\n" SMILE MENDED
              "\",\"group\":\"g\",\"parent\":\"p\",\"priority\":null,\"daemon\":false,"
              "\"virtual\":false}");
    expect_at(json, "executions 0 vms 0 threads 2 daemon", "null");
    expect_at(json, "executions 0 vms 0 threads 2 left-behind", "true");
    expect_at(json, "classes", "[[\"a.B\",\"B.java\"],[\"C\\\"<&\\\\\",\"\"]]");
    expect_at(json, "methods", "[[0,\"run\",\"()V\"],[1,\"x;y z\",\"(I)V\"]]");
    expect_at(json, "frames", "[[0,12],[1,-1],[1,-3],[0,13],[1,8],[0,14]]");
    expect_at(json, "stacks", "[null,null,[0,0],[2,1],[3,2],[1,3]]");
    json_decref(json);
}

static void test_speedscope(void **state)
{
    (void)state;
    json_t *json = read_json("speedscope", (struct export_options){.lines = true});
    expect_at(json, "$schema", "\"https://www.speedscope.app/file-format-schema.json\"");
    expect_at(json, "exporter", "\"roxi " IXOR_VERSION "\"");
    expect_at(json, "roxi options", "{\"format\":\"speedscope\",\"lines\":true}");
    expect_at(json, "profiles 0",
              "{\"type\":\"sampled\",\"name\":\"run 1 server main 5\",\"unit\":\"none\","
              "\"startValue\":0,\"endValue\":3,\"samples\":[[1,2,3],[1]],\"weights\":[1,2]}");
    expect_at(json, "profiles 1 samples", "[[0,4],[],[0,4]]");
    expect_at(json, "profiles 1 weights", "[1,1,1]");
    expect_at(json, "profiles 2 name", "\"run 1 server virtual-33\"");
    expect_at(json, "shared frames 0", "{\"name\":\"[callers cut off]\"}");
    expect_at(json, "shared frames 1", "{\"name\":\"a.B.run\",\"file\":\"B.java\",\"line\":12}");
    expect_at(json, "shared frames 3", "{\"name\":\"C\\\"<&\\\\.x;y z\"}");
    json_decref(json);
    json = read_json("speedscope", (struct export_options){0});
    expect_at(json, "profiles 0 samples", "[[1,2,2],[1]]");
    expect_at(json, "profiles 1 samples", "[[0,1],[],[0,1]]");
    expect_at(json, "shared frames 1", "{\"name\":\"a.B.run\",\"file\":\"B.java\"}");
    json_decref(json);
}

/* ---- pprof, by a decoder of its own ---- */

static struct ix_out inflated(const struct exported *e)
{
    struct ix_out out = {0};
    unsigned char piece[64]; /* small, so that several are needed */
    z_stream z = {.next_in = (unsigned char *)e->data, .avail_in = (unsigned)e->size};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    int status = Z_OK;
    while (status == Z_OK) {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        status = inflate(&z, Z_NO_FLUSH);
        ix_put_bytes(&out, piece, sizeof piece - z.avail_out);
    }
    assert_int_equal(status, Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    inflateEnd(&z);
    return out;
}

/* A field; of a varint the number, else the bytes. False at the end. */
static bool next_field(struct ix_in *in, uint64_t *field, uint64_t *number, struct ix_in *bytes)
{
    if (ix_in_left(in) == 0)
        return false;
    uint64_t tag = ix_get_varint(in);
    *field = tag >> 3;
    *number = 0;
    *bytes = ix_in_of(NULL, 0);
    if ((tag & 7) == 0) {
        *number = ix_get_varint(in);
    } else {
        assert_int_equal(tag & 7, 2);
        struct ix_span span = ix_get_string(in, SIZE_MAX);
        *bytes = ix_in_of(span.text, span.len);
    }
    assert_false(in->failed);
    return true;
}

/* The profile as text: a message a line, its fields with numbers, or bytes in hexadecimal. */
struct decoded {
    char *text;
    size_t size;
    FILE *out;
    struct ix_span strings[64];
    size_t string_count;
};

static void put_message(struct decoded *d, struct ix_in in)
{
    uint64_t field, number;
    struct ix_in bytes;
    const char *between = "";
    while (next_field(&in, &field, &number, &bytes)) {
        fprintf(d->out, "%s%d", between, (int)field);
        between = " ";
        if (ix_in_left(&bytes) == 0) {
            fprintf(d->out, "=%llu", (unsigned long long)number);
            continue;
        }
        fputs("=", d->out);
        while (ix_in_left(&bytes))
            fprintf(d->out, "%02x", ix_get_u8(&bytes));
    }
}

static void test_pprof(void **state)
{
    (void)state;
    struct exported e = export_small("pprof", (struct export_options){0});
    struct ix_out profile = inflated(&e);
    struct decoded d = {0};
    d.out = open_memstream(&d.text, &d.size);
    uint64_t field, number;
    struct ix_in in = ix_in_of(profile.data, profile.len), bytes;
    while (next_field(&in, &field, &number, &bytes)) {
        if (field == 6) {
            assert_true(d.string_count < 64);
            d.strings[d.string_count++] =
                (struct ix_span){(const char *)bytes.at, ix_in_left(&bytes)};
            continue;
        }
        fprintf(d.out, "%d: ", (int)field);
        if (ix_in_left(&bytes))
            put_message(&d, bytes);
        else
            fprintf(d.out, "%llu", (unsigned long long)number);
        putc('\n', d.out);
    }
    fclose(d.out);
    /* Location ids are leaf first: 4 and 3 (x;y z), 2 (run); labels are pairs of strings. */
    assert_string_equal(d.text, "1: 1=1 2=2\n"
                                "2: 1=040302 2=01 3=08031004 3=08051006 3=08071008\n"
                                "2: 1=0501 2=02 3=08031004 3=08051006 3=08071009\n"
                                "2: 1=0 2=01 3=08031004 3=08051006 3=0807100a\n"
                                "2: 1=02 2=02 3=08031004 3=08051006 3=08071008\n"
                                "3: 1=1 5=11 7=1 8=1 9=1\n"
                                "4: 1=1 2=1 4=0801\n"
                                "4: 1=2 2=1 4=0802100c\n"
                                "4: 1=3 2=1 4=0803\n"
                                "4: 1=4 2=1 4=0803\n"
                                "4: 1=5 2=1 4=0802100d\n"
                                "5: 1=1 2=12\n"
                                "5: 1=2 2=13 3=14 4=15\n"
                                "5: 1=3 2=16 3=17\n"
                                "9: 1767323045678000000\n"
                                "11: 1=18 2=2\n"
                                "12: 1\n"
                                "13: 19\n");
    static const char *const strings[] = {
        "",
        "snapshots",
        "count",
        "execution",
        "run 1",
        "role",
        "server",
        "thread",
        "main 5",
        "a\"\n" SMILE MENDED,
        "virtual-33",
        "camp",
        "[callers cut off]",
        "a.B.run",
        "a.B.run()V",
        "B.java",
        "C\"<&\\.x;y z",
        "C\"<&\\.x;y z(I)V",
        "packets",
        ORIGIN("\"format\":\"pprof\""),
    };
    assert_int_equal(d.string_count, sizeof strings / sizeof *strings);
    for (size_t i = 0; i < d.string_count; i++) {
        assert_int_equal(d.strings[i].len, strlen(strings[i]));
        assert_memory_equal(d.strings[i].text, strings[i], d.strings[i].len);
    }
    free(d.text);
    free(e.data);
    ix_out_free(&profile);
}

/* ---- parts, and logs of the fuzzer ---- */

/* A log in parts numbers things anew; the same again adds counts and nothing else. */
static void test_numbers_begin_anew(void **state)
{
    (void)state;
    struct export_dictionary d = {.keeps = EXPORT_LINES};
    for (int i = 0; i < 2; i++) {
        struct ix_out log = example_log();
        struct ix_log_reader *r = read_bytes(&log);
        struct export_log l;
        export_log_init(&l, r, &d);
        next_snapshot(r);
        assert_int_equal(export_log_stack(&l, IX_STACK_EMPTY), IX_STACK_EMPTY);
        assert_int_equal(export_log_stack(&l, IX_STACK_CUT), IX_STACK_CUT);
        assert_int_equal(export_log_stack(&l, 3), 3);
        assert_int_equal(export_log_stack(&l, 2), 2);
        export_log_release(&l);
        ix_log_reader_close(r);
        ix_out_free(&log);
    }
    assert_int_equal(export_stack_count(&d), 4);
    assert_string_equal(export_place_of(&d, 0).class_name, "a.B");
    assert_string_equal(export_place_of(&d, 0).source, "");
    export_dictionary_free(&d);
}

static void export_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t data[65536];
    assert_non_null(file);
    size_t len, size = fread(data, 1, sizeof data, file);
    fclose(file);
    uint8_t *log = log_bytes(data, size, &len);
    struct ix_error err = {""};
    for (size_t i = 0; log && i < EXPORT_NAMES; i++) {
        const struct export_options options = {.max_nodes = 3};
        struct exported e = export_bytes(export_names[i], options, log, len, &err);
        if (e.status == 0 && (i == 1 || i == 2)) {
            json_t *json = json_loadb(e.data, e.size, JSON_DECODE_INT_AS_REAL, NULL);
            if (!json)
                fail_msg("%s as %s is no JSON", path, export_names[i]);
            json_decref(json);
        }
        free(e.data);
    }
    free(log);
}

static void test_corpus(void **state)
{
    (void)state;
    static const char dir[] = "tests/fuzz/corpus/tracelog"; /* tests run in the project's root */
    DIR *corpus = opendir(dir);
    char path[512];
    size_t files = 0;
    assert_non_null(corpus);
    for (const struct dirent *entry; (entry = readdir(corpus));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        export_file(path);
        files++;
    }
    closedir(corpus);
    assert_true(files > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collapsed),
        cmocka_unit_test(test_jstack),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_speedscope),
        cmocka_unit_test(test_pprof),
        cmocka_unit_test(test_numbers_begin_anew),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
