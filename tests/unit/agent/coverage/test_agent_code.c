/* SPDX-License-Identifier: Apache-2.0 */
/* Probes in one method: what becomes of its code and of the tables of it, worked out by hand; and
 * methods that stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/class_maker.h"

/* ---- code ---- */

static void one_block(void **state)
{
    (void)state;
    CONTENT(0, 0xb1); /* return */
    PUT(&content, 0, 0);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 5, PROBE(0), 0xb1, 0, 0, 0, 0);
    assert_int_equal(probed.block_count, 1);
    assert_int_equal(probed.blocks[0].line, 0);
    assert_string_equal(probed.methods[0].name, "m");
    assert_string_equal(probed.methods[0].descriptor, "()V");
}

static void if_else(void **state)
{
    (void)state;
    CONTENT(0, 0x1a, 0x99, 0, 5, /* 0 iload_0; ifeq 6 */
            0x04, 0xac,          /* 4 iconst_1; ireturn */
            0x03, 0xac);         /* 6 iconst_0; ireturn */
    PUT(&content, 0, 3, 0, STACK_MAP, 0, 0, 0, 3, 0, 1, 6);
    PUT(&content, 0, LINES, 0, 0, 0, 10, 0, 2, 0, 6, 1, 12, 0, 0, 1, 11); /* in no order */
    PUT(&content, 0, ANNOTATIONS, 0, 0, 0, 1, 0x44);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 20, PROBE(0), 0x1a, 0x99, 0, 9, PROBE(1), 0x04, 0xac, PROBE(2),
           0x03, 0xac, 0, 0, 0, 2, 0, STACK_MAP, 0, 0, 0, 3, 0, 1, 14, 0, LINES, 0, 0, 0, 10, 0, 2,
           0, 14, 1, 12, 0, 0, 1, 11);
    assert_int_equal(probed.block_count, 3);
    assert_int_equal(probed.blocks[0].line, 256 + 11);
    assert_int_equal(probed.blocks[1].line, 256 + 11);
    assert_int_equal(probed.blocks[2].line, 256 + 12);
}

/* A jump to the first instruction goes to its probe; what no jump goes to is a block behind one. */
static void loops(void **state)
{
    (void)state;
    CONTENT(0, 0xa7, 0, 0,                 /* 0 goto 0 */
            0xc8, 0xff, 0xff, 0xff, 0xfd); /* 3 goto_w 0 */
    PUT(&content, 0, 1, 0, STACK_MAP, 0, 0, 0, 4, 0, 2, 0, 2);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 16, PROBE(0), 0xa7, 0xff, 0xfc, PROBE(1), 0xc8, 0xff, 0xff, 0xff,
           0xf5, 0, 0, 0, 1, 0, STACK_MAP, 0, 0, 0, 4, 0, 2, 0, 6);
}

static void tableswitch(void **state)
{
    (void)state;
    CONTENT(0, 0x1a, 0xaa, 0, 0, 0, 0, 0, 23,   /* 0 iload_0; tableswitch, padding, default 24 */
            0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, /* from -1 to 0 */
            0, 0, 0, 24, 0, 0, 0, 23,           /* 25, 24 */
            0xb1, 0xb1);                        /* 24 and 25 return */
    PUT(&content, 0, 0);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 38, PROBE(0), 0x1a, 0xaa, 0, 0, 0, 0, 0, 23, 0xff, 0xff, 0xff, 0xff,
           0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 23, PROBE(1), 0xb1, PROBE(2), 0xb1, 0, 0, 0, 0);
}

static void lookupswitch(void **state)
{
    (void)state;
    CONTENT(0, 0xb1, 0x1a, 0xab, 0, 0, 0, 0, 18, /* 1 iload_0; lookupswitch, padding, default 20 */
            0, 0, 0, 1, 0, 0, 0, 7,              /* one pair: for 7 */
            0xff, 0xff, 0xff, 0xff,              /* 1 */
            0xb1);                               /* 20 return */
    PUT(&content, 0, 0);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 33, PROBE(0), 0xb1, PROBE(1), 0x1a, 0xab, 0, 0, 0, 0, 18, 0, 0, 0,
           1, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xfb, PROBE(2), 0xb1, 0, 0, 0, 0);
}

