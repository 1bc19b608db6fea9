/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/log_sender.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/descriptor.h"
#include "schema/tracelog/parts.h"
#include "schema/tracelog/tracelog.h"

#define SECOND 1000000000ll /* ns */
#define NEVER INT64_MAX
#define HASHED_AT_ONCE (256u << 10)
/* A piece is what may be sent in this fraction of a second, so that slow sending is even, too. */
#define PIECES_A_SECOND 20u
#define PIECE_MIN 1024u
/* This much lateness is made up for. */
#define BURST_NS (SECOND / 50)

enum step {
    REST,
    OFFER,   /* file `at` is to be offered */
    OFFERED, /* the answer is on its way */
    HASH,    /* digests what the server already has */
    SEND,
    SENT, /* LOG_STORED is on its way */
};

struct ix_log_sender {
    enum ix_sending state;
    enum step step;
    struct ix_log_offer offer; /* of the current file */
    struct ix_parts parts;     /* that have ended; after them comes the log itself */
    size_t at;                 /* of these files */
    bool own;                  /* other users' files are not sent */
    bool again;                /* the current file was damaged once */
    bool any;                  /* a file was sent, or one was not needed */
    bool stored;               /* a file was sent */
    unsigned unanswered;       /* offers; the answers to all but the last are of no interest */
    int fd;                    /* -1: none */
    uint64_t offset, wanted_from, rate;
    int64_t next_ns;
    struct ix_digest *digest;
    struct ix_error reason;
    uint8_t piece[HASHED_AT_ONCE];
};

struct ix_log_sender *ix_log_sender_new(void)
{
    struct ix_log_sender *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->fd = -1;
    s->digest = ix_digest_new();
    if (s->digest)
        return s;
    free(s);
    return NULL;
}

