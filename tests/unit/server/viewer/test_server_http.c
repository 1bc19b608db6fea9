/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer on real sockets: who is let in, what is answered, what is bounded, and that nothing is
 * lost or leaked when clients or the server go in the middle of it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "schema/tracelog/writer.h"
#include "server/sampling/ticker.h"
#include "server/viewer/http.h"
#include "server/viewer/http_peers.h"
#include "server/viewer/http_route.h"
#include "tests/support/serving.h"

static struct ixor_http *http;
static struct ixor_address address; /* the viewer's */
static char token[IXOR_TOKEN_LEN + 1], host[IXOR_ADDRESS_TEXT];

static void serve(void)
{
    struct ix_error err = {""};
    const struct ixor_service_events events = {0};
    struct ixor_address listen;
    serve_with(tempdir, (struct ixor_service_options){.rhythm = {.every_ns = 5000000}}, &events,
               "run0001", "command");
    assert_int_equal(ixor_http_parse_address("0", &listen, &err), 0);
    http = ixor_http_new(base, service, tempdir, &listen, &err);
    if (!http)
        fail_msg("%s", err.text);
    assert_int_equal(sscanf(ixor_http_url(http), "http://%63[^/]/%32[0-9a-f]/", host, token), 2);
    assert_int_equal(ixor_parse_address(host, &address, &err), 0);
}

static int set_up(void **state)
{
    if (nobody_there(state) != 0)
        return -1;
    serve();
    return 0;
}

static int tear_down(void **state)
{
    ixor_http_free(http);
    stop_serving();
    return all_leave(state);
}

/* ---- a client ---- */

struct client {
    int fd;
    char in[262144];
    size_t size;
    bool eof;
};
static struct client client;

static int dial(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    assert_true(connect(fd, (const struct sockaddr *)&address.sa, address.len) == 0 ||
                errno == EINPROGRESS);
    return fd;
}

static void client_open(void)
{
    client = (struct client){.fd = dial()};
}

static void client_send(const char *data, size_t size)
{
    while (size) {
        const ssize_t n = send(client.fd, data, size, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != ENOTCONN)
            return; /* the server has closed; what it said is still to be read */
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
        step();
    }
}

/* True when a whole reply, or the end, is there. */
static bool client_replied(void)
{
    const ssize_t n =
        recv(client.fd, client.in + client.size, sizeof client.in - 1 - client.size, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != ENOTCONN))
        client.eof = true;
    client.size += n > 0 ? (size_t)n : 0;
    client.in[client.size] = '\0';
    const char *head_end = strstr(client.in, "\r\n\r\n");
    const char *length = strstr(client.in, "Content-Length: ");
    if (!head_end || !length || length > head_end)
        return client.eof;
    return client.eof || client.size >= (size_t)(head_end + 4 - client.in) +
                                            strtoul(length + strlen("Content-Length: "), NULL, 10);
}

static int status_of(void)
{
    int status = 0;
    return sscanf(client.in, "HTTP/1.%*d %d", &status) == 1 ? status : 0;
}

static const char *body(void)
{
    const char *head_end = strstr(client.in, "\r\n\r\n");
    return head_end ? head_end + 4 : "";
}

/* One request on a connection of its own; its status. */
static int ask_raw(const char *request, size_t size)
{
    client_open();
    client_send(request, size);
    WAIT(client_replied());
    close(client.fd);
    return status_of();
}

static int ask_as(const char *method, const char *as_host, const char *path)
{
    char request[1024];
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, path, as_host,
             strcmp(method, "POST") == 0 ? "Content-Length: 0\r\n" : "");
    return ask_raw(request, strlen(request));
}

/* Behind the token. */
static int ask(const char *method, const char *rest)
{
    char path[512];
    snprintf(path, sizeof path, "/%s%s", token, rest);
    return ask_as(method, host, path);
}

/* GET of what must be there; the reference is the caller's. */
static json_t *get(const char *rest)
{
    if (ask("GET", rest) != 200)
        fail_msg("%s: %s", rest, client.in);
    json_t *json = json_loads(body(), 0, NULL);
    assert_non_null(json);
    return json;
}

/* ---- who is let in ---- */