static void wide_and_long(void **state)
{
    (void)state;
    CONTENT(0, 0xc4, 0x15, 1, 0, 0x57,           /* wide iload; pop */
            0xc4, 0x84, 1, 0, 1, 0,              /* wide iinc */
            0xb9, 0, 1, 1, 0,                    /* invokeinterface */
            0xba, 0, 1, 0, 0, 0xc5, 0, 1, 2,     /* invokedynamic; multianewarray */
            0x10, 0xa7, 0x11, 0xaa, 0xaa, 0xb1); /* bipush, sipush with what jumps are */
    PUT(&content, 0, 0);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 35, PROBE(0), 0xc4, 0x15, 1, 0, 0x57, 0xc4, 0x84, 1, 0, 1, 0, 0xb9,
           0, 1, 1, 0, 0xba, 0, 1, 0, 0, 0xc5, 0, 1, 2, 0x10, 0xa7, 0x11, 0xaa, 0xaa, 0xb1, 0, 0, 0,
           0);
    assert_int_equal(probed.block_count, 1);
}

/* Probes are inside of what is handled and of a variable's range. */
static void handlers_and_variables(void **state)
{
    (void)state;
    CONTENT(1, 0x00, 0xb1, 0x4c, 0xb1); /* 0 nop; return; 2 astore_1; return */
    PUT(&content, 0, 0, 0, 2, 0, 2, 0, 0);
    PUT(&content, 0, 2, 0, VARIABLES, 0, 0, 0, 22, 0, 2, 0, 0, 0, 4, 0, 3, 0, 4, 0, 0, /* all */
        0, 3, 0, 1, 0, 3, 0, 4, 0, 1);                                                 /* the end */
    PUT(&content, 0, TYPES, 0, 0, 0, 12, 0, 1, 0, 1, 0, 1, 0, 3, 0, 4, 0, 0);
    EXPECT(0, 2, 0, 2, 0, 0, 0, 12, PROBE(0), 0x00, 0xb1, PROBE(1), 0x4c, 0xb1, 0, 1, 0, 0, 0, 6, 0,
           6, 0, 0, 0, 2, 0, VARIABLES, 0, 0, 0, 22, 0, 2, 0, 0, 0, 12, 0, 3, 0, 4, 0, 0, 0, 11, 0,
           1, 0, 3, 0, 4, 0, 1, 0, TYPES, 0, 0, 0, 12, 0, 1, 0, 5, 0, 1, 0, 3, 0, 4, 0, 0);
}

/* ---- stack maps ---- */

/* Code with a block at 0, 3, 6 and so on, and a return at its end. */
static void begin_blocks(unsigned blocks, unsigned nops)
{
    ix_out_clear(&content);
    PUT(&content, 0, 1, 0, 2);
    ixa_put_u4(&content, 3 * blocks + nops + 1);
    for (unsigned i = 0; i < blocks; i++)
        PUT(&content, 0xa7, 0, 3); /* to the next one */
    for (unsigned i = 0; i < nops; i++)
        ix_put_u8(&content, 0);
    PUT(&content, 0xb1, 0, 0);
}

/* Each frame in front of a block of three bytes, which becomes seven. */
static void frames(void **state)
{
    static const uint8_t want[] = {0,    1, 0, STACK_MAP, 0, 0,     0,    42, 0, 7, 7, /* same */
                                   70,   1,                                            /* an int */
                                   247,  0, 6, 8,         0, 7 + 4,                    /* new */
                                   249,  0, 6,                                         /* chop */
                                   251,  0, 6,                                         /* same */
                                   253,  0, 6, 1,         7, 0,     THIS,              /* append */
                                   255,  0, 6, 0,         3, 0,     8,    0,  4, 7, 0,
                                   THIS, 0, 2, 5,         8, 0,     11};
    (void)state;
    begin_blocks(8, 0);
    PUT(&content, 0, 1, 0, STACK_MAP, 0, 0, 0, 42, 0, 7, 3, 66, 1, 247, 0, 2, 8, 0, 3, 249, 0, 2,
        251, 0, 2, 253, 0, 2, 1, 7, 0, THIS, 255, 0, 2, 0, 3, 0, 8, 0, 0, 7, 0, THIS, 0, 2, 5, 8, 0,
        3);
    assert_int_equal(insert_content(), IXA_PROBED);
    assert_int_equal(probed.block_count, 9);
    const struct ix_in got = code_of(probed.bytes, probed.length, 0);
    assert_memory_equal(got.end - sizeof want, want, sizeof want);
}

