#include "server/control.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/service.h"
#include "server/ticker.h"

/* Executions in the answer to `state`: as many as fit a REPLY however long their names are, of which
 * each byte can become six in JSON. */
#define EXECUTIONS_MAX 30

/* Each verb: a new JSON object, or NULL with the reason. */

static json_t *packet_of(const struct ixor_watched *w)
{
    return json_pack("{sI sI sI}", "packet", (json_int_t)w->packet, "vms", (json_int_t)w->vms,
                     "taken", (json_int_t)w->taken);
}

static json_t *snapshot(struct ixor_service *s, const char *text, struct ix_error *err)
{
    (void)text;
    struct ixor_ticker *ticker = ixor_service_ticker(s);
    const size_t vms = ixor_ticker_now(ticker);
    if (!vms) {
        ix_fail(err, "no JVM is being sampled at the moment");
        return NULL;
    }
    const uint64_t packet = ixor_ticker_last(ticker);
    ixor_service_watch(s, packet, vms);
    json_t *answer = packet_of(ixor_service_watched(s, packet));
    json_object_set_new(answer, "report_ns", json_integer((json_int_t)ixor_service_report_ns(s)));
    return answer;
}

static json_t *taken(struct ixor_service *s, const char *text, struct ix_error *err)
{
    char *end;
    const struct ixor_watched *w = ixor_service_watched(s, strtoull(text, &end, 10));
    if (!w || *end)
        ix_fail(err, "packet '%s' is none of the last %d that were asked for", text, IXOR_WATCHED);
    return w && !*end ? packet_of(w) : NULL;
}

/* The execution that a mark is about: the current one, or one that somebody named. */
static const struct ixor_execution *at_hand(struct ixor_service *s)
{
    const struct ixor_execution *e = ixor_service_current(s);
    if (e && e->sessions)
        return e;
    for (const struct ixor_execution *other = ixor_service_executions(s); other;
         other = other->next) {
        if (other->sessions)
            return other;
    }
    return e;
}

static json_t *mark(struct ixor_service *s, const char *text, struct ix_error *err)
{
    if (!text[0]) {
        ix_fail(err, "a mark needs a text");
        return NULL;
    }
    const struct ixor_execution *e = at_hand(s);
    const struct ix_mark row = {
        .execution = e ? e->id : 0,
        .packet = (int64_t)ixor_service_last_packet(s),
        .at_ns = ixor_wall_ns(),
        .text = text,
    };
    ixor_ledger_mark(ixor_service_ledger(s), &row);
    return json_pack("{sI ss?}", "packet", (json_int_t)row.packet, "execution", e ? e->name : NULL);
}

static json_t *set_paused(struct ixor_service *s, bool paused)
{
    ixor_ticker_pause(ixor_service_ticker(s), paused);
    return json_pack("{sb sI}", "paused", paused, "packet",
                     (json_int_t)ixor_service_last_packet(s));
}

static json_t *pause_packets(struct ixor_service *s, const char *text, struct ix_error *err)
{
    (void)text, (void)err;
    return set_paused(s, true);
}

static json_t *resume_packets(struct ixor_service *s, const char *text, struct ix_error *err)
{
    (void)text, (void)err;
    return set_paused(s, false);
}

static json_t *execution(const struct ixor_execution *e)
{
    return json_pack("{ss sb sb sI sI sI sI sI}", "name", e->name, "open", e->open, "sampling",
                     e->sampling, "live", (json_int_t)e->sessions, "vms", (json_int_t)e->vms,
                     "packets", (json_int_t)e->packets, "requests", (json_int_t)e->requests,
                     "taken", (json_int_t)e->taken);
}

static json_t *state(struct ixor_service *s, const char *text, struct ix_error *err)
{
    (void)text, (void)err;
    const struct ixor_service_options *o = ixor_service_given(s);
    const struct ixor_execution *current = ixor_service_current(s);
    json_t *executions = json_array();
    size_t count = 0;
    for (const struct ixor_execution *e = ixor_service_executions(s); e; e = e->next) {
        if (e->open && count++ < EXECUTIONS_MAX)
            json_array_append_new(executions, execution(e));
    }
    return json_pack("{ss? sI sb sI sI sI sb sI sI sI sI so sI}", "current",
                     current ? current->name : NULL, "packet",
                     (json_int_t)ixor_service_last_packet(s), "paused",
                     ixor_ticker_paused(ixor_service_ticker(s)), "live",
                     (json_int_t)ixor_service_by_vm(s)->count, "every_ns",
                     (json_int_t)o->rhythm.every_ns, "jitter_ns", (json_int_t)o->rhythm.jitter_ns,
                     "random", o->rhythm.random, "burst", (json_int_t)o->rhythm.burst, "seed",
                     (json_int_t)(o->rhythm.seed & INT64_MAX), "lead_ns", (json_int_t)o->lead_ns,
                     "report_ns", (json_int_t)ixor_service_report_ns(s), "executions", executions,
                     "executions_open", (json_int_t)count);
}

static const struct {
    const char *verb;
    json_t *(*run)(struct ixor_service *s, const char *text, struct ix_error *err);
} verbs[] = {
    {"snapshot", snapshot},    {"taken", taken},           {"mark", mark},
    {"pause", pause_packets}, {"resume", resume_packets}, {"state", state},
};

static json_t *carry_out(struct ixor_service *s, const struct ix_control *command,
                         struct ix_error *err)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(command->verb, verbs[i].verb) == 0)
            return verbs[i].run(s, command->text, err);
    }
    ix_fail(err, "'%s' is no command of this server", command->verb);
    return NULL;
}

void ixor_control_answer(struct ixor_service *s, const struct ix_control *command,
                         struct ix_out *out)
{
    static struct ix_reply reply; /* large, and there is one loop */
    struct ix_error err = {"out of memory"};
    json_t *answer = carry_out(s, command, &err);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    reply.ok = text && strlen(text) <= IX_REPLY_MAX;
    if (text && !reply.ok)
        ix_fail(&err, "the answer is too long");
    snprintf(reply.text, sizeof reply.text, "%s", reply.ok ? text : err.text);
    free(text);
    ix_encode_reply(out, &reply);
}