static void without_the_token(void **state)
{
    (void)state;
    char path[128], wrong[IXOR_TOKEN_LEN + 1];
    memcpy(wrong, token, sizeof wrong);
    wrong[IXOR_TOKEN_LEN - 1] = wrong[IXOR_TOKEN_LEN - 1] == '0' ? '1' : '0';
    const char *const tokens[] = {"", "x", wrong};
    static const char *const rests[] = {"/", "/api/state", "/api/vm/1/packet/last", "/api/pause"};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "/%s%s", tokens[i], rests[k]);
            assert_int_equal(ask_as("GET", host, path), 403);
            assert_null(strstr(client.in, token));
            assert_int_equal(ask_as("POST", host, path), 403);
        }
    }
    assert_false(ixor_ticker_paused(ixor_service_context(service)->ticker));
    assert_int_equal(ask("GET", "/"), 200);
}

/* A web page elsewhere whose name leads to 127.0.0.1. */
static void names_that_lead_here(void **state)
{
    (void)state;
    char path[64], name[64];
    const char *port = strrchr(host, ':');
    snprintf(path, sizeof path, "/%s/api/state", token);
    static const char *const good[] = {"127.0.0.1", "localhost", "[::1]"};
    static const char *const bad[] = {"evil.example", "127.0.0.1.evil.example", "", "localhost."};
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", good[i], port);
        assert_int_equal(ask_as("GET", name, path), 200);
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", bad[i], port);
        assert_int_equal(ask_as("GET", name, path), 403);
    }
    assert_int_equal(ask_as("GET", "127.0.0.1", path), 403);
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.0\r\n\r\n", path);
    assert_int_equal(ask_raw(request, strlen(request)), 403);
}