/* Distances that no longer fit the first byte, and just do. */
static void far_frames(void **state)
{
    static const uint8_t want[] = {0,   1, 0,  STACK_MAP, 0,   0,  0,
                                   12,  0, 4,  251,       0,   70, /* 10 blocks */
                                   55,                             /* 8 */
                                   247, 0, 69, 1,         119, 2};
    (void)state;
    begin_blocks(40, 0);
    PUT(&content, 0, 1, 0, STACK_MAP, 0, 0, 0, 8, 0, 4, 30, 23, 93, 1, 87, 2);
    assert_int_equal(insert_content(), IXA_PROBED);
    const struct ix_in got = code_of(probed.bytes, probed.length, 0);
    assert_memory_equal(got.end - sizeof want, want, sizeof want);
}

/* ---- methods without probes ---- */

static void too_long(void **state)
{
    (void)state;
    begin_blocks(1, 65535 - 3 - 2 * 4 - 1);
    put_end();
    assert_int_equal(insert_content(), IXA_PROBED);
    begin_blocks(1, 65535 - 3 - 2 * 4);
    put_end();
    expect_kept();
}

/* Code that HotSpot compiles stays so short that it does: up to 8,000 bytes. What was longer may
 * become longer. */
static void compiled(void **state)
{
    static const struct {
        unsigned length; /* without the probe of the only block */
        bool is_probed;
    } rows[] = {{7995, true}, {7996, true}, {7997, false}, {8000, false}, {8001, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_blocks(0, rows[i].length - 1);
        put_end();
        if (!rows[i].is_probed) {
            expect_kept();
            continue;
        }
        assert_int_equal(insert_content(), IXA_PROBED);
        const struct ix_in got = code_of(probed.bytes, probed.length, 0);
        assert_int_equal(ixa_u4_at(got.at + 4), rows[i].length + 4);
    }
}

/* A jump over `nops` and two probes. */
static void jump_over(unsigned nops)
{
    ix_out_clear(&content);
    PUT(&content, 0, 1, 0, 2);
    ixa_put_u4(&content, nops + 4);
    ix_put_u8(&content, 0xa7);
    ixa_put_u2(&content, nops + 3);
    for (unsigned i = 0; i < nops; i++)
        ix_put_u8(&content, 0);
    PUT(&content, 0xb1, 0, 0);
    put_end();
}

static void too_far(void **state)
{
    (void)state;
    jump_over(32767 - 3 - 4);
    assert_int_equal(insert_content(), IXA_PROBED);
    jump_over(32767 - 3 - 3);
    expect_kept();
}

/* Each is a method that is no longer understood. */
static void not_understood(void **state)
{
    static const struct {
        uint8_t length, bytes[16];
    } codes[] = {
        {4, {0xa8, 0, 3, 0xb1}},                                   /* jsr */
        {6, {0xc9, 0, 0, 0, 5, 0xb1}},                             /* jsr_w */
        {3, {0xa9, 0, 0xb1}},                                      /* ret */
        {5, {0xc4, 0xa9, 0, 0, 0xb1}},                             /* wide ret */
        {2, {0xca, 0xb1}},                                         /* breakpoint */
        {2, {0xb1, 0x10}},                                         /* ends within bipush */
        {2, {0xb1, 0xc4}},                                         /* wide */
        {4, {0xb1, 0xc4, 0x15, 0}},                                /* wide iload */
        {4, {0xa7, 0, 1, 0xb1}},                                   /* goto into itself */
        {4, {0xa7, 0, 4, 0xb1}},                                   /* goto the end */
        {4, {0xa7, 0xff, 0xff, 0xb1}},                             /* goto before the beginning */
        {6, {0xc8, 0x7f, 0xff, 0xff, 0xff, 0xb1}},                 /* goto_w far away */
        {16, {0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1}}, /* from 2 to 1, and no default */
        {16, {0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0}}, /* from 2 to 0 */
        {16, {0xaa, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}},
        {12, {0xab, 0, 0, 0, 0, 0, 0, 12, 0xff, 0xff, 0xff, 0xff}}, /* -1 pairs */
        {12, {0xab, 0, 0, 0, 0, 0, 0, 12, 0x20, 0, 0, 0}},          /* too many */
        {11, {0xab, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        begin_content(codes[i].bytes, codes[i].length, 0);
        put_end();
        expect_kept();
    }
}

/* Of `goto 3; return` each. */
static void tables_not_understood(void **state)
{
    static const struct {
        uint8_t length, bytes[24];
    } tables[] = {
        {7, {0, OTHER, 0, 0, 0, 1, 9}},                 /* unknown */
        {12, {0, LINES, 0, 0, 0, 6, 0, 1, 0, 1, 0, 9}}, /* within an instruction */
        {12, {0, LINES, 0, 0, 0, 6, 0, 1, 0, 5, 0, 9}}, /* behind the code */
        {12, {0, LINES, 0, 0, 0, 6, 0, 2, 0, 0, 0, 9}}, /* of two, one is there */
        {12, {0, LINES, 0, 0, 0, 6, 0, 0, 0, 0, 0, 9}}, /* of none */
        {10, {0, LINES, 0, 0, 0, 4, 0, 1, 0, 0}},       /* cut */
        {18, {0, VARIABLES, 0, 0, 0, 12, 0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 0}},
        {18, {0, VARIABLES, 0, 0, 0, 12, 0, 1, 0, 0, 0xff, 0xff, 0, 3, 0, 4, 0, 0}},
        {16, {0, VARIABLES, 0, 0, 0, 10, 0, 1, 0, 0, 0, 3, 0, 3, 0, 4}},
        {9, {0, STACK_MAP, 0, 0, 0, 3, 0, 1, 2}},   /* within an instruction */
        {9, {0, STACK_MAP, 0, 0, 0, 3, 0, 1, 128}}, /* reserved */
        {9, {0, STACK_MAP, 0, 0, 0, 3, 0, 1, 246}},
        {9, {0, STACK_MAP, 0, 0, 0, 3, 0, 2, 3}},            /* one of two */
        {9, {0, STACK_MAP, 0, 0, 0, 3, 0, 1, 67}},           /* no type */
        {10, {0, STACK_MAP, 0, 0, 0, 4, 0, 1, 67, 9}},       /* an unknown one */
        {12, {0, STACK_MAP, 0, 0, 0, 6, 0, 1, 67, 8, 0, 1}}, /* made within an instruction */
        {13, {0, STACK_MAP, 0, 0, 0, 7, 0, 1, 255, 0, 3, 0xff, 0xff}},
        {8, {0, STACK_MAP, 0, 0, 0, 2, 0, 1}},
        {7, {0, STACK_MAP, 0, 0, 0, 1, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        CONTENT(0, 0xa7, 0, 3, 0xb1);
        PUT(&content, 0, 1);
        ix_put_bytes(&content, tables[i].bytes, tables[i].length);
        expect_kept();
    }
    CONTENT(1, 0xa7, 0, 3, 0xb1);
    PUT(&content, 0, 0, 0, 3, 0, 1, 0, 0); /* handles exceptions within an instruction */
    put_end();
    expect_kept();
    CONTENT(1, 0xa7, 0, 3, 0xb1);
    PUT(&content, 0, 0, 0, 2, 0, 3, 0, 0); /* until within one */
    put_end();
    expect_kept();
    CONTENT(0, 0xb1);
    put_end();
    content.data[0] = content.data[1] = 0xff; /* the largest stack */
    expect_kept();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block),
        cmocka_unit_test(if_else),
        cmocka_unit_test(loops),
        cmocka_unit_test(tableswitch),
        cmocka_unit_test(lookupswitch),
        cmocka_unit_test(wide_and_long),
        cmocka_unit_test(handlers_and_variables),
        cmocka_unit_test(frames),
        cmocka_unit_test(far_frames),
        cmocka_unit_test(too_long),
        cmocka_unit_test(compiled),
        cmocka_unit_test(too_far),
        cmocka_unit_test(not_understood),
        cmocka_unit_test(tables_not_understood),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
