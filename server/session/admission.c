/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/admission.h"

#include <event2/bufferevent_ssl.h>
#include <string.h>

#include "server/sampling/numbers.h"
#include "server/sampling/prober.h"
#include "server/sampling/ticker.h"
#include "server/session/executions.h"

/* Approximate number of reports per second above which agents must report less often. */
#define REPORTS_PER_S 1000
#define REPORT_MAX_NS UINT64_C(30000000000)

uint64_t ixor_report_delay(const struct ixor_context *c)
{
    const uint64_t usual = IX_REPORT_DELAY_MS * UINT64_C(1000000);
    return c->report_ns > usual ? c->report_ns : usual;
}

static bool same_jvm(const struct ixor_session *a, const struct ixor_session *b)
{
    return a->jvm.hello->pid == b->jvm.hello->pid &&
           a->jvm.hello->started_ns == b->jvm.hello->started_ns &&
           a->jvm.execution == b->jvm.execution &&
           strcmp(a->jvm.hello->host, b->jvm.hello->host) == 0 &&
           strcmp(a->jvm.hello->log, b->jvm.hello->log) == 0;
}

static uint64_t hash_of(const struct ixor_context *c, const struct ixor_session *s)
{
    const struct ixor_hello *h = s->jvm.hello;
    const uint64_t numbers[] = {h->pid, h->started_ns, (uint64_t)s->jvm.execution->id};
    uint64_t hash = ixor_index_hash(c->hash_seed, numbers, sizeof numbers);
    hash = ixor_index_hash(hash, h->host, strlen(h->host));
    return ixor_index_hash(hash, h->log, strlen(h->log));
}

static void end_older_session(struct ixor_context *c, const struct ixor_session *s)
{
    struct ixor_index_link *link = ixor_index_first(&c->by_jvm, hash_of(c, s));
    for (; link; link = ixor_index_next(link)) {
        struct ixor_session *old = ixor_index_of(link, struct ixor_session, by_jvm);
        if (same_jvm(old, s)) {
            ixor_session_end(old, "vanished", "connected again");
            return;
        }
    }
}

/* How late the next agent to join may report. */
static uint64_t report_delay(struct ixor_context *c)
{
    uint64_t ns = c->by_jvm.count * (UINT64_C(1000000000) / REPORTS_PER_S);
    if (ns <= IX_REPORT_DELAY_MS * UINT64_C(1000000))
        return 0;
    if (ns > REPORT_MAX_NS)
        ns = REPORT_MAX_NS;
    if (ns > c->report_ns)
        c->report_ns = ns;
    return ns;
}

static int check_hello(const struct ixor_context *c, const struct ixor_hello *hello,
                       struct ix_error *err)
{
    const uint64_t sent = ixor_ticker_sent(c->ticker) + ixor_numbers_gap(&c->options.rhythm);
    if (hello->last_packet > (sent > c->ceiling ? sent : c->ceiling))
        return ix_fail(err, "HELLO with packet %llu, which this campaign has not come to",
                       (unsigned long long)hello->last_packet);
    if (hello->log[0] != '/')
        return ix_fail(err, "HELLO without the absolute path of a trace log");
    return 0;
}

/* Uses the secret that both sides derive from their connection. */
static struct ix_sealer *new_sealer(struct ixor_session *s)
{
    uint8_t secret[IX_SECRET_SIZE];
    if (ix_tls_secret(bufferevent_openssl_get_ssl(s->bev), secret) != 0)
        return NULL;
    return ix_sealer_new(secret);
}

/* Prepares the JVM for sampling: a key, a sealer, a clock. */
static int give_key(struct ixor_context *c, struct ixor_session *s, struct ix_error *err)
{
    struct ixor_jvm *jvm = &s->jvm;
    jvm->began_ns = s->began_ns;
    jvm->udp = s->peer;
    ixor_address_set_port(&jvm->udp, jvm->hello->udp_port);
    jvm->sealer = new_sealer(s);
    if (!jvm->sealer)
        return ix_fail(err, "the server is out of memory");
    return ixor_prober_enter(c->prober, jvm, err);
}

static struct ixor_writer_vm *add_to_catalogue(struct ixor_context *c, const struct ixor_jvm *jvm)
{
    const struct ixor_hello *hello = jvm->hello;
    const struct ix_vm row = {
        .execution = jvm->execution->id,
        .role = hello->role,
        .host = hello->host,
        .jvm = hello->jvm,
        .pid = hello->pid,
        .started_ns = (int64_t)hello->started_ns,
        .log = hello->log,
        /* A first guess, wrong by the time HELLO took. */
        .clock_offset_ns = jvm->clock.same ? 0 : (int64_t)ixor_mono_ns() - (int64_t)hello->mono_ns,
    };
    return ixor_writer_add_vm(c->writer, &row);
}

/* Enters the JVM into the index, the catalogue and the list of those that get packets, or into none
 * of them. */
static int enter_jvm(struct ixor_context *c, struct ixor_session *s, struct ix_error *err)
{
    if (ixor_index_add(&c->by_jvm, &s->by_jvm, hash_of(c, s)) != 0)
        return ix_fail(err, "the server is out of memory");
    s->jvm.vm = add_to_catalogue(c, &s->jvm);
    if (!s->jvm.vm) {
        ixor_index_remove(&c->by_jvm, &s->by_jvm);
        return ix_fail(err, "the server is out of memory");
    }
    TAILQ_INSERT_TAIL(&c->jvms, &s->jvm, links);
    s->jvm.execution->sessions++;
    s->jvm.execution->vms++;
    return 0;
}

int ixor_admit(struct ixor_session *s, struct ix_welcome *welcome, struct ix_error *err)
{
    struct ixor_context *c = s->context;
    const struct ixor_hello *hello = s->jvm.hello;
    if (check_hello(c, hello, err) != 0)
        return -1;
    struct ixor_execution *e = s->jvm.execution =
        hello->test ? ixor_executions_begin_test(c, hello->execution, hello->burst_ns, err)
                    : ixor_executions_find(c, hello->execution, err);
    if (!e)
        return -1;
    end_older_session(c, s);
    if (give_key(c, s, err) != 0 || enter_jvm(c, s, err) != 0)
        return -1;
    ixor_ticker_above(c->ticker, hello->last_packet);
    welcome->session = s->jvm.key;
    welcome->interval_ns = c->options.rhythm.every_ns;
    welcome->report_ns = report_delay(c);
    memcpy(welcome->execution, e->name, sizeof welcome->execution);
    if (c->events.joined)
        c->events.joined(c->events.user, e, hello);
    return 0;
}

void ixor_leave_context(struct ixor_session *s)
{
    TAILQ_REMOVE(&s->context->jvms, &s->jvm, links);
    ixor_index_remove(&s->context->by_jvm, &s->by_jvm);
    s->jvm.execution->sessions--;
}