static void methods(void **state)
{
    (void)state;
    assert_int_equal(ask("POST", "/api/state"), 405);
    assert_int_equal(ask("GET", "/api/pause"), 405);
    assert_int_equal(ask("GET", "/api/snapshot"), 405);
    assert_false(ixor_ticker_paused(ixor_service_context(service)->ticker));
    static const char *const others[] = {"PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "HEAD"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_true(ask(others[i], "/api/pause") >= 400 || client.eof);
    assert_int_equal(ask("GET", "/api/nothing"), 404);
    assert_int_equal(ask("GET", ""), 404);
}

/* Hashes in the policy are those of what the page has. */
static void the_page(void **state)
{
    (void)state;
    static const char *const parts[][3] = {{"<style>", "</style>", "style-src 'sha256-"},
                                           {"<script>", "</script>", "script-src 'sha256-"}};
    assert_int_equal(ask("GET", "/"), 200);
    assert_non_null(strstr(client.in, "Content-Type: text/html; charset=utf-8\r\n"));
    assert_non_null(strstr(client.in, "Referrer-Policy: no-referrer\r\n"));
    assert_non_null(strstr(client.in, "X-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(client.in, "Content-Security-Policy: default-src 'none'; "));
    assert_null(strstr(client.in, "unsafe-inline"));
    assert_null(strstr(body(), "innerHTML"));
    assert_null(strstr(body(), "src=\""));
    for (size_t i = 0; i < 2; i++) {
        const char *from = strstr(body(), parts[i][0]) + strlen(parts[i][0]);
        const char *to = strstr(from, parts[i][1]), *policy = strstr(client.in, parts[i][2]);
        unsigned char digest[32], base64[64];
        assert_true(to > from && policy);
        assert_int_equal(EVP_Digest(from, (size_t)(to - from), digest, NULL, EVP_sha256(), NULL),
                         1);
        EVP_EncodeBlock(base64, digest, 32);
        assert_int_equal(strncmp(policy + strlen(parts[i][2]), (char *)base64, 44), 0);
    }
}

static void where_it_may_listen(void **state)
{
    (void)state;
    static const struct {
        const char *text, *address;
    } cases[] = {
        {"8080", "127.0.0.1:8080"},
        {":8080", "127.0.0.1:8080"},
        {"0.0.0.0:81", "0.0.0.0:81"},
        {"127.0.0.2", "127.0.0.2:0"},
        {"[::1]:99", "[::1]:99"},
        {"[::1]", "[::1]:0"},
        {"99999", NULL},
        {"", NULL},
        {":", NULL},
        {"127.0.0.1:", NULL},
        {"127.0.0.1:http", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ixor_address at;
        struct ix_error err = {""};
        char text[IXOR_ADDRESS_TEXT];
        const int bad = ixor_http_parse_address(cases[i].text, &at, &err);
        if ((bad != 0) != (cases[i].address == NULL))
            fail_msg("'%s' %s: %s", cases[i].text, bad ? "refused" : "taken", err.text);
        if (bad)
            continue;
        ixor_address_text(&at, text);
        assert_string_equal(text, cases[i].address);
    }
    struct ix_error err = {""};
    assert_null(ixor_http_new(base, service, tempdir, &address, &err));
    assert_non_null(strstr(err.text, "--http"));
}

/* ---- bounds ---- */

static void requests_are_bounded(void **state)
{
    (void)state;
    static char request[4 * IXOR_HTTP_HEAD];
    int used = snprintf(request, sizeof request, "GET /%s/api/state?execution=", token);
    memset(request + used, '1', 2 * IXOR_HTTP_HEAD);
    snprintf(request + used + 2 * IXOR_HTTP_HEAD, 64, " HTTP/1.1\r\n\r\n");
    const int status = ask_raw(request, strlen(request));
    assert_true(status >= 400 || (status == 0 && client.eof));
    used = snprintf(request, sizeof request, "GET /%s/ HTTP/1.1\r\nHost: %s\r\nX: ", token, host);
    memset(request + used, 'x', 2 * IXOR_HTTP_HEAD);
    assert_true(ask_raw(request, (size_t)used + 2 * IXOR_HTTP_HEAD) >= 400 || client.eof);
    used = snprintf(request, sizeof request,
                    "POST /%s/api/pause HTTP/1.1\r\nHost: %s\r\nContent-Length: 999999999\r\n\r\n",
                    token, host);
    assert_true(ask_raw(request, (size_t)used) >= 400 || client.eof);
    assert_false(ixor_ticker_paused(ixor_service_context(service)->ticker));
    static const char garbage[] = "\x16\x03\x01\x02\x00\x01\x00 not HTTP at all\r\n\r\n";
    assert_true(ask_raw(garbage, sizeof garbage - 1) >= 400 || client.eof);
    assert_int_equal(ask("GET", "/api/state"), 200);
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

#define CROWD 200

/* CROWD connections that each send `start`, and later a byte now and then; beside them somebody who
 * knows what he wants has his answer long before their time is over, again and again. */
static void beside_slow_ones(const char *start)
{
    int fds[CROWD];
    const size_t before = open_descriptors();
    for (size_t i = 0; i < CROWD; i++) {
        fds[i] = dial();
        step();
        (void)!send(fds[i], start, strlen(start), MSG_NOSIGNAL);
    }
    for (int n = 0; n < 5; n++) {
        const uint64_t asked = ixor_mono_ns();
        assert_int_equal(ask("GET", "/api/state"), 200);
        assert_true(ixor_mono_ns() - asked < IXOR_HTTP_SECONDS / 2 * UINT64_C(1000000000));
        for (size_t i = 0; i < CROWD; i++)
            (void)!send(fds[i], "x", 1, MSG_NOSIGNAL);
        assert_true(open_descriptors() <= before + CROWD + IXOR_HTTP_PEERS + IXOR_HTTP_BACKLOG + 1);
    }
    WAIT(open_descriptors() <= before + CROWD + IXOR_HTTP_PEERS);
    for (size_t i = 0; i < CROWD; i++)
        close(fds[i]);
    assert_int_equal(ask("GET", "/api/state"), 200);
}

static void slow_strangers_make_way(void **state)
{
    (void)state;
    beside_slow_ones("");
    beside_slow_ones("GET /0123");
}

/* Those who have been answered once, and now take their time. */
static void slow_friends_make_way(void **state)
{
    (void)state;
    char start[256];
    snprintf(start, sizeof start, "GET /%s/api/nothing HTTP/1.1\r\nHost: %s\r\n\r\nGET /%s/", token,
             host, token);
    beside_slow_ones(start);
}

/* Questions that nobody waits for any more, and more of them than may wait. */
static void clients_that_go(void **state)
{
    (void)state;
    char request[256];
    snprintf(request, sizeof request, "GET /%s/api/state HTTP/1.1\r\nHost: %s\r\n\r\n", token,
             host);
    for (int i = 0; i < 200; i++) {
        client_open();
        client_send(request, strlen(request));
        if (i % 2)
            step();
        close(client.fd);
    }
    int status;
    while ((status = ask("GET", "/api/state")) == 503) /* while those wait */
        assert_non_null(strstr(client.in, "Retry-After: 1\r\n"));
    assert_int_equal(status, 200);
    /* Those at hand when the server ends are in tear_down. */
    for (int i = 0; i < 20; i++) {
        client_open();
        client_send(request, strlen(request));
    }
    close(client.fd);
}

/* ---- what is shown and done ---- */

static void join(const char *log)
{
    double_open(&a, ixor_service_address(service), 7);
    snprintf(a.hello.role, sizeof a.hello.role, "<img src=x onerror=alert(1)>\x1b[2J\"'&");
    snprintf(a.hello.log, sizeof a.hello.log, "%s", log);
    gethostname(a.hello.host, sizeof a.hello.host - 1);
    double_hello(&a);
    WAIT(a.welcomed);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
}

static void hostile_names(void **state)
{
    (void)state;
    join("/nowhere/x.ixl");
    json_t *json = get("/api/state");
    const json_t *vm =
        json_array_get(json_object_get(json_object_get(json, "execution"), "vms"), 0);
    assert_string_equal(json_string_value(json_object_get(vm, "role")),
                        "<img src=x onerror=alert(1)>?[2J\"'&");
    assert_null(strchr(body(), '\x1b'));
    assert_non_null(strstr(client.in, "Content-Type: application/json\r\n"));
    json_decref(json);
    assert_int_equal(ask("GET", "/api/vm/1/packet/last"), 404);
    assert_non_null(strstr(body(), "not in the campaign's directory"));
    assert_int_equal(ask("GET", "/api/vm/2/packet/last"), 404);
    assert_int_equal(ask("GET", "/api/state?execution=9"), 404);
}

static void actions(void **state)
{
    (void)state;
    assert_int_equal(ask("POST", "/api/snapshot"), 409);
    assert_int_equal(ask("POST", "/api/pause"), 200);
    assert_string_equal(body(), "{\"paused\":true}");
    join("/nowhere/x.ixl");
    const uint64_t until = ixor_mono_ns() + 50000000; /* ten intervals */
    WAIT(ixor_mono_ns() > until);
    assert_int_equal(a.requests, 0);
    json_t *json = get("/api/state");
    assert_true(json_is_true(json_object_get(json, "paused")));
    json_decref(json);
    assert_int_equal(ask("POST", "/api/snapshot"), 200);
    json = json_loads(body(), 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(json, "vms")), 1);
    WAIT(a.requests == 1);
    assert_int_equal(a.request[0].number, json_integer_value(json_object_get(json, "packet")));
    json_decref(json);
    double_report(&a, a.request[0].number, a.request[0].number, 100);
    assert_int_equal(ask("POST", "/api/resume"), 200);
    WAIT(a.requests >= 3);
    double_goodbye(&a, IX_BYE_EXIT, "done");
    WAIT(a.eof);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    json = get("/api/state");
    const json_t *vm =
        json_array_get(json_object_get(json_object_get(json, "execution"), "vms"), 0);
    assert_string_equal(json_string_value(json_object_get(vm, "state")), "orderly");
    assert_int_equal(json_integer_value(json_object_get(vm, "taken")), 1);
    json_decref(json);
}

static void a_stack_through_it_all(void **state)
{
    (void)state;
    const char *log = in_tempdir("runs/a.ixl");
    struct ix_log_writer *w = ix_log_create(log, NULL);
    assert_non_null(w);
    const uint32_t class = ix_log_class(w, "C", "");
    const uint32_t frame = ix_log_frame(w, ix_log_method(w, class, "m", "()V"), 3);
    const uint32_t stack = ix_log_stack(w, IX_STACK_EMPTY, frame);
    const struct ix_thread t = {
        .number = 1, .start = 1, .name = "<script>", .group = "", .parent = ""};
    assert_int_equal(ix_log_thread(w, &t), 0);
    join(log);
    for (uint64_t p = 1; p <= 3; p++) {
        const struct ix_entry entry = {1, 5, stack};
        const struct ix_snapshot s = {.packet = p, .entries = &entry, .count = 1};
        assert_int_equal(ix_log_snapshot(w, &s), 0);
        json_t *json = get("/api/vm/1/packet/last");
        assert_int_equal(json_integer_value(json_object_get(json, "packet")), p);
        json_decref(json);
    }
    json_t *json = get("/api/vm/1/packet/2/thread/1");
    assert_int_equal(json_array_size(json_object_get(json, "frames")), 1);
    assert_int_equal(json_integer_value(json_object_get(json, "vm")), 1);
    json_decref(json);
    json_decref(get("/api/vm/1/packets"));
    assert_int_equal(ask("GET", "/api/vm/1/packet/9"), 404);
    assert_int_equal(ix_log_writer_close(w), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(without_the_token),
        TEST(names_that_lead_here),
        TEST(methods),
        TEST(the_page),
        TEST(where_it_may_listen),
        TEST(requests_are_bounded),
        TEST(slow_strangers_make_way),
        TEST(slow_friends_make_way),
        TEST(clients_that_go),
        TEST(hostile_names),
        TEST(actions),
        TEST(a_stack_through_it_all),
    };
    signal(SIGPIPE, SIG_IGN); /* as the server's programs do */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
