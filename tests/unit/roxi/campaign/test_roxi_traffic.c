/* SPDX-License-Identifier: Apache-2.0 */
/* What went over connections, joined at both ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "roxi/campaign/traffic.h"

enum { SHOP = 1, STORE = 2, OTHER = 3 }; /* roles */

static void take(struct roxi_traffic *t, uint64_t packet, struct ix_traffic x)
{
    const struct ix_facts facts = {.traffic = &x, .traffic_count = 1};
    assert_int_equal(roxi_traffic_take(t, &facts, packet, packet), 0);
}

static void change(struct roxi_traffic *t, uint64_t packet, struct ix_connection x)
{
    const struct ix_facts facts = {.connections = {.changes = &x, .change_count = 1}};
    assert_int_equal(roxi_traffic_take(t, &facts, packet, packet), 0);
}

static const struct roxi_talk *talk_of(const struct roxi_use *u, uint32_t role, uint32_t peer,
                                       bool accepted)
{
    for (size_t i = 0; i < u->talk_count; i++)
        if (u->talks[i].role == role && u->talks[i].peer == peer &&
            u->talks[i].accepted == accepted)
            return &u->talks[i];
    return NULL;
}

static void join(struct roxi_traffic *jvms, const uint32_t *roles, size_t count, struct roxi_use *u,
                 struct roxi_history *h)
{
    struct roxi_traffic_jvm list[4] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(roxi_traffic_end(&jvms[i], 100), 0);
        list[i] = (struct roxi_traffic_jvm){&jvms[i], roles[i]};
    }
    assert_int_equal(roxi_traffic_join(list, count, u, h), 0);
    for (size_t i = 0; i < count; i++)
        roxi_traffic_free(&jvms[i]);
}

#define CLIENT "10.0.0.1:5000"
#define SERVER "10.0.0.2:80"

static void each_end_has_its_peer(void **state)
{
    (void)state;
    struct roxi_traffic jvms[2] = {{.keep = true}, {.keep = true}};
    struct roxi_use u = {0};
    struct roxi_history h = {0};
    take(&jvms[0], 1, (struct ix_traffic){CLIENT, SERVER, .sent = 3, .last = IX_SPOKE_HERE});
    take(&jvms[0], 2, (struct ix_traffic){CLIENT, SERVER, .sent = 4, .received = 1});
    change(&jvms[1], 1, (struct ix_connection){0, IX_CONNECTION_LISTENS, "[::]:80", ""});
    take(&jvms[1], 1, (struct ix_traffic){SERVER, CLIENT, .received = 7, .unread = 9});
    take(&jvms[1], 3, (struct ix_traffic){SERVER, CLIENT, .sent = 1});
    take(&jvms[1], 3, (struct ix_traffic){"10.0.0.2:6000", "10.0.0.9:25", .sent = 2});
    join(jvms, (uint32_t[]){SHOP, STORE}, 2, &u, &h);
    assert_int_equal(u.talk_count, 3);
    const struct roxi_talk *asked = talk_of(&u, SHOP, STORE, false);
    assert_int_equal(asked->sent, 7);
    const struct roxi_talk *answered = talk_of(&u, STORE, SHOP, true);
    assert_int_equal(answered->sent, 1);
    assert_int_equal(answered->unread, 2); /* from packet 1 to packet 3 */
    assert_int_equal(answered->unread_from, 1);
    assert_int_equal(talk_of(&u, STORE, 0, false)->sent, 2);
    roxi_history_order(&h);
    assert_int_equal(h.sent_count, 7); /* four times messages, and three connections */
    assert_int_equal(h.sent[1].packet, 1);
    assert_int_equal(h.sent[1].sent, 3);
    assert_int_equal(h.sent[0].connections, 1);
    assert_int_equal(h.sent[6].packet, 3);
    assert_int_equal(h.sent[6].role, STORE);
    assert_true(h.sent[6].accepted);
    roxi_use_free(&u);
    roxi_history_free(&h);
}

/* At each packet: messages sent, received, and who spoke last; the longest wait for an answer, and
 * since when. */
static void waits_are(const char *what, uint32_t longest, uint64_t from, uint64_t kept)
{
    struct roxi_traffic jvm = {.keep = true};
    struct roxi_use u = {0};
    struct roxi_history h = {0};
    uint64_t packet = 1;
    for (; *what; what += 2, packet++) {
        struct ix_traffic x = {CLIENT, SERVER, .last = IX_SPOKE_UNKNOWN};
        x.sent = *what == '>' || *what == '=' || *what == '<';
        x.received = *what == ')' || *what == '=' || *what == '<';
        x.last = *what == '>' ? IX_SPOKE_HERE : *what == '<' ? IX_SPOKE_THERE : IX_SPOKE_UNKNOWN;
        if (*what == 'x')
            change(&jvm, packet, (struct ix_connection){0, IX_CONNECTION_CLOSED, CLIENT, SERVER});
        else if (*what != '.')
            take(&jvm, packet, x);
    }
    join(&jvm, (uint32_t[]){SHOP}, 1, &u, &h);
    const struct roxi_talk *talk = talk_of(&u, SHOP, 0, false);
    assert_int_equal(talk->waits, longest);
    assert_int_equal(longest ? talk->waits_from : 0, from);
    assert_int_equal(h.silence_count, kept);
    if (kept) {
        assert_int_equal(h.silences[kept - 1].packets, longest);
        assert_int_equal(h.silences[kept - 1].packet, from);
    }
    roxi_history_free(&h);
    roxi_use_free(&u);
}

