/* Logs that come home, the server's side on real sockets: from whom what is taken, from where on,
 * and what a peer that does not keep to the rules brings about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "server/depot.h"
#include "server/listing.h"
#include "server/service.h"
#include "tests/unit/agent_double.h"
#include "tests/unit/tempdir.h"

#define LOG_SIZE 100000u

static struct event_base *base;
static struct ix_catalogue *catalogue;
static struct ixor_ledger *ledger;
static struct ixor_service *service;
static struct ixor_execution *current;
static char last_warning[1024];
static struct double_agent a, b;
static uint8_t text[LOG_SIZE];

static void on_warned(void *user, const char *warning)
{
    (void)user;
    snprintf(last_warning, sizeof last_warning, "%s", warning);
}

static void serve(void)
{
    struct ix_error err = {""};
    struct ixor_service_events events = {.warned = on_warned};
    struct ixor_service_options options = {.key = double_campaign,
                                           .rhythm = {.every_ns = 1000000000},
                                           .on_demand = true,
                                           .upload = {.max_size = 10 * LOG_SIZE}};
    assert_int_equal(ixor_parse_address("127.0.0.1:0", &options.listen, &err), 0);
    base = event_base_new();
    catalogue = ix_catalogue_open(in_tempdir("camp"), IX_CATALOGUE_CREATE, &err);
    assert_non_null(catalogue);
    ledger = ixor_ledger_new(base, catalogue, NULL, NULL, &err);
    service = ixor_service_new(base, ledger, &options, &events, &err);
    if (!service)
        fail_msg("%s", err.text);
    current = ixor_service_open(service, "run0001", NULL, 1, &err);
    assert_non_null(current);
    last_warning[0] = '\0';
}

static void stop_serving(void)
{
    ixor_service_free(service);
    assert_int_equal(ixor_ledger_flush(ledger, NULL), 0);
    ixor_ledger_free(ledger);
    ix_catalogue_close(catalogue);
    event_base_free(base);
}

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    a.tcp = a.udp = b.tcp = b.udp = -1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 31 + i / 257);
    serve();
    return 0;
}

static int tear_down(void **state)
{
    stop_serving();
    if (a.tcp >= 0)
        double_close(&a);
    if (b.tcp >= 0)
        double_close(&b);
    return tempdir_remove(state);
}

static void step(void)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    if (a.tcp >= 0)
        double_receive(&a);
    if (b.tcp >= 0)
        double_receive(&b);
}

#define WAIT(condition)                                                                            \
    do {                                                                                           \
        uint64_t deadline = ixor_mono_ns() + 5000000000;                                           \
        while (!(condition)) {                                                                     \
            step();                                                                                \
            if (ixor_mono_ns() > deadline)                                                         \
                fail_msg("%s:%d: %s does not come", __FILE__, __LINE__, #condition);               \
        }                                                                                          \
    } while (0)

static void join(struct double_agent *agent, uint32_t pid)
{
    double_open(agent, ixor_service_address(service), pid);
    double_hello(agent);
    WAIT(agent->welcomed);
}

static struct ix_log_offer offer_of(const struct double_agent *agent, uint64_t size)
{
    struct ix_log_offer o = {.state = IX_OFFER_WHOLE, .size = size};
    o.name.pid = agent->hello.pid;
    o.name.started_ns = agent->hello.started_ns;
    memcpy(o.name.host, agent->hello.host, sizeof o.name.host);
    memcpy(o.name.log, agent->hello.log, sizeof o.name.log);
    return o;
}

static void offer(struct double_agent *agent, const struct ix_log_offer *o)
{
    const unsigned before = agent->accepts;
    struct ix_out out = {0};
    ix_encode_log_offer(&out, o);
    double_say(agent, &out);
    WAIT(agent->accepts > before || agent->eof);
}

static void send_bytes(struct double_agent *agent, uint64_t from, uint64_t to)
{
    while (from < to) {
        const size_t n = to - from < IX_LOG_DATA_MAX ? (size_t)(to - from) : IX_LOG_DATA_MAX;
        struct ix_out out = {0};
        ix_encode_log_data(&out, &(struct ix_log_data){from, text + from, n});
        double_say(agent, &out);
        from += n;
        step();
    }
    WAIT(agent->out.len == 0 || agent->eof);
}

static void send_done(struct double_agent *agent, uint64_t size, bool good)
{
    struct ix_log_done done = {.size = size};
    const unsigned before = agent->storeds;
    struct ix_out out = {0};
    ix_digest_of(text, size, done.digest);
    done.digest[0] ^= !good;
    ix_encode_log_done(&out, &done);
    double_say(agent, &out);
    WAIT(agent->storeds > before || agent->eof);
}

static struct ixor_vm_list *vms(void)
{
    static struct ixor_vm_list list;
    ixor_vm_list_free(&list);
    assert_int_equal(ixor_ledger_flush(ledger, NULL), 0);
    assert_int_equal(ixor_list_vms(&list, catalogue, 0, NULL), 0);
    return &list;
}

/* The state of the VM with this process id. */
static const struct ix_vm *vm_of(uint32_t pid)
{
    const struct ixor_vm_list *list = vms();
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].pid == pid)
            return &list->at[i];
    }
    fail_msg("there is no VM %u", pid);
    return NULL;
}

