/* SPDX-License-Identifier: Apache-2.0 */
/* CONTROL and REPLY in bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schema/protocol/control.h"
#include "schema/protocol/protocol.h"

static struct ix_out out;

static int tear_down(void **state)
{
    (void)state;
    ix_out_free(&out);
    return 0;
}

static void commands_in_bytes(void **state)
{
    (void)state;
    static const uint8_t want[] = {17, 0,   0,   0,   7,   'I', 'X', 'O',  'R',  2,  0,
                                   4,  'm', 'a', 'r', 'k', 4,   'a', 0xc3, 0xa4, '?'};
    struct ix_control m = {.verb = "mark", .text = "a\xc3\xa4\n"}, back;
    ix_encode_control(&out, &m);
    assert_int_equal(out.len, sizeof want);
    assert_memory_equal(out.data, want, sizeof want);
    assert_int_equal(ix_decode_control(out.data + 5, out.len - 5, &back, NULL), 0);
    assert_string_equal(back.verb, "mark");
    assert_string_equal(back.text, "a\xc3\xa4?");
    for (size_t size = 0; size < out.len - 5; size++)
        assert_int_equal(ix_decode_control(out.data + 5, size, &back, NULL), -1);
}

static void commands_have_rules(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t byte;
        const char *says;
    } table[] = {
        {5, 'J', "magic"}, {9, 1, "protocol version 1"}, {11, 33, "verb"},  {12, '\n', "verb"},
        {16, 200, "text"}, {17, 0x9b, "text"},           {19, 0x1b, "text"}};
    struct ix_control m = {.verb = "mark", .text = "abc"};
    ix_encode_control(&out, &m);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ix_error err = {""};
        const uint8_t before = out.data[table[i].at];
        out.data[table[i].at] = table[i].byte;
        assert_int_equal(ix_decode_control(out.data + 5, out.len - 5, &m, &err), -1);
        out.data[table[i].at] = before;
        if (!strstr(err.text, table[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, table[i].says);
    }
}

static void replies_have_room(void **state)
{
    (void)state;
    static struct ix_reply m, back;
    m.ok = true;
    memset(m.text, 'x', IX_REPLY_MAX);
    ix_encode_reply(&out, &m);
    assert_true(out.len <= IX_MESSAGE_PREFIX + IX_MESSAGE_MAX);
    struct ix_message_frame frame;
    assert_int_equal(ix_next_message(out.data, out.len, &frame, NULL), 1);
    assert_int_equal(frame.type, IX_REPLY);
    assert_int_equal(ix_decode_reply(frame.payload, frame.payload_size, &back, NULL), 0);
    assert_true(back.ok);
    assert_string_equal(back.text, m.text);
    ix_out_clear(&out);
    ix_encode_reply(&out, &(struct ix_reply){.text = "no"});
    assert_int_equal(ix_decode_reply(out.data + 5, out.len - 5, &back, NULL), 0);
    assert_false(back.ok);
    assert_string_equal(back.text, "no");
    out.data[5] = 2;
    assert_int_equal(ix_decode_reply(out.data + 5, out.len - 5, &back, NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(commands_in_bytes, tear_down),
        cmocka_unit_test_teardown(commands_have_rules, tear_down),
        cmocka_unit_test_teardown(replies_have_room, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
