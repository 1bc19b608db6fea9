/* SPDX-License-Identifier: Apache-2.0 */
/* What a dump says of code that was executed, and of what came after the last packet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "roxi/export/dump.h"
#include "tests/support/tracelog_fixture.h"

static void cover(struct ix_log_writer *w, const char *source, int32_t line, uint32_t block)
{
    const uint32_t c = ix_log_class(w, "a.\x1b[2J", source);
    const uint32_t frame = ix_log_frame(w, ix_log_method(w, c, "fix", "()V"), line);
    assert_int_equal(ix_log_covered(w, &(struct ix_covered){frame, block}), 0);
}

/* All packets of a log and what follows, as roxi dump prints them; to be freed. */
static char *dumped(const struct ix_out *log)
{
    struct ix_snapshot s;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct ix_log_reader *r = read_bytes(log);
    while (ix_log_next(r, &s, NULL) > 0)
        assert_int_equal(dump_snapshot(out, r, &s, NULL), 0);
    dump_rest(out, r);
    fclose(out);
    expect_end(r);
    return text;
}

static char *dump_of(bool before, bool after)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    const struct ix_snapshot s = {.packet = 3};
    if (before) {
        cover(w, "A.java", 31, 0);
        cover(w, "A.java", IX_LINE_UNKNOWN, 1);
    }
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    if (after)
        cover(w, "A.java", 40, 2);
    assert_int_equal(ix_log_rest(w), 0);
    struct ix_out log = finish(w, fd);
    char *text = dumped(&log);
    ix_out_free(&log);
    return text;
}

/* Names cannot control the terminal. */
#define FIX "executed: a.\\x1B[2J.fix"

static void test_covered(void **state)
{
    (void)state;
    char *text = dump_of(true, true);
    const char *packet = strstr(text, FIX ":31\n" FIX "\n");
    const char *rest = strstr(text, "\nafter the last packet:\n" FIX ":40\n");
    assert_true(packet && rest && packet < rest);
    assert_null(strchr(text, '\x1b'));
    free(text);
}

static void test_pauses(void **state)
{
    (void)state;
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    const struct ix_snapshot s = {.packet = 30};
    cover(w, "A.java", 31, 0);
    const uint32_t method = ix_log_method(w, ix_log_class(w, "a.\x1b[2J", "A.java"), "fix", "()V");
    const uint32_t frame = ix_log_frame(w, method, 31);
    assert_int_equal(ix_log_pause(w, &(struct ix_pause){frame, 0, 12}), 0);
    assert_int_equal(ix_log_pause(w, &(struct ix_pause){frame, 1, 0}), 0);
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    struct ix_out log = finish(w, fd);
    char *text = dumped(&log);
    assert_non_null(strstr(text, "\nnot executed for 12 packets: a.\\x1B[2J.fix:31\n"
                                 "executed again: a.\\x1B[2J.fix:31\n"));
    free(text);
    ix_out_free(&log);
}

static void test_after_the_last_packet(void **state)
{
    (void)state;
    char *text = dump_of(false, true);
    assert_non_null(strstr(text, "\nafter the last packet:\n" FIX ":40\n"));
    free(text);
    text = dump_of(true, false);
    assert_null(strstr(text, "after the last packet"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covered),
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_after_the_last_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