/* Files below DIR/runs, all of whose names are kept in `names`. */
static size_t copies(char names[1024])
{
    size_t count = 0, used = 0;
    names[0] = '\0';
    DIR *dir = opendir(in_tempdir("camp/runs/run0001"));
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        count++;
        used += (size_t)snprintf(names + used, 1024 - used, "%s ", e->d_name);
    }
    if (dir)
        closedir(dir);
    return count;
}

/* Bytes of the only NAME.part that there is; -1 if there is none. */
static long part_size(void)
{
    char names[1024], path[2048];
    struct stat st;
    copies(names);
    char *end = strstr(names, ".part");
    if (!end)
        return -1;
    end[strlen(".part")] = '\0';
    const char *begin = strrchr(names, ' ');
    snprintf(path, sizeof path, "camp/runs/run0001/%s", begin ? begin + 1 : names);
    return stat(in_tempdir(path), &st) == 0 ? st.st_size : -1;
}

/* The connection is closed when so much of it has arrived. */
static void break_after(struct double_agent *agent, uint64_t size)
{
    WAIT(part_size() == (long)size);
    double_close(agent);
    WAIT(current->sessions == 0);
}

static void same_bytes(const char *relative, size_t size)
{
    static uint8_t got[LOG_SIZE + 1];
    FILE *f = fopen(in_tempdir(relative), "rb");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got, f), size);
    assert_memory_equal(got, text, size);
    fclose(f);
}

/* ---- the course of things ---- */

static void a_log_comes_home(void **state)
{
    (void)state;
    char names[1024], path[1024];
    join(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    assert_int_equal(a.accept.offset, 0);
    assert_true(a.accept.rate >= IXOR_UPLOAD_RATE_MIN);
    send_bytes(&a, 0, LOG_SIZE);
    assert_int_equal(copies(names), 1);
    assert_non_null(strstr(names, ".ixl.part"));
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
    const struct ix_vm *vm = vm_of(7);
    assert_string_equal(vm->log_state, "collected");
    snprintf(path, sizeof path, "camp/%s", vm->log_copy);
    same_bytes(path, LOG_SIZE);
    assert_string_equal(vm->log, in_tempdir(path)); /* that is what is read */
    assert_string_equal(vm->log_there, "/tmp/double-7.ixl");
    assert_int_equal(copies(names), 1);
    assert_null(strstr(names, ".part"));
    /* Offered once more, it is there. */
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
}

/* The connection breaks after n bytes: the next one goes on there, wherever that is. */
static void goes_on_after_a_cut(void **state)
{
    (void)state;
    static const uint64_t cuts[] = {1, 4095, 32768, 32769, 65536, LOG_SIZE - 1, LOG_SIZE};
    for (uint32_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        join(&a, 100 + i);
        struct ix_log_offer o = offer_of(&a, LOG_SIZE);
        offer(&a, &o);
        assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
        send_bytes(&a, 0, cuts[i]);
        break_after(&a, cuts[i]);
        assert_string_equal(vm_of(100 + i)->log_state, "partial");
        assert_string_equal(vm_of(100 + i)->ended, "vanished");
        if (i == 3) { /* and over a server that starts anew */
            stop_serving();
            serve();
        }
        join(&a, 100 + i);
        offer(&a, &o);
        assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
        assert_int_equal(a.accept.offset, cuts[i]);
        send_bytes(&a, cuts[i], LOG_SIZE);
        send_done(&a, LOG_SIZE, true);
        assert_int_equal(a.stored.result, IX_STORED_WHOLE);
        char path[1024];
        snprintf(path, sizeof path, "camp/%s", vm_of(100 + i)->log_copy);
        same_bytes(path, LOG_SIZE);
        double_close(&a);
        WAIT(current->sessions == 0);
    }
}

static void damage_is_found(void **state)
{
    (void)state;
    char names[1024];
    join(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    send_bytes(&a, 0, LOG_SIZE);
    send_done(&a, LOG_SIZE, false);
    assert_int_equal(a.stored.result, IX_STORED_DAMAGED);
    assert_int_equal(copies(names), 0);
    assert_string_equal(vm_of(7)->log_state, "there");
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 0);
    send_bytes(&a, 0, LOG_SIZE);
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
}

/* What an earlier connection left is of another file: the digest tells, and it is sent anew. */
static void what_was_there_is_checked(void **state)
{
    (void)state;
    join(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    text[5] ^= 1;
    send_bytes(&a, 0, 50000);
    text[5] ^= 1;
    break_after(&a, 50000);
    join(&a, 7);
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 50000);
    send_bytes(&a, 50000, LOG_SIZE);
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_DAMAGED);
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 0);
}

