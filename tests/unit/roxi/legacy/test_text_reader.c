/* SPDX-License-Identifier: Apache-2.0 */
/* The text layout's parser and conversion on small logs: what each line may be, where errors are
 * said to be, logs cut anywhere, identifiers that get a new meaning, threads that look alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "tests/support/text_support.h"

static const char *const lines[] = {
    /*  1 */ "17",
    /*  2 */ "role\\twith tab\trmi \\\\ 1.log",
    /*  3 */ "jvm",
    /*  4 */ "1",
    /*  5 */ "-100",
    /*  6 */ "2",
    /*  7 */ "0000000A",
    /*  8 */ "main",
    /*  9 */ "main group",
    /* 10 */ "system",
    /* 11 */ "1",
    /* 12 */ "5",
    /* 13 */ "2",
    /* 14 */ "00000001 12",
    /* 15 */ "00000002 -3",
    /* 16 */ "0000000B",
    /* 17 */ "",
    /* 18 */ "\xC3\xA4",
    /* 19 */ "a\\\\b\\nc",
    /* 20 */ "2",
    /* 21 */ "401",
    /* 22 */ "0",
    /* 23 */ "2",
    /* 24 */ "00000001 00000001 run ()V",
    /* 25 */ "00000001 00000002 do\\sit \\e",
    /* 26 */ "1",
    /* 27 */ "00000001 a.B$C B.java",
    /* 28 */ "17",
    /* 29 */ "role\\twith tab\trmi \\\\ 1.log",
    /* 30 */ "jvm",
    /* 31 */ "9",
    /* 32 */ "9223372036854775807",
    /* 33 */ "1",
    /* 34 */ "0000000A",
    /* 35 */ "main",
    /* 36 */ "main group",
    /* 37 */ "system",
    /* 38 */ "1",
    /* 39 */ "4294967295",
    /* 40 */ "1",
    /* 41 */ "00000003 -1",
    /* 42 */ "1",
    /* 43 */ "00000002 00000003 <init> (I)V",
    /* 44 */ "1",
    /* 45 */ "00000002 c.D \\e",
};
enum { LINES = sizeof lines / sizeof lines[0], FIRST_BLOCK = 27 };

/* The log with line `number` (from 1, 0: none) replaced. Not inlined: gcc 12 mistakes what
 * open_memstream leaves for a pointer to a dead variable. */
__attribute__((noinline)) static char *text_with(int number, const char *replacement, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    for (int i = 0; i < LINES; i++)
        fprintf(out, "%s\n", i + 1 == number ? replacement : lines[i]);
    fclose(out);
    return text;
}

static void test_round_trip(void **state)
{
    (void)state;
    size_t size;
    struct ix_error err = {""};
    char *text = text_with(0, NULL, &size);
    struct outcome got = convert_text(text, size, &err);
    assert_int_equal(got.status, 0);
    assert_int_equal(got.blocks, 2);
    assert_false(got.torn);
    struct bytes back = log_to_text(got.log, &err);
    assert_string_equal(back.data, text);
    free(back.data);
    free(got.log.data);
    free(text);
}

