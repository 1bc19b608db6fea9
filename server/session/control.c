/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/control.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/json.h"
#include "server/sampling/ticker.h"
#include "server/session/admission.h"
#include "server/session/mark.h"

/* Runs in the answer to `state`: as many as fit a REPLY even with the longest names, each byte of
 * which can become six in JSON. */
#define EXECUTIONS_MAX 30

/* Each verb: a new JSON object, or NULL with the reason. */

static json_t *packet_of(const struct ixor_watched *w)
{
    return json_pack("{sI sI sI}", "packet", (json_int_t)w->packet, "vms", (json_int_t)w->vms,
                     "taken", (json_int_t)w->taken);
}

static json_t *snapshot(struct ixor_context *c, const char *text, struct ix_error *err)
{
    (void)text;
    struct ixor_ticker *ticker = c->ticker;
    const size_t vms = ixor_ticker_now(ticker);
    if (!vms) {
        ix_fail(err, "no JVM is being sampled at the moment");
        return NULL;
    }
    const uint64_t packet = ixor_ticker_last(ticker);
    ixor_watched_add(&c->watched, packet, vms);
    json_t *answer = packet_of(ixor_watched_find(&c->watched, packet));
    json_object_set_new(answer, "report_ns", json_integer((json_int_t)ixor_report_delay(c)));
    return answer;
}

static json_t *taken(struct ixor_context *c, const char *text, struct ix_error *err)
{
    char *end;
    const struct ixor_watched *w = ixor_watched_find(&c->watched, strtoull(text, &end, 10));
    if (!w || *end)
        ix_fail(err, "packet '%s' is none of the last %d that were asked for", text, IXOR_WATCHED);
    return w && !*end ? packet_of(w) : NULL;
}

/* The run that a mark belongs to: the current one, or one that an agent named. */
static const struct ixor_execution *marked_execution(struct ixor_context *c)
{
    const struct ixor_execution *e = c->current;
    if (e && e->sessions)
        return e;
    for (const struct ixor_execution *other = c->executions; other; other = other->next) {
        if (other->sessions)
            return other;
    }
    return e;
}

static json_t *mark(struct ixor_context *c, const char *text, struct ix_error *err)
{
    if (!text[0]) {
        ix_fail(err, "a mark needs a text");
        return NULL;
    }
    const struct ixor_execution *e = marked_execution(c);
    const int64_t packet = ixor_mark(c, e, text);
    return json_pack("{sI ss?}", "packet", (json_int_t)packet, "execution", e ? e->name : NULL);
}

static json_t *set_paused(struct ixor_context *c, bool paused)
{
    ixor_ticker_pause(c->ticker, paused);
    return json_pack("{sb sI}", "paused", paused, "packet",
                     (json_int_t)ixor_ticker_last(c->ticker));
}

static json_t *pause_packets(struct ixor_context *c, const char *text, struct ix_error *err)
{
    (void)text, (void)err;
    return set_paused(c, true);
}

static json_t *resume_packets(struct ixor_context *c, const char *text, struct ix_error *err)
{
    (void)text, (void)err;
    return set_paused(c, false);
}

static json_t *execution(const struct ixor_execution *e)
{
    return IXOR_JSON_OBJECT({"name", json_string(e->name)}, {"open", json_boolean(e->open)},
                            {"sampling", json_boolean(e->sampling)},
                            {"live", json_integer((json_int_t)e->sessions)},
                            {"vms", json_integer((json_int_t)e->vms)},
                            {"packets", json_integer((json_int_t)e->packets)},
                            {"requests", json_integer((json_int_t)e->requests)},
                            {"taken", json_integer((json_int_t)e->taken)});
}

static json_t *state(struct ixor_context *c, const char *text, struct ix_error *err)
{
    (void)text, (void)err;
    const struct ixor_rhythm_options *r = &c->options.rhythm;
    const struct ixor_execution *current = c->current;
    json_t *executions = json_array();
    size_t count = 0;
    for (const struct ixor_execution *e = c->executions; e; e = e->next) {
        if (e->open && count++ < EXECUTIONS_MAX)
            json_array_append_new(executions, execution(e));
    }
    return IXOR_JSON_OBJECT(
        {"current", current ? json_string(current->name) : json_null()},
        {"packet", json_integer((json_int_t)ixor_ticker_last(c->ticker))},
        {"paused", json_boolean(ixor_ticker_paused(c->ticker))},
        {"live", json_integer((json_int_t)c->by_jvm.count)},
        {"every_ns", json_integer((json_int_t)r->every_ns)},
        {"jitter_ns", json_integer((json_int_t)r->jitter_ns)}, {"random", json_boolean(r->random)},
        {"burst", json_integer((json_int_t)r->burst)},
        {"seed", json_integer((json_int_t)(r->seed & INT64_MAX))},
        {"lead_ns", json_integer((json_int_t)c->options.lead_ns)},
        {"report_ns", json_integer((json_int_t)ixor_report_delay(c))}, {"executions", executions},
        {"executions_open", json_integer((json_int_t)count)});
}

static const struct {
    const char *verb;
    json_t *(*run)(struct ixor_context *c, const char *text, struct ix_error *err);
} verbs[] = {
    {"snapshot", snapshot},   {"taken", taken},           {"mark", mark},
    {"pause", pause_packets}, {"resume", resume_packets}, {"state", state},
};

static json_t *carry_out(struct ixor_context *c, const struct ix_control *command,
                         struct ix_error *err)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(command->verb, verbs[i].verb) == 0)
            return verbs[i].run(c, command->text, err);
    }
    ix_fail(err, "'%s' is not a command of this server", command->verb);
    return NULL;
}

void ixor_control_answer(struct ixor_context *c, const struct ix_control *command,
                         struct ix_out *out)
{
    static struct ix_reply reply; /* static because it is large; there is only one loop */
    struct ix_error err = {"out of memory"};
    json_t *answer = carry_out(c, command, &err);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    reply.ok = text && strlen(text) <= IX_REPLY_MAX;
    if (text && !reply.ok)
        ix_fail(&err, "the answer is too long");
    snprintf(reply.text, sizeof reply.text, "%s", reply.ok ? text : err.text);
    free(text);
    ix_encode_reply(out, &reply);
}
