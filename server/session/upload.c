/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/protocol/machine.h"
#include "schema/tracelog/parts.h"
#include "server/store/log_check.h"
#include "server/store/log_store.h"

/* Bytes digested in one turn of the event loop: a millisecond from the page cache. */
#define SLICE (4u << 20)
/* The log of a JVM that has ended is sent by a working JVM: no faster than this. */
#define GUEST_RATE (UINT64_C(4) << 20)
/* This many bytes at a log's beginning distinguish it from others: they reach into its first
 * record. */
#define HEAD_ENOUGH 64u
/* A thousand JVMs that start at once must not cause a thousand searches of the catalogue: at most
 * this many in this time, each a millisecond for ten thousand JVMs. */
#define SEARCHES 8u
#define SEARCH_NS UINT64_C(200000000)
/* An offer that comes before its JVM is in the catalogue waits for that, but not for as long as a
 * JVM's end waits for the upload. */
#define CATALOGUE_EVERY_MS 50
#define CATALOGUE_TRIES 100
/* How often the free space on the file system is checked. */
#define ROOM_EVERY (UINT64_C(4) << 20)

struct ixor_uploads {
    struct event_base *base;
    struct ixor_writer *writer;
    struct ixor_log_store *log_store;
    struct ixor_log_check *log_check;
    struct ixor_upload_options options;
    size_t active;        /* sessions that are sending */
    uint64_t searched_ns; /* when counting of searches last began; how many since */
    unsigned searches;
    char machine[IX_MACHINE_MAX + 1];
};

enum step {
    IDLE,
    WAITING,   /* for the catalogue; the offer has not been answered */
    DIGESTING, /* digests the bytes already here; the offer has not been answered */
    TAKING,
    IGNORING, /* failed; data on its way still arrives */
};

struct ixor_upload {
    struct ixor_uploads *all;
    struct ixor_session *session;
    enum step step;
    struct ix_log_offer offer;
    struct ix_log_owner owner; /* of the log that is offered */
    struct ixor_copy copy;
    struct ix_digest *digest;
    struct event *turn; /* of the loop, in which the current step goes on */
    unsigned tries;     /* to find the owner in the catalogue */
    uint64_t digested;
    uint64_t room_at; /* size of the copy at which to check the free space again */
    bool parts;       /* a file of this log has arrived completely */
};

struct ixor_uploads *ixor_uploads_new(struct event_base *base, struct ixor_writer *writer,
                                      const struct ixor_upload_options *options,
                                      struct ix_error *err)
{
    struct ixor_uploads *all = calloc(1, sizeof *all);
    if (!all) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    all->base = base;
    all->writer = writer;
    all->options = *options;
    if (!all->options.max_size)
        all->options.max_size = IXOR_MAX_UPLOAD_DEFAULT;
    if (!all->options.rate)
        all->options.rate = IXOR_UPLOAD_RATE_DEFAULT;
    ix_machine_name(all->machine);
    all->log_store = ixor_log_store_new(ix_catalogue_dir(ixor_writer_catalogue(writer)), err);
    all->log_check = all->log_store ? ixor_log_check_new(base, writer, err) : NULL;
    if (all->log_check)
        return all;
    ixor_uploads_free(all);
    return NULL;
}

void ixor_uploads_free(struct ixor_uploads *all)
{
    if (!all)
        return;
    ixor_log_check_free(all->log_check);
    ixor_log_store_free(all->log_store);
    free(all);
}

/* ---- what is said ---- */

static int answer(struct ixor_session *s, const struct ix_log_accept *accept, struct ix_error *err)
{
    struct ix_out out = {0};
    ix_encode_log_accept(&out, accept);
    return ixor_session_send(s, &out) ? 0 : ix_fail(err, "the server is out of memory");
}

static int refuse(struct ixor_session *s, const char *reason, struct ix_error *err)
{
    struct ix_log_accept accept = {.answer = IX_ACCEPT_REFUSED, .rate = 1};
    snprintf(accept.reason, sizeof accept.reason, "%s", reason);
    return answer(s, &accept, err);
}