static void parts_come_first(void **state)
{
    (void)state;
    char names[1024];
    join(&a, 7);
    struct ix_log_offer o = offer_of(&a, 1000);
    for (o.part = 2; o.part <= 3; o.part++) {
        offer(&a, &o);
        send_bytes(&a, 0, 1000);
        send_done(&a, 1000, true);
        assert_int_equal(a.stored.result, IX_STORED_WHOLE);
        assert_string_equal(vm_of(7)->log_state, "there");
    }
    o.part = 0;
    offer(&a, &o);
    send_bytes(&a, 0, 500);
    break_after(&a, 500);
    assert_string_equal(vm_of(7)->log_state, "partial"); /* and can be read: two parts are whole */
    assert_null(strstr(vm_of(7)->log_copy, ".part"));
    join(&a, 7);
    o.part = 3;
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
    o.part = 0;
    offer(&a, &o);
    send_bytes(&a, 500, 1000);
    send_done(&a, 1000, true);
    assert_string_equal(vm_of(7)->log_state, "collected");
    assert_int_equal(copies(names), 3);
    assert_non_null(strstr(names, ".ixl.2 "));
    assert_non_null(strstr(names, ".ixl.3 "));
}

/* ---- who need not send ---- */

static void a_log_that_lies_here(void **state)
{
    (void)state;
    struct stat st;
    double_open(&a, ixor_service_address(service), 7);
    snprintf(a.hello.log, sizeof a.hello.log, "%s", in_tempdir("mine.ixl"));
    FILE *f = fopen(a.hello.log, "wb");
    fwrite(text, 1, LOG_SIZE, f);
    fclose(f);
    assert_int_equal(stat(a.hello.log, &st), 0);
    double_hello(&a);
    WAIT(a.welcomed);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    o.state = IX_OFFER_GROWING;
    o.device = (uint64_t)st.st_dev;
    o.inode = (uint64_t)st.st_ino + 1; /* another file of that name: of another mount namespace */
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    o.inode--;
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
    join(&b, 8); /* of another machine: the same numbers do not mean the same file */
    double_close(&b);
    double_open(&b, ixor_service_address(service), 9);
    snprintf(b.hello.log, sizeof b.hello.log, "%s", a.hello.log);
    b.hello.machine[0] = '\0';
    double_hello(&b);
    WAIT(b.welcomed);
    o.name = offer_of(&b, 0).name;
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    double_close(&b);
    WAIT(current->sessions == 1);
    assert_string_equal(vm_of(7)->log_state, "there");
    double_goodbye(&a, IX_BYE_EXIT, "");
    WAIT(current->sessions == 0);
    assert_string_equal(vm_of(7)->log_state, "here");
}

static void a_log_inside_the_campaign(void **state)
{
    (void)state;
    double_open(&a, ixor_service_address(service), 7);
    mkdir(in_tempdir("camp/runs"), 0777);
    snprintf(a.hello.log, sizeof a.hello.log, "%s", in_tempdir("camp/runs/mine.ixl"));
    FILE *f = fopen(a.hello.log, "wb");
    fwrite(text, 1, LOG_SIZE, f);
    fclose(f);
    double_hello(&a); /* of another machine, by what it says */
    WAIT(a.welcomed);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    o.head_size = 4096;
    offer(&a, &o); /* the same name, another content */
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    ix_digest_of(text, 4096, o.head);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
    o.head_size = 12; /* all logs begin so */
    ix_digest_of(text, 12, o.head);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    /* A link inside does not lead out. */
    FILE *out = fopen(in_tempdir("outside"), "wb");
    fwrite(text, 1, LOG_SIZE, out);
    fclose(out);
    assert_int_equal(unlink(a.hello.log), 0);
    assert_int_equal(symlink(in_tempdir("outside"), a.hello.log), 0);
    o.head_size = 4096;
    ix_digest_of(text, 4096, o.head);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
}

