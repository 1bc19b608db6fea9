/* SPDX-License-Identifier: Apache-2.0 */
/* The server with memory that runs out, at every allocation in turn: once, and from there on. An
 * agent joins and reports, a command is given, the viewer is asked, all leave. Whatever fails: no
 * crash, no leak, and with memory there again the server takes in the next agent, or has told that
 * its catalogue is lost. ALLOCATIONS: how many points of each of the two ways, spread evenly (12,
 * and the first 20, where a connection is made); 0: all of them. ALLOCATION: this one alone, -N for
 * all from N on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "server/viewer/http.h"
#include "tests/support/allocation.h"
#include "tests/support/serving.h"

#define PATIENCE_NS UINT64_C(50000000) /* for what may never come */
#define POINT_S 40
#define SHOWN 5
#define SPREAD 12
#define CONNECTION 20

/* What is told of a process that has run one point. */
static struct seen {
    size_t count;
} * seen;
static struct ixor_http *http;

/* ---- the scenario ---- */

/* Only the server's memory runs out, not that of those who talk to it. One round: without memory a
 * socket may stay readable. */
static void turn(void)
{
    atomic_store(&allocation.armed, true);
    event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    atomic_store(&allocation.armed, false);
    if (a.tcp >= 0)
        double_receive(&a);
    if (b.tcp >= 0)
        double_receive(&b);
}

#define SETTLE(condition)                                                                          \
    do {                                                                                           \
        const uint64_t until = ixor_mono_ns() + PATIENCE_NS;                                       \
        while (!(condition) && ixor_mono_ns() < until)                                             \
            turn();                                                                                \
    } while (0)

static void view(const char *rest)
{
    struct ixor_address address;
    char token[64], host[IXOR_ADDRESS_TEXT], request[256], reply[65536];
    assert_int_equal(sscanf(ixor_http_url(http), "http://%63[^/]/%32[0-9a-f]/", host, token), 2);
    assert_int_equal(ixor_parse_address(host, &address, NULL), 0);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address.sa, address.len), 0);
    snprintf(request, sizeof request, "GET /%s%s HTTP/1.1\r\nHost: %s\r\n\r\n", token, rest, host);
    (void)!send(fd, request, strlen(request), MSG_NOSIGNAL);
    SETTLE(recv(fd, reply, sizeof reply, MSG_DONTWAIT) >= 0);
    close(fd);
}

static void command(void)
{
    const struct ix_control order = {.verb = "mark", .text = "here"};
    struct ix_out out = {0};
    double_open_as(&b, ixor_service_address(service), 0, IX_KEY_CONTROL);
    ix_encode_control(&out, &order);
    double_say(&b, &out);
    SETTLE(b.replies || b.eof);
    double_close(&b);
}

static void go_through(void)
{
    double_open(&a, ixor_service_address(service), 7);
    double_hello(&a);
    SETTLE(a.welcomed || a.eof);
    if (a.welcomed)
        SETTLE(a.requests || a.eof);
    if (a.requests)
        double_report(&a, a.request[0].number, a.request[0].number, 100);
    command();
    view("/api/state");
    view("/");
    view("/api/vm/1/packets");
    double_goodbye(&a, IX_BYE_EXIT, "done");
    SETTLE(a.eof);
    double_close(&a);
    turn();
    turn();
}

static void serve(void)
{
    struct ix_error err = {""};
    const struct ixor_service_events events = {0};
    struct ixor_address listen;
    serve_with(tempdir, (struct ixor_service_options){.rhythm = {.every_ns = 5000000}}, &events,
               "run0001", "command");
    assert_int_equal(ixor_http_parse_address("0", &listen, &err), 0);
    http = ixor_http_new(base, service, tempdir, &listen, &err);
    assert_non_null(http);
}

static void one_point(void **state)
{
    (void)state;
    serve();
    go_through();
    seen->count = atomic_load(&allocation.count);
    if (ixor_writer_flush(writer, NULL) == 0) {
        double_open(&a, ixor_service_address(service), 8);
        double_hello(&a);
        WAIT(a.welcomed);
        WAIT(a.requests);
        double_close(&a);
    }
    ixor_http_free(http);
    if (ixor_writer_flush(writer, NULL) == 0) {
        stop_serving();
        return;
    }
    ixor_service_free(service);
    ixor_writer_free(writer);
    ix_catalogue_close(catalogue);
    event_base_free(base);
}

/* ---- the sweep ---- */

/* In a process of its own; what it prints goes to `log`. */
static bool run_point(size_t point, bool for_good, FILE *log)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test_setup_teardown(one_point, nobody_there, all_leave)};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(POINT_S);
        dup2(fileno(log), STDOUT_FILENO);
        dup2(fileno(log), STDERR_FILENO);
        allocation.fails = point;
        allocation.for_good = for_good;
        if (!allocation_take_over())
            _exit(9);
        exit(cmocka_run_group_tests(test, NULL, NULL));
    }
    int status = -1;
    if (child <= 0 || waitpid(child, &status, 0) != child)
        return false;
    if (status != 0)
        dprintf(fileno(log), "%s %d\n", WIFSIGNALED(status) ? "ended by signal" : "exit status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return status == 0;
}

static void show(FILE *log, size_t point, bool for_good)
{
    char line[512];
    rewind(log);
    printf("allocation %zu%s:\n", point, for_good ? " and all behind it" : "");
    while (fgets(line, sizeof line, log))
        printf("    | %s", line);
}

static size_t points_found, points_run;

static void sweep(size_t from, size_t count, size_t points, bool for_good)
{
    const size_t step = points && count > points ? count / points : 1;
    for (size_t point = from; point <= count; point += step) {
        FILE *log = tmpfile();
        const bool good = log && run_point(point, for_good, log);
        points_run++;
        points_found += !good;
        if (!good && log && points_found <= SHOWN)
            show(log, point, for_good);
        if (log)
            fclose(log);
    }
}

static void nothing_is_found(void **state)
{
    (void)state;
    if (points_found)
        fail_msg("%zu of %zu points", points_found, points_run);
    assert_true(points_run > 1);
}

int main(void)
{
    const char *given = getenv("ALLOCATIONS"), *at = getenv("ALLOCATION");
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_found)};
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED)
        return 1;
    if (at) {
        const long point = strtol(at, NULL, 10);
        return run_point((size_t)labs(point), point < 0, stdout) ? 0 : 1;
    }
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere || !run_point(0, false, nowhere))
        points_found++; /* it fails with all its memory */
    const size_t count = seen->count, points = given ? strtoul(given, NULL, 10) : SPREAD;
    sweep(1, points ? CONNECTION : 0, 0, false);
    sweep(points ? CONNECTION + 1 : 1, count, points, false);
    sweep(1, count, points, true);
    printf("%zu allocations; %zu points, %zu found something\n", count, points_run, points_found);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