#define AT(line) "log:" #line ": "
static const struct {
    int line;
    const char *replacement, *message;
} broken[] = {
    {1, "-1", AT(1) "found '-1', expected a process id"},
    {1, "", AT(1) "found '', expected a process id"},
    {1, "4294967296", AT(1) "found '4294967296', expected a process id"},
    {2, "role", AT(2) "found 'role', expected <role><TAB><RMI log file or nothing>"},
    {2, "\\x\t",
     AT(2) "found an unknown escape in '\\x', expected <role><TAB><RMI log file or nothing>"},
    {3, "\xFF\xFE", AT(3) "found malformed UTF-8 in '\\xFF\\xFE', expected the virtual machine"},
    {4, "0", AT(4) "found '0', expected a packet number, 1 or more"},
    {4, "99999999999999999999", AT(4) "found '99999999999999999999', expected a packet number"},
    {4, "9", AT(31) "found '9', expected a packet number above the one before"},
    {5, "x", AT(5) "found 'x', expected a counter value, ns"},
    {6, "-1", AT(6) "found '-1', expected a number of threads"},
    {6, "99999999999999999999", AT(6) "found '99999999999999999999', expected a number of threads"},
    {6, "3",
     AT(25) "found an unknown escape in '00000001 00000002 do\\sit \\e', expected a group name"},
    {6, "1", AT(16) "found '0000000B', expected a number of methods"},
    {7, "main", AT(7) "found 'main', expected a thread identifier, hex"},
    {7, "12345678901234567", AT(7) "found '12345678901234567', expected a thread identifier, hex"},
    {8, "a\rb",
     AT(8) "found a carriage return (lines end in LF alone) in 'a\\x0Db', expected a thread name"},
    {9, "\xC0\x80", AT(9) "found malformed UTF-8 in '\\xC0\\x80', expected a group name"},
    {10, "\\", AT(10) "found an unknown escape in '\\', expected a parent name"},
    {11, "-1", AT(11) "found '-1', expected a logical start"},
    {12, "4294967296", AT(12) "found '4294967296', expected a thread status"},
    {13, "-1", AT(13) "found '-1', expected a number of frames"},
    {13, "99999999999999999999",
     AT(13) "found '99999999999999999999', expected a number of frames"},
    {13, "1", AT(15) "found '00000002 -3', expected a thread identifier, hex"},
    {14, "00000001", AT(14) "found '00000001', expected <method id, hex> <line: -3 or more>"},
    {14, "00000001 -4", AT(14) "found '00000001 -4', expected <method id, hex> <line: -3 or more>"},
    {14, "00000001 2147483648",
     AT(14) "found '00000001 2147483648', expected <method id, hex> <line: -3 or more>"},
    {14, "00000001  12",
     AT(14) "found '00000001  12', expected <method id, hex> <line: -3 or more>"},
    {15, "00000009 1",
     AT(15) "found method 00000009, expected one that this block or one before it writes"},
    {15, "00000003 1",
     AT(15) "found method 00000003, expected one that this block or one before it writes"},
    {23, "3", AT(26) "found '1', expected <class id, hex> <method id, hex> <name> <descriptor>"},
    {24, "00000001 00000001 run",
     AT(24) "found '00000001 00000001 run', expected <class id, hex> <method id, hex> <name> "
            "<descriptor>"},
    {24, "00000001 00000001 r\\un ()V",
     AT(24) "found an unknown escape in 'r\\un', expected <class id, hex> <method id, hex> <name> "
            "<descriptor>"},
    {24, "00000002 00000001 run ()V",
     AT(24) "found class 00000002, expected one that this block or one before it writes"},
    {25, "00000001 00000001 do\\sit \\e",
     AT(25) "found a second method 00000001 in one block, expected each once"},
    {26, "0", AT(24) "found class 00000001, expected one that this block or one before it writes"},
    {26, "2", AT(28) "found '17', expected <class id, hex> <class name> <source file>"},
    {27, "00000001 a.B$C ",
     AT(27) "found '00000001 a.B$C ', expected <class id, hex> <class name> <source file>"},
    {28, "18", AT(28) "found '18', expected the process id of the first block"},
    {28, "1", AT(28) "found '1', expected the process id of the first block"},
    {28, "170", AT(28) "found '170', expected the process id of the first block"},
    {29, "other\t", AT(29) "found 'other\\x09', expected the role and RMI log of the first block"},
    {30, "jvm 2", AT(30) "found 'jvm 2', expected the virtual machine of the first block"},
    {32, "9223372036854775808", AT(32) "found '9223372036854775808', expected a counter value, ns"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        size_t size;
        struct ix_error err = {""};
        char *text = text_with(broken[i].line, broken[i].replacement, &size);
        struct outcome got = convert_text(text, size, &err);
        if (got.status != -1)
            fail_msg("line %d '%s' was taken", broken[i].line, broken[i].replacement);
        assert_string_equal(err.text, broken[i].message);
        free(got.log.data);
        free(text);
    }
}