static int stored(struct ixor_session *s, enum ix_stored_result result, const char *reason,
                  struct ix_error *err)
{
    struct ix_log_stored m = {.result = (uint8_t)result};
    struct ix_out out = {0};
    snprintf(m.reason, sizeof m.reason, "%s", reason);
    ix_encode_log_stored(&out, &m);
    return ixor_session_send(s, &out) ? 0 : ix_fail(err, "the server is out of memory");
}

/* ---- the catalogue ---- */

static struct ixor_copy_of copy_of(const struct ixor_upload *u)
{
    return (struct ixor_copy_of){
        .vm = u->owner.vm,
        .execution = u->owner.execution,
        .role = u->owner.role,
        .host = u->owner.host,
        .pid = u->owner.pid,
        .started_ns = u->owner.started_ns,
        .part = (uint32_t)u->offer.part,
    };
}

/* The last file of the log has arrived, or was here already. */
static void record_collected(struct ixor_upload *u)
{
    char path[IXOR_COPY_PATH];
    const struct ixor_copy_of of = copy_of(u);
    ixor_log_store_path(&of, path);
    ixor_writer_log(u->all->writer, u->owner.vm, "collected", path, -1);
    const char *dir = ix_catalogue_dir(ixor_writer_catalogue(u->all->writer));
    char *whole;
    if (asprintf(&whole, "%s/%s", dir, path) < 0)
        return; /* then it is not checked */
    ixor_log_check_add(u->all->log_check, u->owner.vm, whole);
    free(whole);
}

/* Stops the current transfer and leaves the log as it is. */
static void stop_file(struct ixor_upload *u)
{
    if (u->step == TAKING || u->step == DIGESTING)
        u->all->active--;
    if (u->turn)
        event_del(u->turn);
    if (u->copy.fd >= 0 && u->copy.size) {
        char path[IXOR_COPY_PATH + 8];
        const struct ixor_copy_of of = copy_of(u);
        if (u->parts) /* which can be read without this one */
            ixor_log_store_path(&of, path);
        else
            snprintf(path, sizeof path, "%s.part", u->copy.path);
        ixor_writer_log(u->all->writer, u->owner.vm, "partial", path, -1);
    }
    ixor_copy_close(&u->copy, u->copy.size == 0);
    u->step = IDLE;
}

/* ---- whose log it is, and whether it is wanted ---- */

static bool is_own(const struct ixor_session *s, const struct ix_log_name *name)
{
    return s->state == IXOR_SESSION_LIVE && s->jvm.hello->pid == name->pid &&
           s->jvm.hello->started_ns == name->started_ns &&
           strcmp(s->jvm.hello->host, name->host) == 0 && strcmp(s->jvm.hello->log, name->log) == 0;
}

/* Whether the catalogue knows whose log it is by now. */
static bool is_written(const struct ixor_upload *u, struct ix_error *err)
{
    const struct ixor_session *s = u->session;
    const bool known = is_own(s, &u->offer.name) && ixor_writer_vm_id(s->jvm.vm);
    return known || ixor_writer_flush_briefly(u->all->writer, u->tries == 0, err) == 0;
}

static int find_owner(struct ixor_upload *u, struct ix_error *err)
{
    const struct ix_log_name *name = &u->offer.name;
    struct ixor_session *s = u->session;
    struct ix_log_owner *o = &u->owner;
    if (is_own(s, name)) {
        *o = (struct ix_log_owner){.vm = ixor_writer_vm_id(s->jvm.vm),
                                   .pid = name->pid,
                                   .started_ns = (int64_t)name->started_ns};
        snprintf(o->execution, sizeof o->execution, "%s", s->jvm.execution->name);
        snprintf(o->role, sizeof o->role, "%s", s->jvm.hello->role);
        snprintf(o->host, sizeof o->host, "%s", s->jvm.hello->host);
        return 0;
    }
    struct ix_catalogue *c = ixor_writer_catalogue(u->all->writer);
    const int found = ix_catalogue_log_owner(c, name->execution, name->host, name->pid,
                                             (int64_t)name->started_ns, name->log, o, err);
    if (found == 0)
        return ix_fail(err, "the campaign knows no JVM that wrote this log");
    if (found > 0 && strcmp(o->ended, "running") == 0)
        return ix_fail(err, "its JVM is still running");
    return found > 0 ? 0 : -1;
}