static void who_waits_for_an_answer(void **state)
{
    (void)state;
    waits_are("> . . ) ", 3, 1, 1);
    waits_are("> . > . . ) ", 5, 1, 1); /* it asks again meanwhile */
    waits_are("> . ) . . . > . . . ) ", 4, 7, 1);
    waits_are("= . . . = ", 0, 0, 0); /* both within the kernel's resolution */
    waits_are("< . . . < ", 0, 0, 0);
    waits_are("> . . x ", 3, 1, 1);
    waits_are("> . . . ", 99, 1, 1); /* until the log's end, at packet 100 */
    waits_are(") . . ) ", 0, 0, 0);
}

/* The same addresses on two hosts, as 127.0.0.1 can be: of whom it is the peer is not known. */
static void several_peers(void **state)
{
    (void)state;
    struct roxi_traffic jvms[3] = {0};
    struct roxi_use u = {0};
    take(&jvms[0], 1, (struct ix_traffic){CLIENT, SERVER, .sent = 1});
    take(&jvms[1], 1, (struct ix_traffic){SERVER, CLIENT, .sent = 1});
    take(&jvms[2], 1, (struct ix_traffic){SERVER, CLIENT, .sent = 1});
    join(jvms, (uint32_t[]){SHOP, STORE, OTHER}, 3, &u, NULL);
    assert_non_null(talk_of(&u, SHOP, 0, false));
    assert_non_null(talk_of(&u, STORE, SHOP, false));
    roxi_use_free(&u);
}

/* The store's host knows the shop by another address. */
static void translated_addresses(void **state)
{
    (void)state;
    struct roxi_traffic jvms[2] = {0};
    struct roxi_use u = {0};
    take(&jvms[0], 1, (struct ix_traffic){CLIENT, SERVER, .sent = 1});
    take(&jvms[1], 1, (struct ix_traffic){SERVER, "172.17.0.1:5000", .sent = 1});
    take(&jvms[1], 1, (struct ix_traffic){SERVER, "172.17.0.1:5001", .sent = 1});
    join(jvms, (uint32_t[]){SHOP, STORE}, 2, &u, NULL);
    assert_int_equal(u.talk_count, 3);
    assert_non_null(talk_of(&u, SHOP, STORE, false));
    assert_non_null(talk_of(&u, STORE, SHOP, false));
    assert_non_null(talk_of(&u, STORE, 0, false));
    roxi_use_free(&u);
}

/* The store has not accepted the connection yet. */
static void not_accepted(void **state)
{
    (void)state;
    struct roxi_traffic jvms[2] = {0};
    struct roxi_use u = {0};
    change(&jvms[0], 1, (struct ix_connection){0, IX_CONNECTION_OPEN, CLIENT, SERVER});
    change(&jvms[1], 1, (struct ix_connection){0, IX_CONNECTION_LISTENS, "0.0.0.0:80", ""});
    join(jvms, (uint32_t[]){SHOP, STORE}, 2, &u, NULL);
    assert_int_equal(u.talk_count, 1);
    assert_int_equal(talk_of(&u, SHOP, STORE, false)->connections, 1);
    roxi_use_free(&u);
}

static void talks_add_up(void **state)
{
    (void)state;
    struct roxi_use u = {0};
    const struct roxi_talk first = {SHOP, STORE, false, 1, 5, 2, 10, 9, 30},
                           second = {SHOP, STORE, false, 1, 6, 4, 20, 1, 40},
                           other = {SHOP, STORE, true, 1, 1, 0, 0, 0, 0};
    assert_int_equal(roxi_use_add_talk(&u, &first), 0);
    assert_int_equal(roxi_use_add_talk(&u, &second), 0);
    assert_int_equal(roxi_use_add_talk(&u, &other), 0);
    assert_int_equal(u.talk_count, 2);
    const struct roxi_talk *both = talk_of(&u, SHOP, STORE, false);
    assert_int_equal(both->connections, 2);
    assert_int_equal(both->sent, 11);
    assert_int_equal(both->waits, 4);
    assert_int_equal(both->waits_from, 20);
    assert_int_equal(both->unread, 9);
    assert_int_equal(both->unread_from, 30);
    roxi_use_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_end_has_its_peer), cmocka_unit_test(who_waits_for_an_answer),
        cmocka_unit_test(several_peers),         cmocka_unit_test(translated_addresses),
        cmocka_unit_test(not_accepted),          cmocka_unit_test(talks_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
