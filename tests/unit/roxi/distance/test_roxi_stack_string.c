/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks in writing: what is accepted, what each error says and where, and round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/distance/stack_string.h"

static struct roxi_symbols *symbols;

static uint32_t string(const char *text)
{
    return roxi_symbols_string(symbols, text, strlen(text));
}

static void expect_frame(uint32_t frame, const char *class_name, const char *method,
                         const char *descriptor, int line)
{
    struct roxi_frame f = roxi_symbols_frame_at(symbols, frame);
    assert_string_equal(roxi_symbols_text(symbols, f.class_name), class_name);
    assert_string_equal(roxi_symbols_text(symbols, f.method), method);
    assert_string_equal(roxi_symbols_text(symbols, f.descriptor), descriptor);
    assert_int_equal(f.line, line);
}

static uint32_t parse(const char *text)
{
    struct ix_error err = {""};
    uint32_t stack;
    if (roxi_stack_parse(symbols, text, &stack, &err) != 0)
        fail_msg("'%s': %s", text, err.text);
    return stack;
}

static void expect_printed(uint32_t stack, const char *want)
{
    struct ix_out out = {0};
    roxi_stack_print(&out, symbols, stack);
    ix_put_u8(&out, 0);
    assert_false(out.failed);
    assert_string_equal((const char *)out.data, want);
    ix_out_free(&out);
}

static void test_frames(void **state)
{
    (void)state;
    static const struct {
        const char *text, *class_name, *method, *descriptor;
        int line;
    } cells[] = {
        {"a.b.C.run(I[Ljava/lang/String;)V:12", "a.b.C", "run", "(I[Ljava/lang/String;)V", 12},
        {"C.<init>()V:-3", "C", "<init>", "()V", -3},
        {"C.run()V", "C", "run", "()V", -1},
        {"a.B$C.x([[JLa/B;D)[La/B;:0", "a.B$C", "x", "([[JLa/B;D)[La/B;", 0},
        {"a.B.do it()Z:1", "a.B", "do it", "()Z", 1},
        {"a.B.a\\.b\\;c\\(d\\\\e\\nf\\r()I:2147483647", "a.B", "a.b;c(d\\e\nf\r", "()I", INT32_MAX},
        {"a.B", "a.B", "", "", -1},
        {"a b:12", "a b:12", "", "", -1},
        {".m()V", "", "m", "()V", -1},
        {"a.B.()V", "a.B", "", "()V", -1},
        {"Gr\xc3\xbc\xc3\x9f.e()V:5", "Gr\xc3\xbc\xc3\x9f", "e", "()V", 5},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        struct roxi_stack s = roxi_symbols_stack_at(symbols, parse(cells[i].text));
        assert_int_equal(s.depth, 1);
        expect_frame(s.frame, cells[i].class_name, cells[i].method, cells[i].descriptor,
                     cells[i].line);
        expect_printed(parse(cells[i].text), cells[i].text);
    }
}