/* A log cut at any byte is what its whole blocks say; nothing of it is an error. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    size_t size, first = 0;
    struct ix_error err = {""};
    char *text = text_with(0, NULL, &size);
    for (int i = 0; i < FIRST_BLOCK; i++)
        first += strlen(lines[i]) + 1;
    struct outcome one = convert_text(text, first, &err);
    struct bytes want = log_to_text(one.log, &err);
    for (size_t cut = 0; cut < size; cut++) {
        struct outcome got = convert_text(text, cut, &err);
        assert_int_equal(got.status, 0);
        assert_int_equal(got.blocks, cut < first ? 0 : 1);
        assert_int_equal(got.torn, cut != 0 && cut != first);
        if (cut >= first) {
            struct bytes back = log_to_text(got.log, &err);
            assert_string_equal(back.data, want.data);
            free(back.data);
        }
        free(got.log.data);
    }
    free(want.data);
    free(one.log.data);
    free(text);
}

/* What the text of a log says about who wrote it, however short it is. */
static void test_identity(void **state)
{
    (void)state;
    struct ix_error err = {""};
    static const char text[] = "17\nweb\t/tmp/rmi\njvm\n1\n";
    const struct text_block *block;
    for (size_t cut = 0; cut <= strlen(text); cut++) {
        struct text_lines *input = text_lines_open_memory(text, cut, "log", &err);
        struct text_reader *r = text_reader_new(input, &err);
        assert_int_equal(text_reader_next(r, &block, &err), 0);
        struct text_identity who = text_reader_identity(r);
        assert_int_equal(who.has_pid, cut >= 3);
        assert_int_equal(who.role != NULL, cut >= 16);
        assert_int_equal(who.jvm != NULL, cut >= 20);
        if (who.jvm) {
            assert_int_equal(who.pid, 17);
            assert_string_equal(who.role, "web");
            assert_string_equal(who.rmi_log, "/tmp/rmi");
            assert_string_equal(who.jvm, "jvm");
        }
        text_reader_free(r);
    }
}

static struct outcome converted(const char *text)
{
    struct ix_error err = {""};
    struct outcome got = convert_text(text, strlen(text), &err);
    assert_string_equal(err.text, "");
    return got;
}

/* Name of the executing frame's method, of the `index`-th thread in the next snapshot. */
static const char *top_method(struct ix_log_reader *r, const struct ix_snapshot *s, size_t index)
{
    uint32_t frame = ix_log_stack_frame(r, s->entries[index].stack);
    return ix_log_method_at(r, ix_log_frame_at(r, frame).method).name;
}

#define HEAD "1\nr\t\nj\n"
#define THREAD "1\nmain\ng\np\n1\n1\n"

/* Packet 2 uses what packet 1 wrote, packet 3 gives the identifier a new meaning, packet 4 uses
 * that, 5 changes the class of a method only. */
static void test_new_meaning(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct outcome got = converted(HEAD "1\n1\n1\n" THREAD "1\nA 5\n"
                                        "1\nC A old ()V\n"
                                        "1\nC c.Old \\e\n" HEAD "2\n2\n1\n" THREAD "1\nA 5\n"
                                        "0\n"
                                        "0\n" HEAD "3\n3\n1\n" THREAD "1\nA 5\n"
                                        "1\nC A new ()V\n"
                                        "0\n" HEAD "4\n4\n1\n" THREAD "1\nA 5\n"
                                        "0\n"
                                        "0\n" HEAD "5\n5\n1\n" THREAD "1\nA 5\n"
                                        "1\nC A new ()V\n"
                                        "1\nC c.New \\e\n");
    struct ix_log_reader *r = ix_log_open_memory(got.log.data, got.log.size, "log", &err);
    static const char *const names[] = {"old", "old", "new", "new", "new"};
    struct ix_snapshot s;
    for (uint64_t packet = 1; packet <= 5; packet++) {
        assert_int_equal(ix_log_next(r, &s, &err), 1);
        assert_int_equal(s.packet, packet);
        assert_string_equal(top_method(r, &s, 0), names[packet - 1]);
        uint32_t frame = ix_log_stack_frame(r, s.entries[0].stack);
        struct ix_method m = ix_log_method_at(r, ix_log_frame_at(r, frame).method);
        assert_string_equal(ix_log_class_at(r, m.class_number).name,
                            packet < 5 ? "c.Old" : "c.New");
    }
    assert_int_equal(ix_log_next(r, &s, &err), 0);
    ix_log_reader_close(r);
    free(got.log.data);
}

/* Two threads that share everything are two; each comes back in the next packet. A thread with
 * another name, or another start, is another one. */