static bool same_file(const struct ix_log_offer *offer)
{
    struct stat st;
    char *part = offer->part ? ix_part_path(offer->name.log, (uint32_t)offer->part) : NULL;
    const char *path = part ? part : offer->name.log;
    const bool same = (part || !offer->part) && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
                      (uint64_t)st.st_dev == offer->device && (uint64_t)st.st_ino == offer->inode;
    free(part);
    return same;
}

/* Whether the log is inside the campaign's directory. Another host may have the same path, so the
 * first bytes are compared. */
static bool same_inside(const struct ixor_uploads *all, const struct ix_log_offer *offer)
{
    uint8_t head[IX_LOG_HEAD_MAX], digest[IX_DIGEST_SIZE];
    if (offer->head_size < HEAD_ENOUGH)
        return false;
    char *part = offer->part ? ix_part_path(offer->name.log, (uint32_t)offer->part) : NULL;
    const int fd = ixor_log_store_open_inside(all->log_store, part ? part : offer->name.log);
    free(part);
    if (fd < 0)
        return false;
    const ssize_t n = pread(fd, head, (size_t)offer->head_size, 0);
    close(fd);
    if (n != (ssize_t)offer->head_size)
        return false;
    ix_digest_of(head, (size_t)n, digest);
    return memcmp(digest, offer->head, sizeof digest) == 0;
}

/* Whether programs on this host can read the log where it is. A path outside the campaign is only
 * checked with stat(2), never opened, and only for a peer on this machine. */
static bool lies_here(const struct ixor_uploads *all, const struct ixor_session *s,
                      const struct ix_log_offer *offer)
{
    const bool here = s->state == IXOR_SESSION_LIVE && all->machine[0] &&
                      strcmp(all->machine, s->jvm.hello->machine) == 0 && offer->inode;
    return (here && same_file(offer)) || same_inside(all, offer);
}

/* ---- asking for the logs of JVMs that are gone ---- */

static int ask_next(struct ixor_uploads *all, struct ixor_session *s, struct ix_error *err)
{
    static struct ix_log_owner missing; /* large */
    static struct ix_log_name name;
    s->search.asking = false;
    if (ixor_writer_flush_briefly(all->writer, true, err) != 0) {
        s->search.due = true; /* a little later, then */
        return 0;
    }
    const int found =
        ix_catalogue_log_missing(ixor_writer_catalogue(all->writer), s->jvm.hello->host,
                                 s->jvm.hello->log, s->search.last, &missing, err);
    s->search.asking = found > 0;
    if (found <= 0)
        return found;
    s->search.last = missing.vm;
    name = (struct ix_log_name){.pid = (uint32_t)missing.pid,
                                .started_ns = (uint64_t)missing.started_ns};
    snprintf(name.execution, sizeof name.execution, "%s", missing.execution);
    snprintf(name.host, sizeof name.host, "%s", missing.host);
    snprintf(name.log, sizeof name.log, "%s", missing.log);
    struct ix_out out = {0};
    ix_encode_log_wanted(&out, &name);
    return ixor_session_send(s, &out) ? 0 : ix_fail(err, "the server is out of memory");
}