static void close_file(struct ix_log_sender *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

void ix_log_sender_free(struct ix_log_sender *s)
{
    if (!s)
        return;
    close_file(s);
    ix_parts_free(&s->parts);
    ix_digest_free(s->digest);
    free(s);
}

static void begin(struct ix_log_sender *s, const struct ix_log_name *name,
                  enum ix_offer_state state)
{
    close_file(s);
    ix_parts_free(&s->parts);
    s->offer = (struct ix_log_offer){.state = (uint8_t)state, .name = *name};
    s->state = IX_SENDING_BUSY;
    s->step = OFFER;
    s->at = 0;
    s->own = s->again = s->any = s->stored = false;
    s->reason.text[0] = '\0';
}

static void finish(struct ix_log_sender *s, enum ix_sending how)
{
    close_file(s);
    s->step = REST;
    s->state = how;
}

void ix_log_sender_announce(struct ix_log_sender *s, const struct ix_log_name *name)
{
    begin(s, name, IX_OFFER_GROWING);
}

void ix_log_sender_start(struct ix_log_sender *s, const struct ix_log_name *name, bool own)
{
    begin(s, name, IX_OFFER_WHOLE);
    s->own = own;
    if (ix_parts_find(&s->parts, name->log) != 0) {
        ix_fail(&s->reason, "out of memory");
        finish(s, IX_SENDING_FAILED);
    }
}

void ix_log_sender_decline(struct ix_log_sender *s, const struct ix_log_name *name,
                           enum ix_offer_state state)
{
    begin(s, name, state);
}

void ix_log_sender_reset(struct ix_log_sender *s)
{
    s->unanswered = 0;
    if (s->state != IX_SENDING_BUSY)
        return;
    ix_fail(&s->reason, "the connection was lost");
    finish(s, IX_SENDING_FAILED);
}

/* ---- the files ---- */

/* Finishes the current file. */
static void next_file(struct ix_log_sender *s)
{
    close_file(s);
    s->again = false;
    s->step = OFFER;
    if (++s->at <= s->parts.count)
        return;
    if (!s->any)
        finish(s, IX_SENDING_FAILED);
    else
        finish(s, s->stored ? IX_SENDING_STORED : IX_SENDING_NOT_NEEDED);
}

static int open_file(const char *path, bool own, struct stat *st, struct ix_error *err)
{
    char magic[IX_LOG_MAGIC_SIZE];
    const int fd =
        ix_above_streams(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (fd < 0)
        return ix_fail(err, "cannot open '%s': %s", path, strerror(errno));
    const char *fault = NULL;
    if (fstat(fd, st) != 0)
        fault = strerror(errno);
    else if (!S_ISREG(st->st_mode))
        fault = "not a regular file";
    else if (own && st->st_uid != geteuid())
        fault = "another user's";
    else if (pread(fd, magic, sizeof magic, 0) != sizeof magic ||
             memcmp(magic, IX_LOG_MAGIC, sizeof magic) != 0)
        fault = "not a trace log";
    if (!fault)
        return fd;
    ix_fail(err, "'%s': %s", path, fault);
    close(fd);
    return -1;
}

static int describe(struct ix_log_sender *s, const struct stat *st)
{
    struct ix_log_offer *o = &s->offer;
    o->size = (uint64_t)st->st_size;
    o->device = (uint64_t)st->st_dev;
    o->inode = (uint64_t)st->st_ino;
    o->head_size = o->size < IX_LOG_HEAD_MAX ? o->size : IX_LOG_HEAD_MAX;
    const ssize_t n = pread(s->fd, s->piece, (size_t)o->head_size, 0);
    if (n != (ssize_t)o->head_size)
        return ix_fail(&s->reason, "cannot read '%s'", o->name.log);
    ix_digest_of(s->piece, (size_t)n, o->head);
    return 0;
}

/* Opens the current file and fills in the offer. */
static int take_file(struct ix_log_sender *s)
{
    struct ix_log_offer *o = &s->offer;
    struct stat st;
    o->part = s->at < s->parts.count ? s->parts.numbers[s->at] : 0;
    o->parts = s->parts.count - s->at;
    char *part = o->part ? ix_part_path(o->name.log, (uint32_t)o->part) : NULL;
    if (o->part && !part)
        return ix_fail(&s->reason, "out of memory");
    s->fd = open_file(part ? part : o->name.log, s->own, &st, &s->reason);
    free(part);
    return s->fd < 0 ? -1 : describe(s, &st);
}

/* ---- sending ---- */

static void put_offer(struct ix_log_sender *s, struct ix_out *out)
{
    if (s->offer.state >= IX_OFFER_MISSING) {
        ix_encode_log_offer(out, &s->offer);
        finish(s, IX_SENDING_FAILED);
        return;
    }
    while (s->step == OFFER && take_file(s) != 0)
        next_file(s);
    if (s->step != OFFER)
        return;
    ix_encode_log_offer(out, &s->offer);
    s->unanswered++;
    s->step = OFFERED;
}

/* Reads a piece of at most `want` bytes at the offset; 0: the file cannot be read to its end. */
static size_t read_piece(struct ix_log_sender *s, uint64_t want)
{
    const size_t size = want < sizeof s->piece ? (size_t)want : sizeof s->piece;
    ssize_t n;
    do
        n = pread(s->fd, s->piece, size, (off_t)s->offset);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        return (size_t)n;
    ix_fail(&s->reason, "cannot read '%s': %s", s->offer.name.log,
            n < 0 ? strerror(errno) : "it was cut meanwhile");
    next_file(s);
    return 0;
}

static int64_t hash_more(struct ix_log_sender *s, int64_t now_ns)
{
    if (s->offset < s->wanted_from) {
        const size_t n = read_piece(s, s->wanted_from - s->offset);
        ix_digest_add(s->digest, s->piece, n);
        s->offset += n;
    } else {
        s->step = SEND;
    }
    return now_ns;
}

static int64_t send_piece(struct ix_log_sender *s, struct ix_out *out, int64_t now_ns)
{
    if (now_ns < s->next_ns)
        return s->next_ns;
    uint64_t size = s->rate / PIECES_A_SECOND, left = s->offer.size - s->offset;
    size = size < PIECE_MIN ? PIECE_MIN : size > IX_LOG_DATA_MAX ? IX_LOG_DATA_MAX : size;
    const size_t n = read_piece(s, size < left ? size : left);
    if (n == 0)
        return now_ns;
    ix_digest_add(s->digest, s->piece, n);
    ix_encode_log_data(out, &(struct ix_log_data){s->offset, s->piece, n});
    s->offset += n;
    if (s->next_ns < now_ns - BURST_NS)
        s->next_ns = now_ns - BURST_NS;
    s->next_ns += (int64_t)((double)n / (double)s->rate * (double)SECOND);
    return s->next_ns;
}

static int64_t put_done(struct ix_log_sender *s, struct ix_out *out)
{
    struct ix_log_done done = {.size = s->offset};
    ix_digest_value(s->digest, done.digest);
    ix_encode_log_done(out, &done);
    s->step = SENT;
    return NEVER;
}

int64_t ix_log_sender_send(struct ix_log_sender *s, struct ix_out *out, int64_t now_ns)
{
    switch (s->step) {
    case OFFER:
        put_offer(s, out);
        return s->step == OFFER ? now_ns : NEVER;
    case HASH:
        return hash_more(s, now_ns);
    case SEND:
        return s->offset < s->offer.size ? send_piece(s, out, now_ns) : put_done(s, out);
    default:
        return NEVER;
    }
}

/* ---- what the server says ---- */

static int on_accept(struct ix_log_sender *s, const struct ix_message_frame *m,
                     struct ix_error *err)
{
    struct ix_log_accept accept;
    if (ix_decode_log_accept(m->payload, m->payload_size, &accept, err) != 0)
        return -1;
    if (s->unanswered == 0)
        return ix_fail(err, "LOG_ACCEPT without an offer");
    if (--s->unanswered > 0 || s->step != OFFERED)
        return 0;
    if (accept.answer == IX_ACCEPT_REFUSED) {
        ix_fail(&s->reason, "%s", accept.reason);
        finish(s, IX_SENDING_FAILED);
    } else if (accept.answer == IX_ACCEPT_NOT_NEEDED) {
        s->any = true;
        next_file(s);
    } else if (s->offer.state == IX_OFFER_GROWING) {
        finish(s, IX_SENDING_PROMISED);
    } else if (accept.offset > s->offer.size) {
        return ix_fail(err, "LOG_ACCEPT from beyond the log's end");
    } else {
        ix_digest_clear(s->digest);
        s->offset = 0;
        s->wanted_from = accept.offset;
        s->rate = accept.rate;
        s->next_ns = 0;
        s->step = HASH;
    }
    return 0;
}

static int on_stored(struct ix_log_sender *s, const struct ix_message_frame *m,
                     struct ix_error *err)
{
    struct ix_log_stored stored;
    if (ix_decode_log_stored(m->payload, m->payload_size, &stored, err) != 0)
        return -1;
    const bool at_work = s->step == HASH || s->step == SEND || s->step == SENT;
    if (!at_work) /* about a cancelled transfer */
        return 0;
    if (stored.result == IX_STORED_WHOLE && s->step == SENT) {
        s->any = s->stored = true;
        next_file(s);
    } else if (stored.result == IX_STORED_DAMAGED && !s->again) {
        close_file(s);
        s->again = true;
        s->step = OFFER;
    } else {
        ix_fail(&s->reason, "%s", stored.reason);
        finish(s, IX_SENDING_FAILED);
    }
    return 0;
}

int ix_log_sender_receive(struct ix_log_sender *s, const struct ix_message_frame *m,
                          struct ix_error *err)
{
    switch (m->type) {
    case IX_LOG_ACCEPT:
        return on_accept(s, m, err);
    case IX_LOG_STORED:
        return on_stored(s, m, err);
    default:
        return 0;
    }
}

enum ix_sending ix_log_sender_state(const struct ix_log_sender *s)
{
    return s->state;
}

const char *ix_log_sender_reason(const struct ix_log_sender *s)
{
    return s->reason.text;
}