static void test_alike(void **state)
{
    (void)state;
    struct ix_error err = {""};
#define IDLE(name, start) "1\n" name "\ng\np\n" start "\n1\n0\n"
    struct outcome got = converted(HEAD "1\n1\n2\n" IDLE("a", "1") IDLE(
        "a", "1") "0\n0\n" HEAD "2\n1\n1\n" IDLE("a", "1") "0\n0\n" HEAD "3\n1\n4\n" IDLE("b", "1")
                                       IDLE("a", "1") IDLE("a", "2") IDLE("a", "1") "0\n0\n");
    static const struct {
        size_t count;
        uint32_t numbers[4];
    } want[] = {{2, {1, 2}}, {1, {1}}, {4, {1, 2, 3, 4}}};
    struct ix_log_reader *r = ix_log_open_memory(got.log.data, got.log.size, "log", &err);
    struct ix_snapshot s;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ix_log_next(r, &s, &err), 1);
        assert_int_equal(s.count, want[i].count);
        for (size_t k = 0; k < s.count; k++)
            assert_int_equal(s.entries[k].thread, want[i].numbers[k]);
    }
    struct ix_thread t = ix_log_thread_at(r, 3);
    assert_string_equal(t.name, "b");
    assert_int_equal(t.priority, IX_PRIORITY_UNKNOWN);
    assert_int_equal(t.flags, IX_THREAD_DAEMON_UNKNOWN);
    ix_log_reader_close(r);
    free(got.log.data);
}

/* One thread and one stack, written in different ways, are the same; so are those that come back
 * after others. */
static void test_same_content(void **state)
{
    (void)state;
    struct ix_error err = {""};
#define BUSY(id, frames) id "\na\ng\np\n1\n1\n2\n" frames
    struct outcome got = converted(HEAD "1\n1\n1\n" BUSY(
        "A",
        "B 7\nC -1\n") "2\nD B b ()V\nD C c ()V\n1\nD d.D \\e\n" HEAD
                       "2\n1\n1\n" BUSY("000a", "0b 07\n00C -1\n") "0\n0\n" HEAD "3\n1\n1\n" BUSY(
                           "A", "C -1\nC -1\n") "0\n0\n" HEAD
                                                "4\n1\n1\n" BUSY("000a", "B 7\nC -1\n") "0\n0\n");
    static const uint32_t stacks[] = {3, 3, 4, 3};
    struct ix_log_reader *r = ix_log_open_memory(got.log.data, got.log.size, "log", &err);
    struct ix_snapshot s;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ix_log_next(r, &s, &err), 1);
        assert_int_equal(s.count, 1);
        assert_int_equal(s.entries[0].thread, 1);
        assert_int_equal(s.entries[0].stack, stacks[i]);
    }
    assert_int_equal(ix_log_thread_count(r), 2);
    ix_log_reader_close(r);
    free(got.log.data);
}

/* Lines of a stack that is known count: errors behind it are where they are. In a stack that is
 * known but for one line, that line is told. */
static void test_errors_behind_known(void **state)
{
    (void)state;
#define FIRST HEAD "1\n1\n1\n" THREAD "2\nA 5\nA 6\n1\nC A a ()V\n1\nC c.C \\e\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {FIRST HEAD "2\n2\n1\n" THREAD "2\nA 5\nA 6\nx\n",
         AT(35) "found 'x', expected a number of methods"},
        {FIRST HEAD "2\n2\n1\n" THREAD "2\nA 5\nA x\n0\n0\n",
         AT(34) "found 'A x', expected <method id, hex> <line: -3 or more>"},
        {FIRST HEAD "2\n2\n1\n" THREAD "4\nA 5\nA x\n",
         AT(34) "found 'A x', expected <method id, hex> <line: -3 or more>"},
        {FIRST HEAD "2\n2\n2\n" THREAD "2\nA 5\nA 6\n" THREAD "2\nA 5\nB 6\n0\n0\n",
         AT(43) "found method 0000000B, expected one that this block or one before it writes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ix_error err = {""};
        struct outcome got = convert_text(cases[i].text, strlen(cases[i].text), &err);
        assert_int_equal(got.status, -1);
        assert_string_equal(err.text, cases[i].message);
        free(got.log.data);
    }
}

__attribute__((noinline)) static char *deep_text(size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    for (int packet = 1; packet <= 4; packet++) {
        fprintf(out, HEAD "%d\n1\n2\n" THREAD "150000\n", packet);
        for (int i = 0; i < 150000; i++)
            fprintf(out, "0000000A %d\n", i % 100 + packet / 4);
        fprintf(out, "2\nother\ng\np\n2\n1\n1\n0000000A 1\n%s",
                packet == 1 ? "1\nC A a ()V\n1\nC c.C \\e\n" : "0\n0\n");
    }
    fclose(out);
    return text;
}