int ixor_uploads_search(struct ixor_uploads *all, struct ixor_session *s, uint64_t now_ns,
                        struct ix_error *err)
{
    if (now_ns - all->searched_ns > SEARCH_NS) {
        all->searched_ns = now_ns;
        all->searches = 0;
    }
    if (all->searches == SEARCHES)
        return 0;
    all->searches++;
    s->search.due = false; /* unless it has to wait */
    return ask_next(all, s, err);
}

/* ---- an offer ---- */

/* Each session gets an equal share of the total rate. */
static uint64_t rate_for(const struct ixor_upload *u)
{
    uint64_t rate = u->all->options.rate / (u->all->active ? u->all->active : 1);
    const bool guest =
        u->session->state == IXOR_SESSION_LIVE && !is_own(u->session, &u->offer.name);
    if (guest && rate > GUEST_RATE)
        rate = GUEST_RATE;
    return rate > IXOR_UPLOAD_RATE_MIN ? rate : IXOR_UPLOAD_RATE_MIN;
}

static int begin_taking(struct ixor_upload *u, struct ix_error *err)
{
    u->step = TAKING;
    u->room_at = u->copy.size + ROOM_EVERY;
    return answer(u->session,
                  &(struct ix_log_accept){
                      .answer = IX_ACCEPT_SEND, .offset = u->copy.size, .rate = rate_for(u)},
                  err);
}

static void digest_more(struct ixor_upload *u)
{
    struct ix_error err;
    const uint64_t left = u->copy.size - u->digested;
    const int64_t n = ixor_copy_digest(&u->copy, u->digested, left < SLICE ? (size_t)left : SLICE,
                                       u->digest, &err);
    if (n <= 0 && left) {
        stop_file(u);
        refuse(u->session, n < 0 ? err.text : "its copy was cut meanwhile", NULL);
        return;
    }
    u->digested += (uint64_t)n;
    if (u->digested < u->copy.size)
        event_add(u->turn, &(struct timeval){0});
    else
        begin_taking(u, NULL);
}

/* Opens the copy; on failure *err has a message for the peer. */
static int open_copy(struct ixor_upload *u, struct ix_error *err)
{
    const struct ixor_copy_of of = copy_of(u);
    if (u->offer.size > u->all->options.max_size)
        return ix_fail(err, "it has %llu bytes; this server takes %llu (--max-upload)",
                       (unsigned long long)u->offer.size,
                       (unsigned long long)u->all->options.max_size);
    if (ixor_copy_open(&u->copy, u->all->log_store, &of, err) != 0 ||
        (u->copy.size > u->offer.size && ixor_copy_restart(&u->copy, err) != 0))
        return -1;
    return ixor_copy_room(&u->copy, u->offer.size - u->copy.size, err);
}

static int take_offer(struct ixor_upload *u, struct ix_error *err)
{
    struct ix_error why;
    const struct ixor_copy_of of = copy_of(u);
    const int64_t there = ixor_log_store_size(u->all->log_store, &of);
    if (there >= 0 && (uint64_t)there >= u->offer.size) {
        if (u->offer.part == 0 && strcmp(u->owner.log_state, "collected") != 0)
            record_collected(u);
        return answer(u->session,
                      &(struct ix_log_accept){.answer = IX_ACCEPT_NOT_NEEDED, .rate = 1}, err);
    }
    if (open_copy(u, &why) != 0) {
        ixor_copy_close(&u->copy, u->copy.size == 0);
        ixor_warn(&u->session->context->warnings, &u->session->peer, why.text);
        return refuse(u->session, why.text, err);
    }
    ix_digest_clear(u->digest);
    u->digested = 0;
    u->all->active++;
    if (u->copy.size == 0)
        return begin_taking(u, err);
    u->step = DIGESTING;
    event_add(u->turn, &(struct timeval){0});
    return 0;
}