/* ---- those that are gone ---- */

static void the_next_one_is_asked(void **state)
{
    (void)state;
    join(&a, 7);
    struct ix_log_offer gone = offer_of(&a, LOG_SIZE);
    double_close(&a);
    WAIT(current->sessions == 0);
    join(&b, 8);
    struct ix_log_offer o = offer_of(&b, 100);
    o.state = IX_OFFER_GROWING;
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    WAIT(b.wanteds == 1);
    assert_int_equal(b.wanted.pid, 7);
    assert_string_equal(b.wanted.log, "/tmp/double-7.ixl");
    offer(&b, &gone);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    send_bytes(&b, 0, LOG_SIZE);
    send_done(&b, LOG_SIZE, true);
    assert_string_equal(vm_of(7)->log_state, "collected");
    assert_string_equal(vm_of(8)->log_state, "there");
}

static void what_nobody_has_is_lost(void **state)
{
    (void)state;
    struct ix_log_offer gone[2];
    for (uint32_t pid = 1; pid <= 2; pid++) {
        join(&a, pid);
        gone[pid - 1] = offer_of(&a, 0);
        double_close(&a);
        WAIT(current->sessions == 0);
    }
    join(&b, 8);
    struct ix_log_offer o = offer_of(&b, 100);
    o.state = IX_OFFER_GROWING;
    offer(&b, &o);
    WAIT(b.wanteds == 1);
    assert_int_equal(b.wanted.pid, 1);
    gone[0].state = IX_OFFER_MISSING;
    struct ix_out out = {0};
    ix_encode_log_offer(&out, &gone[0]);
    double_say(&b, &out);
    WAIT(b.wanteds == 2);
    assert_int_equal(b.wanted.pid, 2);
    gone[1].state = IX_OFFER_KEPT;
    ix_encode_log_offer(&out, &gone[1]);
    double_say(&b, &out);
    WAIT(strcmp(vm_of(1)->log_state, "lost") == 0);
    for (int i = 0; i < 20; i++)
        step();
    assert_int_equal(b.wanteds, 2);
    assert_string_equal(vm_of(2)->log_state, "there");
    assert_int_equal(current->sessions, 1);
}

/* A connection that only brings logs. */
static void a_courier(void **state)
{
    (void)state;
    join(&a, 7);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    double_open(&b, ixor_service_address(service), 9);
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_REFUSED); /* it is running */
    double_close(&a);
    WAIT(current->sessions == 0);
    snprintf(o.name.execution, sizeof o.name.execution, "run0001");
    snprintf(o.name.log, sizeof o.name.log, "/elsewhere/double-7.ixl"); /* moved since */
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    send_bytes(&b, 0, LOG_SIZE);
    send_done(&b, LOG_SIZE, true);
    assert_string_equal(vm_of(7)->log_state, "collected");
    o.name.pid = 8;
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_REFUSED);
    assert_string_equal(b.accept.reason, "the campaign knows no VM that wrote this log");
    struct ix_out out = {0}; /* it is no agent */
    ix_encode_goodbye(&out, &(struct ix_goodbye){.reason = IX_BYE_EXIT});
    double_say(&b, &out);
    WAIT(b.eof);
}

/* ---- peers that break the rules, and other trouble ---- */

static void wrong_offsets_end_it(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, offset, size;
    } table[] = {
        {0, 1, 10},           /* a hole */
        {10, 0, 10},          /* again */
        {0, UINT64_MAX, 10},  /* far away: clamped to 2^63 - 1 by the encoder */
        {990, 990, 11},       /* more than was offered */
    };
    for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        join(&a, 200 + i);
        const struct ix_log_offer o = offer_of(&a, 1000);
        offer(&a, &o);
        send_bytes(&a, 0, table[i].first);
        struct ix_out out = {0};
        ix_encode_log_data(&out, &(struct ix_log_data){table[i].offset, text, table[i].size});
        double_say(&a, &out);
        WAIT(a.eof);
        assert_string_equal(vm_of(200 + i)->ended, "vanished");
        double_close(&a);
    }
    join(&a, 300); /* data that nobody asked for, and an end too early */
    send_bytes(&a, 0, 10);
    WAIT(a.eof);
    double_close(&a);
    join(&a, 301);
    const struct ix_log_offer o = offer_of(&a, 1000);
    offer(&a, &o);
    send_bytes(&a, 0, 999);
    send_done(&a, 999, true);
    assert_true(a.eof);
}