/* A stack that is longer than the reader's buffer, of a file, is recognised as well. */
static void test_deep_stack(void **state)
{
    (void)state;
    struct ix_error err = {""};
    char path[] = "/tmp/test_text_reader.XXXXXX";
    size_t size;
    char *text = deep_text(&size);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    struct text_reader *r = text_reader_new(text_lines_open(path, &err), &err);
    const struct text_block *block;
    for (uint32_t packet = 1; packet <= 4; packet++) {
        assert_int_equal(text_reader_next(r, &block, &err), 1);
        assert_int_equal(block->frame_count, 150001);
        assert_int_equal(block->threads[0].stack, packet < 4 ? 1 : 3);
        assert_int_equal(block->threads[1].stack, 2);
        assert_int_equal(block->known->frame_count, packet < 4 ? 150001 : 300001);
    }
    assert_int_equal(text_reader_next(r, &block, &err), 0);
    text_reader_free(r);
    unlink(path);
    close(fd);
    free(text);
}

__attribute__((noinline)) static char *long_text(size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    for (int i = 1; i <= 40000; i++)
        fprintf(out, HEAD "%d\n%d\n2\n" THREAD "2\nA %d\nB 1\n1\nother\ng\np\n2\n1\n0\n%s", i, i,
                i % 7, i == 1 ? "2\nC A run ()V\nC B go ()V\n1\nC c.D D.java\n" : "0\n0\n");
    fclose(out);
    return text;
}

/* A log longer than the reader's buffer, from a file, is the same as from memory. */
static void test_long_file(void **state)
{
    (void)state;
    struct ix_error err = {""};
    char path[] = "/tmp/test_text_reader.XXXXXX";
    size_t size;
    char *text = long_text(&size);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    struct outcome memory = convert_text(text, size, &err);
    struct outcome file = convert_lines(text_lines_open(path, &err), &err);
    unlink(path);
    close(fd);
    assert_true(size > 2 * 1024 * 1024);
    assert_int_equal(memory.blocks, 40000);
    assert_int_equal(file.blocks, 40000);
    assert_int_equal(memory.log.size, file.log.size);
    assert_memory_equal(memory.log.data, file.log.data, file.log.size);
    free(memory.log.data);
    free(file.log.data);
    free(text);
}

static void test_long_line(void **state)
{
    (void)state;
    struct ix_error err = {""};
    size_t size = TEXT_LINE_MAX + 2;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '1', size);
    struct outcome got = convert_text(text, size, &err);
    assert_int_equal(got.status, -1);
    assert_string_equal(err.text,
                        "log:1: found a line of more than 524288 bytes, expected a shorter one");
    free(got.log.data);
    free(text);
}

/* A line of a thread, or of a stack, may be as long as any, and no longer. */
static void test_long_line_inside(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        static const char before[] = HEAD "1\n1\n1\nA\n", behind[] = "\ng\np\n1\n1\n0\n0\n0\n";
        struct ix_error err = {""};
        const size_t begin = strlen(before), size = TEXT_LINE_MAX + extra;
        char *text = malloc(begin + size + sizeof behind);
        assert_non_null(text);
        memcpy(text, before, begin);
        memset(text + begin, 'n', size);
        memcpy(text + begin + size, behind, sizeof behind);
        struct outcome got = convert_text(text, begin + size + strlen(behind), &err);
        assert_int_equal(got.status, extra ? -1 : 0);
        assert_int_equal(got.blocks, extra ? 0 : 1);
        if (extra)
            assert_string_equal(
                err.text, "log:8: found a line of more than 524288 bytes, expected a shorter one");
        free(got.log.data);
        free(text);
    }
}

static void test_no_regular_file(void **state)
{
    (void)state;
    struct ix_error err = {""};
    assert_null(text_lines_open("/dev/zero", &err));
    assert_string_equal(err.text, "cannot read '/dev/zero': not a regular file");
    assert_null(text_lines_open("/", &err));
    assert_null(text_lines_open("/nonexistent/log", &err));
    assert_string_equal(err.text, "cannot read '/nonexistent/log': No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_cut_anywhere),    cmocka_unit_test(test_identity),
        cmocka_unit_test(test_new_meaning),     cmocka_unit_test(test_alike),
        cmocka_unit_test(test_same_content),    cmocka_unit_test(test_errors_behind_known),
        cmocka_unit_test(test_deep_stack),      cmocka_unit_test(test_long_line_inside),
        cmocka_unit_test(test_long_file),       cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_no_regular_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
