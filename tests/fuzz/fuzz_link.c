/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's thread against any server that has the right key: agent/lifecycle/loop.c with the
 * session (link.c, requests.c, reports.c, await.c) and the logs that go home (upload.c), in the
 * world of link_world.h. The input is the script of what the server, the network and the time do.
 *
 * Beside not crashing, always: waits are bounded, nothing spins, only packets with growing numbers
 * are taken and none before its time, what the agent sends can be read and is in order, no file
 * leaves but logs of the agent's own directory, and the end comes within its time.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/log_once.h"
#include "agent/lifecycle/loop.h"
#include "agent/link/upload.h"
#include "schema/protocol/encoding.h"
#include "schema/tracelog/tracelog.h"
#include "tests/fuzz/link_world.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UPLOAD_MS 1000
#define END_MS (300 + UPLOAD_MS + 50) /* loop.c's GOODBYE_MS, and some clock readings */
#define PREPARE_MAX (3 * MS)          /* more than the agent ever begins before the instant */
#define STOP_NS 200000                /* what taking a packet takes here */
#define LOG_BYTES 70000

static char directory[64], log_path[96], other_path[96];
static struct ix_key key;

static struct script {
    const uint8_t *at, *end;
    uint64_t session; /* of the last WELCOME */
    uint64_t highest; /* number of the last good request */
    struct {
        uint64_t number, target;
    } asked[TARGETS]; /* the last ones */
    size_t asks;
    uint64_t taken;            /* the last packet */
    uint64_t reported;         /* the last packet in a report of this connection */
    uint64_t connection;       /* that has said HELLO */
    bool goodbye;              /* it has said that, too */
    enum ixa_recorded outcome; /* of taking the next packet */
    int64_t fetched; /* bytes that the file under way has been sent up to; -1: not offered */
} s;

/* ---- the script ---- */

static uint8_t byte(void)
{
    return s.at < s.end ? *s.at++ : 0;
}

static size_t take_bytes(uint8_t *bytes, size_t n)
{
    const size_t left = (size_t)(s.end - s.at);
    n = n < left ? n : left;
    memcpy(bytes, s.at, n);
    s.at += n;
    return n;
}

/* Small ones, powers of two and what is beside them, or any. */
static uint64_t number(void)
{
    const uint8_t b = byte();
    uint64_t any = 0;
    if (b < 64)
        return b;
    if (b < 128)
        return UINT64_C(1) << (b & 63);
    if (b < 192)
        return (UINT64_C(1) << (b & 63)) - 1;
    for (int i = 0; i < 8; i++)
        any = any << 8 | byte();
    return any;
}

static void from_server(const uint8_t *bytes, size_t size)
{
    if (!w.tcp || w.ends || size > sizeof w.in - w.in_len)
        return;
    memcpy(w.in + w.in_len, bytes, size);
    w.in_len += size;
}

static void say(struct ix_out *out)
{
    require(!out->failed);
    from_server(out->data, out->len);
    ix_out_free(out);
}

