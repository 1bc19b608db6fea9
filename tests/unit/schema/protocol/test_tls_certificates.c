/* SPDX-License-Identifier: Apache-2.0 */
/* The handshake of those who have certificates: both sides' are looked at, and the key is proven as
 * well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/certificates.h"
#include "tests/support/tempdir.h"
#include "tests/support/wire_support.h"

static const struct ix_key right = {.bytes = "right"}, wrong = {.bytes = "wrong"};
static struct certified authority, other_authority, here, client, stranger;

static int set_up(void **state)
{
    authority = certify("CN=authority", NULL);
    other_authority = certify("CN=other", NULL);
    here = certify("IP:127.0.0.1,DNS:here", &authority);
    client = certify("DNS:client", &authority);
    stranger = certify("DNS:here", &other_authority);
    return tempdir_make(state);
}

static int tear_down(void **state)
{
    certified_free(&authority);
    certified_free(&other_authority);
    certified_free(&here);
    certified_free(&client);
    certified_free(&stranger);
    return tempdir_remove(state);
}

struct end {
    const struct certified *certificate; /* NULL: a key alone */
    enum ix_key_kind kind;
    const struct ix_key *key;
};

struct outcome {
    int done[2]; /* client, server */
    enum ix_tls_fault fault[2];
    enum ix_key_kind proven;
    bool same_secret;
};

static struct ix_tls *tls_of(enum ix_tls_side side, const struct end *e, const char *host)
{
    struct ix_error err = {""};
    struct ix_tls *tls = ix_tls_new(side, &err);
    assert_non_null(tls);
    if (e->certificate) {
        const struct ix_tls_files files = certified_files(
            side == IX_TLS_SERVER ? "server" : "client", e->certificate, &authority);
        if (ix_tls_certify(tls, &files, host, &err) != 0)
            fail_msg("%s", err.text);
    }
    ix_tls_set_key(tls, e->kind, e->key);
    return tls;
}

/* Lets a client call a server under this name. */
static struct outcome call(const struct end *c, const struct end *s, const char *host)
{
    int fds[2];
    uint8_t secrets[2][IX_SECRET_SIZE] = {{1}};
    struct outcome o = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    struct ix_tls *tls[2] = {tls_of(IX_TLS_CLIENT, c, host), tls_of(IX_TLS_SERVER, s, NULL)};
    if (s->kind == IX_KEY_AGENT)
        ix_tls_set_key(tls[1], IX_KEY_CONTROL, &wrong);
    struct ix_wire *wires[2] = {ix_wire_new(tls[0], fds[0]), ix_wire_new(tls[1], fds[1])};
    assert_true(wires[0] && wires[1]);
    for (int i = 0; i < 20; i++) {
        if (o.done[i % 2] == 0)
            o.done[i % 2] = ix_wire_shake(wires[i % 2]);
        if (o.done[i % 2] < 0) /* as a program would, and the other side sees its end */
            shutdown(fds[i % 2], SHUT_WR);
    }
    for (int i = 0; i < 2; i++)
        o.fault[i] = ix_wire_fault(wires[i]);
    if (o.done[0] > 0 && o.done[1] > 0) {
        o.proven = ix_wire_proven(wires[1]);
        o.same_secret = ix_wire_secret(wires[0], secrets[0]) == 0 &&
                        ix_wire_secret(wires[1], secrets[1]) == 0 &&
                        memcmp(secrets[0], secrets[1], IX_SECRET_SIZE) == 0;
    }
    for (int i = 0; i < 2; i++) {
        ix_wire_free(wires[i]);
        ix_tls_free(tls[i]);
        close(fds[i]);
    }
    return o;
}

static void accepted(void **state)
{
    (void)state;
    const struct end s = {&here, IX_KEY_AGENT, &right};
    static const char *const names[] = {"127.0.0.1", "here"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct outcome o = call(&(struct end){&client, IX_KEY_AGENT, &right}, &s, names[i]);
        assert_true(o.done[0] == 1 && o.done[1] == 1);
        assert_int_equal(o.proven, IX_KEY_AGENT);
        assert_true(o.same_secret);
    }
}

/* Who controls the server needs no certificate. */
static void control_by_key(void **state)
{
    (void)state;
    const struct end s = {&here, IX_KEY_AGENT, &right};
    const struct outcome o = call(&(struct end){NULL, IX_KEY_CONTROL, &wrong}, &s, "127.0.0.1");
    assert_true(o.done[0] == 1 && o.done[1] == 1);
    assert_int_equal(o.proven, IX_KEY_CONTROL);
}

static void turned_away(void **state)
{
    (void)state;
    static const struct {
        struct end client, server;
        const char *host;
        enum ix_tls_fault why; /* as the client sees it */
    } table[] = {
        /* The certificates are good, the key is not. */
        {{&client, IX_KEY_AGENT, &wrong}, {&here, IX_KEY_AGENT, &right}, "here", IX_TLS_KEY},
        {{&client, IX_KEY_CONTROL, &right}, {&here, IX_KEY_AGENT, &right}, "here", IX_TLS_KEY},
        /* The key is good, the certificates are not: another authority's, another host's, none. */
        {{&client, IX_KEY_AGENT, &right},
         {&stranger, IX_KEY_AGENT, &right},
         "here",
         IX_TLS_CERTIFICATE},
        {{&stranger, IX_KEY_AGENT, &right},
         {&here, IX_KEY_AGENT, &right},
         "here",
         IX_TLS_CERTIFICATE},
        {{&client, IX_KEY_AGENT, &right},
         {&here, IX_KEY_AGENT, &right},
         "there",
         IX_TLS_CERTIFICATE},
        {{&client, IX_KEY_AGENT, &right},
         {&here, IX_KEY_AGENT, &right},
         "127.0.0.2",
         IX_TLS_CERTIFICATE},
        {{NULL, IX_KEY_AGENT, &right}, {&here, IX_KEY_AGENT, &right}, "here", IX_TLS_CERTIFICATE},
        {{&client, IX_KEY_AGENT, &right}, {NULL, IX_KEY_AGENT, &right}, "here", IX_TLS_KEY},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct outcome o = call(&table[i].client, &table[i].server, table[i].host);
        if (o.done[0] != -1 || o.done[1] != -1 || o.fault[0] != table[i].why)
            fail_msg("row %zu: client %d, server %d, fault %d", i, o.done[0], o.done[1],
                     o.fault[0]);
    }
}

static void bad_files(void **state)
{
    (void)state;
    const struct ix_tls_files good = certified_files("good", &here, &authority);
    const struct {
        struct ix_tls_files files;
        const char *says;
    } table[] = {
        {{in_tempdir("none"), good.key, good.authorities}, "is not a readable PEM certificate"},
        {{good.key, good.key, good.authorities}, "is not a readable PEM certificate"},
        {{good.certificate, good.certificate, good.authorities}, "is not the private key"},
        {{good.certificate, in_tempdir("none"), good.authorities}, "is not the private key"},
        {{good.certificate, good.key, good.key}, "has no readable PEM certificates of authorities"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ix_error err = {""};
        struct ix_tls *tls = ix_tls_new(IX_TLS_SERVER, NULL);
        assert_int_equal(ix_tls_certify(tls, &table[i].files, NULL, &err), -1);
        ix_tls_free(tls);
        assert_non_null(strstr(err.text, table[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),
        cmocka_unit_test(control_by_key),
        cmocka_unit_test(turned_away),
        cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