static int take_whole(struct ixor_upload *u, struct ix_error *err)
{
    struct ixor_session *s = u->session;
    struct ix_error why;
    const bool here = lies_here(u->all, s, &u->offer), own = is_own(s, &u->offer.name);
    if (!(here && own)) {
        const bool written = is_written(u, &why);
        if (!written && u->tries++ < CATALOGUE_TRIES) {
            u->step = WAITING;
            event_add(u->turn, &(struct timeval){.tv_usec = CATALOGUE_EVERY_MS * 1000});
            return 0;
        }
        if (!written || find_owner(u, &why) != 0)
            return refuse(s, why.text, err);
    }
    if (!here)
        return take_offer(u, err);
    if (own)
        ixor_writer_log_here(s->jvm.vm);
    else
        ixor_writer_log(u->all->writer, u->owner.vm, "here", NULL, -1);
    return answer(s, &(struct ix_log_accept){.answer = IX_ACCEPT_NOT_NEEDED, .rate = 1}, err);
}

/* If nothing can be sent to the peer any more, its connection is broken or too full, which is
 * noticed elsewhere. */
static void turn_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_upload *u = user;
    (void)fd, (void)what;
    if (u->step == DIGESTING) {
        digest_more(u);
    } else {
        u->step = IDLE;
        take_whole(u, NULL);
    }
}

/* A log that was asked for will not be sent. */
static int on_decline(struct ixor_upload *u, struct ix_error *err)
{
    if (!u->session->search.asking)
        return 0;
    if (u->offer.state == IX_OFFER_MISSING && is_written(u, NULL) && find_owner(u, NULL) == 0 &&
        u->owner.vm == u->session->search.last && strcmp(u->owner.log_state, "there") == 0)
        ixor_writer_log(u->all->writer, u->owner.vm, "lost", NULL, -1);
    return ask_next(u->all, u->session, err);
}

static struct ixor_upload *upload_of(struct ixor_uploads *all, struct ixor_session *s)
{
    if (s->upload)
        return s->upload;
    struct ixor_upload *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->all = all;
    u->session = s;
    u->copy = IXOR_NO_COPY;
    u->digest = ix_digest_new();
    u->turn = evtimer_new(all->base, turn_cb, u);
    if (u->digest && u->turn)
        return s->upload = u;
    ixor_upload_end(u);
    return NULL;
}

/* Every JVM sends this at the start of its session; only one fact of it is kept. */
static int on_growing(struct ixor_uploads *all, struct ixor_session *s,
                      const struct ix_log_offer *offer, struct ix_error *err)
{
    struct ix_log_accept accept = {.answer = IX_ACCEPT_NOT_NEEDED, .rate = all->options.rate};
    if (!is_own(s, &offer->name))
        return refuse(s, "a log that is not this JVM's own and grows", err);
    if (lies_here(all, s, offer)) {
        ixor_writer_log_here(s->jvm.vm);
        return answer(s, &accept, err);
    }
    accept.answer = IX_ACCEPT_SEND;
    s->search.due = true;
    return answer(s, &accept, err);
}

static int on_offer(struct ixor_uploads *all, struct ixor_session *s,
                    const struct ix_message_frame *frame, struct ix_error *err)
{
    static struct ix_log_offer offer; /* static because it is large; one message at a time */
    if (ix_decode_log_offer(frame->payload, frame->payload_size, &offer, err) != 0)
        return -1;
    if (offer.state == IX_OFFER_GROWING)
        return on_growing(all, s, &offer, err);
    struct ixor_upload *u = upload_of(all, s);
    if (!u)
        return ix_fail(err, "the server is out of memory");
    const bool unanswered = u->step == WAITING || u->step == DIGESTING;
    stop_file(u);
    if (unanswered && refuse(s, "another one was offered", err) != 0)
        return -1;
    if (strcmp(u->offer.name.log, offer.name.log) != 0)
        u->parts = false;
    u->offer = offer;
    if (offer.state != IX_OFFER_WHOLE)
        return on_decline(u, err);
    u->tries = 0;
    return take_whole(u, err);
}

/* ---- what comes ---- */

