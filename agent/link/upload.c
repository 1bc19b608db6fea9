/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/upload.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "schema/protocol/log_sender.h"

/* A server that has not answered for this long does not want logs: the JVM's end stops waiting. */
#define ANSWER_NS 300000000

struct ixa_upload {
    struct ix_log_sender *sender;
    const struct ix_hello *who; /* NULL: no session has begun yet */
    struct ix_log_name own, wanted;
    enum { NOTHING, ANNOUNCING, GUEST, OWN } work;
    int64_t announced, finished; /* when, ns of the monotonic clock */
    bool answered;               /* the server has sent a message about logs in this session */
    bool needed;     /* the server cannot read the log in place, as far as it has reported */
    bool has_wanted; /* `wanted` is to be handled */
    bool declined;   /* `wanted` is not sent, or could not be sent */
};

struct ixa_upload *ixa_upload_new(void)
{
    struct ixa_upload *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->sender = ix_log_sender_new();
    if (u->sender)
        return u;
    free(u);
    return NULL;
}

void ixa_upload_free(struct ixa_upload *u)
{
    if (!u)
        return;
    ix_log_sender_free(u->sender);
    free(u);
}

void ixa_upload_begin(struct ixa_upload *u, const struct ix_hello *who)
{
    if (!u)
        return;
    u->who = who;
    u->own = (struct ix_log_name){.pid = who->pid, .started_ns = who->started_ns};
    memcpy(u->own.execution, who->execution, sizeof u->own.execution);
    memcpy(u->own.host, who->host, sizeof u->own.host);
    memcpy(u->own.log, who->log, sizeof u->own.log);
    u->has_wanted = u->needed = u->answered = false;
    u->announced = ixa_mono_ns();
    u->work = ANNOUNCING;
    ix_log_sender_reset(u->sender);
    ix_log_sender_announce(u->sender, &u->own);
}

bool ixa_upload_finish(struct ixa_upload *u)
{
    const int64_t now = ixa_mono_ns();
    if (!u || !u->who || (!u->needed && (u->work != ANNOUNCING || now - u->announced > ANSWER_NS)))
        return false;
    u->finished = now;
    u->work = OWN;
    u->has_wanted = false;
    ix_log_sender_start(u->sender, &u->own, true);
    return true;
}

bool ixa_upload_done(void *user)
{
    const struct ixa_upload *u = user;
    return u->work != OWN || ix_log_sender_state(u->sender) != IX_SENDING_BUSY ||
           (!u->answered && ixa_mono_ns() - u->finished > ANSWER_NS);
}

/* ---- logs of others ---- */

static bool same_directory(const char *a, const char *b)
{
    char dir_a[IX_PATH_MAX + 1], dir_b[IX_PATH_MAX + 1];
    struct stat st_a, st_b;
    const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
    if (!end_a || !end_b)
        return false;
    const size_t len_a = (size_t)(end_a - a) + 1, len_b = (size_t)(end_b - b) + 1;
    memcpy(dir_a, a, len_a);
    memcpy(dir_b, b, len_b);
    dir_a[len_a] = dir_b[len_b] = '\0';
    return stat(dir_a, &st_a) == 0 && stat(dir_b, &st_b) == 0 && st_a.st_dev == st_b.st_dev &&
           st_a.st_ino == st_b.st_ino;
}

/* In containers a JVM often has the process id of the previous one: this JVM having it proves that
 * the other one is gone. */
static bool is_dead(const struct ix_hello *who, const struct ix_log_name *wanted)
{
    if (wanted->pid == 0 || wanted->pid > INT32_MAX)
        return false;
    if (wanted->pid == who->pid)
        return wanted->started_ns != who->started_ns;
    return kill((pid_t)wanted->pid, 0) != 0 && errno == ESRCH;
}

bool ixa_upload_may_send(const struct ix_hello *who, const struct ix_log_name *wanted)
{
    return strcmp(wanted->host, who->host) == 0 && strcmp(wanted->log, who->log) != 0 &&
           same_directory(wanted->log, who->log) && is_dead(who, wanted);
}

static void decline(struct ixa_upload *u, enum ix_offer_state state)
{
    u->work = GUEST;
    u->declined = true;
    ix_log_sender_decline(u->sender, &u->wanted, state);
}

static void begin_wanted(struct ixa_upload *u)
{
    u->has_wanted = u->declined = false;
    u->work = GUEST;
    if (!ixa_upload_may_send(u->who, &u->wanted))
        decline(u, IX_OFFER_KEPT);
    else if (access(u->wanted.log, F_OK) != 0 && errno == ENOENT)
        decline(u, IX_OFFER_MISSING);
    else
        ix_log_sender_start(u->sender, &u->wanted, true);
}

/* ---- on the way ---- */

/* Updates the state of the current transfer. */
static void update_state(struct ixa_upload *u)
{
    const enum ix_sending state = ix_log_sender_state(u->sender);
    if (state == IX_SENDING_BUSY)
        return;
    if (u->work == ANNOUNCING) {
        u->needed = state == IX_SENDING_PROMISED;
        u->work = NOTHING;
    } else if (u->work == GUEST) {
        u->work = NOTHING;
        if (state == IX_SENDING_FAILED && !u->declined)
            decline(u, IX_OFFER_KEPT); /* the server continues with the next one */
    }
    if (u->work == NOTHING && u->has_wanted)
        begin_wanted(u);
}

static int64_t send_some(void *user, struct ix_out *out, int64_t now_ns)
{
    struct ixa_upload *u = user;
    if (!u->who)
        return INT64_MAX;
    update_state(u);
    const int64_t next = ix_log_sender_send(u->sender, out, now_ns);
    const int64_t patience = u->finished + ANSWER_NS + 1; /* then ixa_upload_done is called again */
    return u->work == OWN && !u->answered && patience < next ? patience : next;
}

static int receive(void *user, const struct ix_message_frame *m)
{
    struct ixa_upload *u = user;
    if (!u->who)
        return 0;
    u->answered = true;
    if (m->type == IX_LOG_WANTED && u->work != OWN) {
        if (ix_decode_log_wanted(m->payload, m->payload_size, &u->wanted, NULL) != 0)
            return -1;
        u->has_wanted = true;
    }
    const int status = ix_log_sender_receive(u->sender, m, NULL);
    update_state(u);
    return status;
}

struct ixa_extension ixa_upload_extension(struct ixa_upload *u)
{
    if (!u)
        return (struct ixa_extension){0};
    return (struct ixa_extension){.send = send_some, .receive = receive, .user = u};
}
