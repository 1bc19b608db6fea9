/* SPDX-License-Identifier: Apache-2.0 */
/* Requests, probes and answers: their bytes, and whose datagrams are believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "schema/protocol/datagram.h"

static const uint8_t secret_a[IX_SECRET_SIZE] = {1, 2, 3}, secret_b[IX_SECRET_SIZE] = {1, 2, 4};
static const struct ix_datagram worked = {IX_REQUEST, 0x0102030405060708, 300, 1ull << 61, 9};

static void sealed(const uint8_t *secret, const struct ix_datagram *d, uint8_t *bytes)
{
    struct ix_sealer *s = ix_sealer_new(secret);
    assert_non_null(s);
    assert_int_equal(ix_datagram_seal(s, d, bytes), 0);
    ix_sealer_free(s);
}

static bool opens(const uint8_t *secret, const uint8_t *bytes, size_t size, struct ix_datagram *d)
{
    struct ix_sealer *s = ix_sealer_new(secret);
    assert_non_null(s);
    uint8_t *copy = malloc(size + !size); /* exactly that much: a sanitizer sees what is beyond */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    bool good = ix_datagram_open(s, copy, size, d);
    free(copy);
    ix_sealer_free(s);
    return good;
}

static void assert_same(const struct ix_datagram *a, const struct ix_datagram *b)
{
    assert_true(a->kind == b->kind && a->session == b->session && a->number == b->number);
    assert_true(a->time_ns == b->time_ns && a->sent_ns == b->sent_ns);
}

static void bytes_by_hand(void **state)
{
    (void)state;
    /* The MAC was computed with another program:
     * Python's hmac module. */
    static const uint8_t want[64] = {
        'I',  'X',  'R',  'Q',  2,    0,    1,    0,    8,    7,    6,    5,    4,
        3,    2,    1,    0x2c, 1,    0,    0,    0,    0,    0,    0,    0,    0,
        0,    0,    0,    0,    0,    0x20, 9,    0,    0,    0,    0,    0,    0,
        0,    0,    0,    0,    0,    0,    0,    0,    0,    0x4f, 0xe9, 0x7a, 0xe5,
        0x7e, 0xa1, 0xf0, 0xb9, 0x36, 0x75, 0x9e, 0xaa, 0xe8, 0xba, 0x1f, 0x51};
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram back;
    sealed(secret_a, &worked, bytes);
    assert_memory_equal(bytes, want, sizeof want);
    assert_true(opens(secret_a, bytes, sizeof bytes, &back));
    assert_same(&back, &worked);
    assert_true(ix_datagram_session(bytes, sizeof bytes) == worked.session);
}

static void every_changed_bit_is_noticed(void **state)
{
    (void)state;
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram back;
    sealed(secret_a, &worked, bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(opens(secret_a, bytes, sizeof bytes, &back));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(opens(secret_a, bytes, sizeof bytes, &back));
}

static void another_secret_opens_nothing(void **state)
{
    (void)state;
    uint8_t bytes[IX_DATAGRAM_SIZE];
    struct ix_datagram back;
    sealed(secret_a, &worked, bytes);
    assert_false(opens(secret_b, bytes, sizeof bytes, &back));
}

static void other_sizes_are_no_datagrams(void **state)
{
    (void)state;
    uint8_t bytes[IX_DATAGRAM_SIZE + 1] = {0};
    struct ix_datagram back;
    sealed(secret_a, &worked, bytes);
    for (size_t size = 0; size <= sizeof bytes; size++)
        assert_int_equal(opens(secret_a, bytes, size, &back), size == IX_DATAGRAM_SIZE);
}

/* Sealed well and yet not to be believed: a server of another version, or one gone mad. */
static void fields_have_rules(void **state)
{
    (void)state;
    struct ix_datagram back;
    uint8_t bytes[IX_DATAGRAM_SIZE];
    static const struct ix_datagram bad[] = {
        {(enum ix_datagram_kind)0, 1, 1, 0, 0},
        {(enum ix_datagram_kind)4, 1, 1, 0, 0},
        {IX_REQUEST, 0, 1, 0, 0},
        {IX_PROBE, 1, 0, 0, 0},
        {IX_ANSWER, 1, 1ull << 53, 0, 0},
        {IX_PROBE, 1, 1, 1, 0},
        {IX_REQUEST, 1, 1, 1ull << 62, 0},
        {IX_ANSWER, 1, 1, 1ull << 62, 0},
        {IX_ANSWER, 1, 1, 0, 1ull << 62},
        {IX_REQUEST, 1, 1, UINT64_MAX, 0},
    };
    static const struct ix_datagram good[] = {
        {IX_ANSWER, UINT64_MAX, (1ull << 53) - 1, (1ull << 62) - 1, (1ull << 62) - 1},
        {IX_REQUEST, 1, 1, (1ull << 62) - 1, 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        sealed(secret_a, &good[i], bytes);
        assert_true(opens(secret_a, bytes, sizeof bytes, &back));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sealed(secret_a, &bad[i], bytes);
        assert_false(opens(secret_a, bytes, sizeof bytes, &back));
    }
    static const size_t fixed[] = {0, 3, 4, 5, 40, 47}; /* magic, version, room */
    sealed(secret_a, &worked, bytes);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        bytes[fixed[i]] ^= 1;
        assert_false(ix_datagram_decode(bytes, sizeof bytes, &back));
        assert_true(ix_datagram_session(bytes, sizeof bytes) == 0);
        bytes[fixed[i]] ^= 1;
    }
    assert_true(ix_datagram_decode(bytes, sizeof bytes, &back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(every_changed_bit_is_noticed),
        cmocka_unit_test(another_secret_opens_nothing),
        cmocka_unit_test(other_sizes_are_no_datagrams),
        cmocka_unit_test(fields_have_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