/* The disk is full or a similar error: discards this file. */
static int abort_copy(struct ixor_upload *u, const char *why, struct ix_error *err)
{
    u->all->active--;
    ixor_copy_close(&u->copy, true);
    u->step = IGNORING;
    ixor_warn(&u->session->context->warnings, &u->session->peer, why);
    return stored(u->session, IX_STORED_NOT, why, err);
}

static int on_data(struct ixor_upload *u, const struct ix_message_frame *frame,
                   struct ix_error *err)
{
    struct ix_log_data m;
    struct ix_error why;
    if (ix_decode_log_data(frame->payload, frame->payload_size, &m, err) != 0)
        return -1;
    if (u && u->step == IGNORING)
        return 0;
    if (!u || u->step != TAKING)
        return ix_fail(err, "LOG_DATA that was not asked for");
    if (m.offset != u->copy.size || m.size > u->offer.size - u->copy.size)
        return ix_fail(err, "LOG_DATA at byte %llu; byte %llu of %llu was the next",
                       (unsigned long long)m.offset, (unsigned long long)u->copy.size,
                       (unsigned long long)u->offer.size);
    if (u->copy.size >= u->room_at) {
        u->room_at += ROOM_EVERY;
        if (ixor_copy_room(&u->copy, u->offer.size - u->copy.size, &why) != 0)
            return abort_copy(u, why.text, err);
    }
    if (ixor_copy_write(&u->copy, m.data, m.size, &why) != 0)
        return abort_copy(u, why.text, err);
    ix_digest_add(u->digest, m.data, m.size);
    return 0;
}

static int finish_file(struct ixor_upload *u, struct ix_error *err)
{
    struct ix_error why;
    if (ixor_copy_finish(&u->copy, &why) != 0)
        return abort_copy(u, why.text, err);
    ixor_copy_close(&u->copy, false);
    u->all->active--;
    u->step = IDLE;
    u->parts = true;
    if (u->offer.part == 0)
        record_collected(u);
    if (stored(u->session, IX_STORED_WHOLE, "", err) != 0)
        return -1;
    return u->offer.part == 0 && u->session->search.asking ? ask_next(u->all, u->session, err) : 0;
}

static int on_done(struct ixor_upload *u, const struct ix_message_frame *frame,
                   struct ix_error *err)
{
    struct ix_log_done m;
    uint8_t digest[IX_DIGEST_SIZE];
    if (ix_decode_log_done(frame->payload, frame->payload_size, &m, err) != 0)
        return -1;
    if (u && u->step == IGNORING)
        return 0;
    if (!u || u->step != TAKING)
        return ix_fail(err, "LOG_DONE without a log");
    if (m.size != u->offer.size || m.size != u->copy.size)
        return ix_fail(err, "LOG_DONE after %llu of %llu bytes", (unsigned long long)u->copy.size,
                       (unsigned long long)u->offer.size);
    ix_digest_value(u->digest, digest);
    if (memcmp(digest, m.digest, sizeof digest) == 0)
        return finish_file(u, err);
    ixor_copy_close(&u->copy, true);
    u->all->active--;
    u->step = IDLE;
    return stored(u->session, IX_STORED_DAMAGED, "the digest of what came is another one", err);
}

int ixor_upload_message(struct ixor_uploads *all, struct ixor_session *s,
                        const struct ix_message_frame *frame, struct ix_error *err)
{
    switch (frame->type) {
    case IX_LOG_OFFER:
        return on_offer(all, s, frame, err);
    case IX_LOG_DATA:
        return on_data(s->upload, frame, err);
    case IX_LOG_DONE:
        return on_done(s->upload, frame, err);
    default:
        return ix_fail(err, "sent a message that no agent sends");
    }
}

void ixor_upload_end(struct ixor_upload *u)
{
    if (!u)
        return;
    if (u->step == DIGESTING || u->step == TAKING)
        stop_file(u);
    ixor_copy_close(&u->copy, false);
    if (u->turn)
        event_free(u->turn);
    ix_digest_free(u->digest);
    free(u);
}