static void say_anything(bool frame)
{
    static uint8_t bytes[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    size_t size = 0;
    if (frame) {
        const uint8_t type = byte();
        const uint64_t length = number() % IX_MESSAGE_MAX + 1;
        for (int i = 0; i < 4; i++)
            bytes[size++] = (uint8_t)(length >> 8 * i);
        bytes[size++] = type;
        const size_t given = take_bytes(bytes + size, length - 1 < 64 ? length - 1 : 64);
        memset(bytes + size + given, type, length - 1 - given);
        size += length - 1;
    } else {
        size = take_bytes(bytes, byte());
    }
    from_server(bytes, size);
}

/* The messages are put together here, for the encoders keep numbers within their bounds. */
static void say_welcome(void)
{
    struct ix_out out = {0};
    const size_t at = ix_begin_frame(&out, IX_WELCOME);
    s.session = number();
    ix_put_u64(&out, s.session);
    ix_put_varint(&out, number());
    ix_put_string(&out, "run", byte() % 4);
    ix_put_varint(&out, number());
    ix_end_frame(&out, at);
    say(&out);
}

static void say_refuse(void)
{
    struct ix_out out = {0};
    uint8_t reason[256];
    const size_t size = take_bytes(reason, byte());
    const size_t at = ix_begin_frame(&out, IX_REFUSE);
    ix_put_string(&out, (const char *)reason, size);
    ix_end_frame(&out, at);
    say(&out);
}

static void put_wanted(struct ix_out *out)
{
    const char *paths[] = {log_path, other_path, "/etc/passwd", directory, "x", "/", ""};
    const uint8_t which = byte();
    const char *path = paths[(which & 7) % 7], *host = which & 16 ? "elsewhere" : "here";
    ix_put_u32(out, which & 8 ? 42 : which & 32 ? (uint32_t)number() : UINT32_C(0x7ffffffe));
    ix_put_varint(out, number());
    ix_put_string(out, "run", 3);
    ix_put_string(out, host, strlen(host));
    ix_put_string(out, path, strlen(path));
}

static void say_log_message(uint8_t type)
{
    struct ix_out out = {0};
    const size_t at = ix_begin_frame(&out, type);
    if (type == IX_LOG_WANTED) {
        put_wanted(&out);
    } else {
        ix_put_u8(&out, byte());
        if (type == IX_LOG_ACCEPT) {
            ix_put_varint(&out, number());
            ix_put_varint(&out, number());
        }
        ix_put_string(&out, "why", 3);
    }
    ix_end_frame(&out, at);
    say(&out);
}

static struct waiting *new_datagram(void)
{
    if (!w.udp || w.waiting == WAITING_DATAGRAMS)
        return NULL;
    w.datagrams[w.waiting] = (struct waiting){.size = 0};
    return &w.datagrams[w.waiting++];
}

static uint64_t target(void)
{
    const uint8_t how = byte();
    const uint64_t n = number();
    return how < 64 ? 0 : how < 128 ? n : how < 192 ? (uint64_t)w.now + n : (uint64_t)w.now - n;
}

/* One that the session's server has sealed; flipped: at one bit. */
static void send_datagram(enum ix_datagram_kind kind, bool flipped)
{
    struct ix_datagram d = {.kind = kind, .session = s.session, .sent_ns = (uint64_t)w.now};
    const uint8_t how = byte();
    d.number = how < 128 ? s.highest + how - 4 : number();
    if (kind == IX_REQUEST)
        d.time_ns = target();
    struct waiting *to = w.sealer ? new_datagram() : NULL;
    if (!to)
        return;
    if (ix_datagram_seal(w.sealer, &d, to->bytes) != 0)
        return; /* an empty one, then */
    to->size = IX_DATAGRAM_SIZE;
    if (flipped) {
        const size_t bit = number() % (IX_DATAGRAM_SIZE * 8);
        to->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    } else if (kind == IX_REQUEST) {
        s.asked[s.asks % TARGETS].number = d.number;
        s.asked[s.asks++ % TARGETS].target = d.time_ns;
        s.highest = d.number > s.highest && d.number < INT64_MAX ? d.number : s.highest;
    }
}

static void send_anything(void)
{
    struct waiting *to = new_datagram();
    if (to)
        to->size = (ssize_t)take_bytes(to->bytes, byte() % sizeof to->bytes);
}

static void send_error(void)
{
    struct waiting *to = new_datagram();
    if (to)
        to->size = -1;
}

static void bad_weather(void)
{
    const uint8_t how = byte();
    w.dial_fails = how & 1;
    w.bind_fails = how & 2;
    w.shake = how & 4 ? how & 8 ? -1 : 0 : 1;
    w.nudged = true;
    w.fault = (enum ix_tls_fault)(how >> 4 & 3);
    w.buffered = how & 64;
    s.outcome = how & 128 ? (enum ixa_recorded)(byte() % 3) : IXA_RECORDED;
}

static void pause_writes(void)
{
    const uint8_t how = byte();
    w.blocked = how & 1;
    w.chunk = how >> 1;
}

static bool next(void)
{
    if (s.at == s.end)
        return false;
    const uint8_t what = byte();
    switch (what % 18) {
    case 0:
        w.pause = (int64_t)((UINT64_C(1) << byte() % 35) + byte() * UINT64_C(1000));
        break;
    case 1:
        say_anything(false);
        break;
    case 2:
        say_anything(true);
        break;
    case 3:
    case 4:
        say_welcome();
        break;
    case 5:
        say_refuse();
        break;
    case 6:
    case 7:
        send_datagram(IX_REQUEST, false);
        break;
    case 8:
        send_datagram(IX_PROBE, false);
        break;
    case 9:
        send_datagram((enum ix_datagram_kind)(byte() % 5), true);
        break;
    case 10:
        send_anything();
        break;
    case 11:
        send_error();
        break;
    case 12:
        w.ends = true;
        break;
    case 13:
        pause_writes();
        break;
    case 14:
        say_log_message(IX_LOG_ACCEPT);
        break;
    case 15:
        say_log_message(IX_LOG_STORED);
        break;
    case 16:
        say_log_message(IX_LOG_WANTED);
        break;
    default:
        bad_weather();
    }
    return true;
}

/* ---- what the agent says ---- */

static void heard_report(const struct ix_message_frame *m)
{
    static struct ix_report report;
    require(ix_decode_report(m->payload, m->payload_size, &report, NULL) == 0);
    for (size_t i = 0; i < report.count; i++) {
        require(report.taken[i].packet > s.reported && report.taken[i].packet <= s.taken);
        s.reported = report.taken[i].packet;
    }
}

static void heard_offer(const struct ix_message_frame *m)
{
    static struct ix_log_offer offer;
    require(ix_decode_log_offer(m->payload, m->payload_size, &offer, NULL) == 0);
    if (offer.state == IX_OFFER_WHOLE)
        require(strcmp(offer.name.log, log_path) == 0 || strcmp(offer.name.log, other_path) == 0);
    s.fetched = offer.state == IX_OFFER_WHOLE ? 0 : -1;
}

/* Pieces follow each other; where they begin is the server's to say. */
static void heard_data(const struct ix_message_frame *m)
{
    struct ix_log_data data;
    require(ix_decode_log_data(m->payload, m->payload_size, &data, NULL) == 0);
    require(s.fetched == 0 || (int64_t)data.offset == s.fetched);
    s.fetched = (int64_t)(data.offset + data.size);
    require(s.fetched <= LOG_BYTES);
}

static void heard_hello(const struct ix_message_frame *m)
{
    static struct ix_hello hello;
    require(ix_decode_hello(m->payload, m->payload_size, &hello, NULL) == 0);
    require(s.connection != w.connection && hello.last_packet >= s.taken);
    s.connection = w.connection;
    s.goodbye = false;
    s.reported = 0;
    s.fetched = -1;
}

static void heard(const struct ix_message_frame *m)
{
    struct ix_goodbye bye;
    struct ix_log_done done;
    require(m->type == IX_HELLO || (s.connection == w.connection && !s.goodbye));
    switch (m->type) {
    case IX_HELLO:
        heard_hello(m);
        break;
    case IX_REPORT:
        heard_report(m);
        break;
    case IX_KEEPALIVE:
        require(m->payload_size == 0);
        break;
    case IX_GOODBYE:
        require(ix_decode_goodbye(m->payload, m->payload_size, &bye, NULL) == 0);
        s.goodbye = true;
        break;
    case IX_LOG_OFFER:
        heard_offer(m);
        break;
    case IX_LOG_DATA:
        heard_data(m);
        break;
    case IX_LOG_DONE:
        require(ix_decode_log_done(m->payload, m->payload_size, &done, NULL) == 0);
        require(done.size == LOG_BYTES && s.fetched >= 0);
        break;
    default:
        require(false);
    }
}

/* ---- what the loop calls beside the link ---- */

void ixa_log_once(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    require(vsnprintf(line, sizeof line, format, args) > 0);
    va_end(args);
}

struct ixa_recorder *ixa_recorder_new(const struct ixa_recorder_config *config, JNIEnv *jni,
                                      struct ix_error *err)
{
    (void)config, (void)jni;
    if (s.outcome != IXA_LOG_FAILED)
        return malloc(1);
    ix_fail(err, "no log");
    return NULL;
}

void ixa_recorder_change(struct ixa_recorder *r, const struct ixa_recorder_config *config,
                         JNIEnv *jni)
{
    (void)r, (void)config, (void)jni;
    require(false); /* here no recorder is there from before */
}

/* The link says goodbye next. */
void ixa_recorder_finish(struct ixa_recorder *r, JNIEnv *jni)
{
    (void)r;
    (void)jni;
}

/* The server proved another key: its campaign has packet numbers of its own. */
void ixa_recorder_free(struct ixa_recorder *r, JNIEnv *jni)
{
    (void)jni;
    free(r);
    s.taken = s.reported = 0;
}

/* It was asked for, in this number, and it is time to prepare for its instant. */
static bool in_time(uint64_t packet)
{
    for (size_t i = 0; i < s.asks && i < TARGETS; i++) {
        const int64_t left = (int64_t)(s.asked[i].target - (uint64_t)w.now);
        if (s.asked[i].number == packet && (!s.asked[i].target || left <= PREPARE_MAX ||
                                            left > (int64_t)IX_TARGET_AHEAD_MAX_NS - 20 * MS))
            return true;
    }
    return s.asks > TARGETS; /* perhaps one that is forgotten */
}

enum ixa_recorded ixa_recorder_take(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                    struct ix_taken *taken)
{
    (void)jni;
    require(r && packet > s.taken && packet <= INT64_MAX && in_time(packet));
    s.taken = packet;
    w.now += STOP_NS;
    *taken = (struct ix_taken){.packet = packet, .stop_ns = STOP_NS, .threads = 7};
    return s.outcome;
}

const char *ixa_recorder_error(const struct ixa_recorder *r)
{
    require(r != NULL);
    return "the log";
}

static bool may_begin(void)
{
    return true;
}

static void why(struct ixa_farewell *farewell)
{
    *farewell = (struct ixa_farewell){.reason = IX_BYE_EXIT, .last = true};
    require(w.stop);
}

static void reached(bool recording)
{
    (void)recording;
}

static void sending(uint32_t ms)
{
    require(ms == UPLOAD_MS);
}

/* ---- one life of the agent's thread ---- */

static void write_log(const char *path)
{
    static uint8_t bytes[LOG_BYTES];
    memcpy(bytes, IX_LOG_MAGIC, IX_LOG_MAGIC_SIZE);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, bytes, sizeof bytes) == sizeof bytes);
    close(fd);
}