static void test_stacks(void **state)
{
    (void)state;
    static const char *const text = "a.B.f(La/C;I)La/D;:3;a.B.g()V:4;X;a.B.f(La/C;I)La/D;:3";
    uint32_t frames[4];
    uint32_t stack = parse(text);
    assert_int_equal(roxi_symbols_stack_at(symbols, stack).depth, 4);
    roxi_symbols_unfold(symbols, stack, frames);
    expect_frame(frames[0], "a.B", "f", "(La/C;I)La/D;", 3);
    expect_frame(frames[1], "a.B", "g", "()V", 4);
    expect_frame(frames[2], "X", "", "", -1);
    assert_int_equal(frames[3], frames[0]);
    expect_printed(stack, text);
    assert_int_equal(parse(text), stack);
    assert_int_equal(parse(""), 0);
    expect_printed(0, "");
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cells[] = {
        {";", "column 1: a frame is missing"},
        {"A;;B", "column 3: a frame is missing"},
        {"A;", "column 3: a frame is missing"},
        {"run()V", "column 4: Class.method is missing before '('"},
        {"A.run(", "column 7: the descriptor ends too early"},
        {"A.run()", "column 8: the descriptor ends too early"},
        {"A.run(X)V", "column 7: no type of a descriptor begins like this"},
        {"A.run(V)V", "column 7: no type of a descriptor begins like this"},
        {"A.run()[V", "column 9: no type of a descriptor begins like this"},
        {"A.run(La/B)V", "column 13: the ';' after a class name in the descriptor is missing"},
        {"A.run(L;)V", "column 7: a class name is missing after 'L'"},
        {"A.run()V12", "column 9: ';' or the end is expected after a frame"},
        {"A.run()V:", "column 10: a line number is missing after ':'"},
        {"A.run()V:-", "column 11: a line number is missing after ':'"},
        {"A.run()V:1x", "column 11: ';' or the end is expected after a frame"},
        {"A.run()V:2147483648", "column 9: the line number is too large"},
        {"A\\", "column 2: '\\' comes before one of \\ n r, in names also ; ( ."},
        {"A.f(La\\;;)V", "column 7: '\\' comes before one of \\ n r, in names also ; ( ."},
        {"A.r\\x()V", "column 4: '\\' comes before one of \\ n r, in names also ; ( ."},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        struct ix_error err = {""};
        uint32_t stack;
        assert_int_equal(roxi_stack_parse(symbols, cells[i].text, &stack, &err), -1);
        assert_string_equal(err.text, cells[i].want);
    }
}

static void test_array_dimensions(void **state)
{
    (void)state;
    char text[300];
    struct ix_error err = {""};
    uint32_t stack;
    memset(text, '[', sizeof text);
    memcpy(text, "A.f(", 4);
    memcpy(text + 4 + 255, "I)V", 4);
    assert_int_equal(roxi_stack_parse(symbols, text, &stack, &err), 0);
    text[4 + 255] = '[';
    memcpy(text + 4 + 256, "I)V", 4);
    assert_int_equal(roxi_stack_parse(symbols, text, &stack, &err), -1);
    assert_string_equal(err.text, "column 261: an array has at most 255 dimensions");
}

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64, by Vigna */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static uint32_t random_name(size_t least)
{
    static const char odd[] = "aB1$.;:()[/\\ \n\r<>\xc3\xa4";
    char name[8];
    size_t n = least + draw(sizeof name - 1 - least);
    for (size_t i = 0; i < n; i++)
        name[i] = odd[draw(sizeof odd - 1)];
    name[n] = '\0';
    return string(name);
}

/* Whatever names the dictionary holds: printing and parsing gives the same stack. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const descriptors[] = {"()V", "(I[Ljava/lang/String;)V", "([[D)La\\b c;",
                                              "(La\nb;)[Z"};
    for (int i = 0; i < 20000; i++) {
        uint32_t stack = 0;
        for (size_t depth = draw(4); depth > 0; depth--) {
            struct roxi_frame f = {.class_name = random_name(1), .line = -1};
            if (draw(4)) {
                f.method = random_name(0);
                f.descriptor = string(descriptors[draw(4)]);
                f.line = (int)draw(20) - 5;
            }
            stack = roxi_symbols_stack(symbols, stack, roxi_symbols_frame(symbols, f));
        }
        struct ix_out out = {0};
        roxi_stack_print(&out, symbols, stack);
        ix_put_u8(&out, 0);
        assert_int_equal(parse((const char *)out.data), stack);
        ix_out_free(&out);
    }
}

static int set_up(void **state)
{
    (void)state;
    const char *seed = getenv("SEED");
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    print_message("# SEED=%llu\n", (unsigned long long)random_state);
    symbols = roxi_symbols_new();
    return symbols ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    roxi_symbols_free(symbols);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),     cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_array_dimensions),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