static void too_large(void **state)
{
    (void)state;
    char names[1024];
    join(&a, 7);
    struct ix_log_offer o = offer_of(&a, 10 * LOG_SIZE + 1);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
    assert_non_null(strstr(a.accept.reason, "--max-upload"));
    assert_int_equal(copies(names), 0);
    assert_int_equal(current->sessions, 1);
}

/* Role, host and path as an attacker would like them. */
static void hostile_names(void **state)
{
    (void)state;
    char names[1024];
    double_open(&a, ixor_service_address(service), 7);
    snprintf(a.hello.role, sizeof a.hello.role, "../../../etc/cron.d/x");
    snprintf(a.hello.host, sizeof a.hello.host, ".\xc3\xa9; $(reboot)");
    snprintf(a.hello.log, sizeof a.hello.log, "/../../..%s", in_tempdir("camp/campaign.db"));
    double_hello(&a);
    WAIT(a.welcomed);
    const struct ix_log_offer o = offer_of(&a, 10);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    send_bytes(&a, 0, 10);
    send_done(&a, 10, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
    assert_int_equal(copies(names), 1);
    assert_memory_equal(names, "_._.._.._etc_cron.d_x-7-____", 28);
    assert_null(strchr(names, '/'));
}

/* The run's directory is a link: nothing is written behind it. */
static void links_are_not_followed(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkdir(in_tempdir("behind"), 0777), 0);
    assert_int_equal(mkdir(in_tempdir("camp/runs"), 0777), 0);
    assert_int_equal(symlink(in_tempdir("behind"), in_tempdir("camp/runs/run0001")), 0);
    join(&a, 7);
    const struct ix_log_offer o = offer_of(&a, 10);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
    assert_int_equal(stat(in_tempdir("behind"), &st), 0);
    assert_int_equal(st.st_nlink, 2);
}

static void one_writer_a_copy(void **state)
{
    (void)state;
    char names[1024], part[2048];
    join(&a, 7);
    struct ix_log_offer o = offer_of(&a, 1000);
    offer(&a, &o);
    send_bytes(&a, 0, 10);
    break_after(&a, 10);
    assert_int_equal(copies(names), 1);
    names[strcspn(names, " ")] = '\0';
    snprintf(part, sizeof part, "camp/runs/run0001/%s", names);
    const int fd = open(in_tempdir(part), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    join(&a, 7);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
    close(fd);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    assert_int_equal(a.accept.offset, 10);
}

/* Writing fails in the middle: nothing of it stays, and the session goes on. */
static void a_full_disk(void **state)
{
    (void)state;
    char names[1024];
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    join(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    assert_int_equal(ixor_ledger_flush(ledger, NULL), 0);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 40000;
    setrlimit(RLIMIT_FSIZE, &tight);
    send_bytes(&a, 0, LOG_SIZE); /* what comes after it has failed is passed over */
    struct ix_out out = {0};
    ix_encode_log_done(&out, &(struct ix_log_done){.size = LOG_SIZE});
    double_say(&a, &out);
    WAIT(a.storeds == 1);
    for (int i = 0; i < 20; i++)
        step();
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(a.stored.result, IX_STORED_NOT);
    assert_non_null(strstr(a.stored.reason, "File too large"));
    assert_non_null(strstr(last_warning, "File too large"));
    assert_int_equal(copies(names), 0);
    assert_int_equal(current->sessions, 1);
    assert_string_equal(vm_of(7)->log_state, "there");
    offer(&a, &o); /* there is room again */
    assert_int_equal(a.accept.offset, 0);
    send_bytes(&a, 0, LOG_SIZE);
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
}

/* An offer in the middle of another one's data: that one is left for later. */
static void another_offer(void **state)
{
    (void)state;
    join(&a, 7);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    send_bytes(&a, 0, 5000);
    o.part = 1;
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    assert_int_equal(a.accept.offset, 0);
    o.part = 0;
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 5000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_log_comes_home),          TEST(goes_on_after_a_cut),
        TEST(damage_is_found),           TEST(what_was_there_is_checked),
        TEST(parts_come_first),          TEST(a_log_that_lies_here),
        TEST(a_log_inside_the_campaign), TEST(the_next_one_is_asked),
        TEST(what_nobody_has_is_lost),   TEST(a_courier),
        TEST(wrong_offsets_end_it),      TEST(too_large),
        TEST(hostile_names),             TEST(links_are_not_followed),
        TEST(one_writer_a_copy),         TEST(a_full_disk),
        TEST(another_offer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