static void remove_logs(void)
{
    unlink(log_path);
    unlink(other_path);
    rmdir(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    snprintf(directory, sizeof directory, "/tmp/ixor-fuzz-link.XXXXXX");
    require(mkdtemp(directory) != NULL);
    snprintf(log_path, sizeof log_path, "%s/own.ixl", directory);
    snprintf(other_path, sizeof other_path, "%s/other.ixl", directory);
    write_log(log_path);
    write_log(other_path);
    atexit(remove_logs);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ixa_options options;
    static struct ix_hello who;
    struct ixa_recorder *recorder = NULL;
    struct ixa_instant instant;
    s = (struct script){.at = data, .end = size ? data + size : data};
    w.now = w.began = 1000000 * MS;
    w.on = true;
    w.next = next;
    w.heard = heard;
    w.shake = 1;
    options = (struct ixa_options){
        .host = "server", .port = 4967, .has_key = true, .key = key, .upload_ms = UPLOAD_MS};
    who = (struct ix_hello){.pid = 42, .started_ns = 99, .role = "r", .host = "here"};
    memcpy(who.log, log_path, sizeof log_path);
    ixa_instant_init(&instant);
    const struct ixa_loop loop = {.options = &options,
                                  .who = &who,
                                  .recorder.instant = &instant,
                                  .stop_fd = STOP_FD,
                                  .may_begin = may_begin,
                                  .why = why,
                                  .reached = reached,
                                  .sending = sending};
    ixa_loop_run(&loop, NULL, &recorder);
    require(!w.tcp && !w.udp);
    require(!w.stopped || w.now - w.stopped <= END_MS * MS);
    free(recorder);
    ix_sealer_free(w.sealer);
    w = (struct world){0};
    return 0;
}
