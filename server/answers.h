/* Answers the viewer's questions on a thread of its own, so that the event loop, which has packets to
 * send, never waits for a disk. The thread has its own connection to the catalogue and shares nothing
 * with the loop but two short lists of jobs.
 */
#ifndef IXOR_ANSWERS_H
#define IXOR_ANSWERS_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>

#include "schema/error.h"
#include "server/http_route.h"

/* Questions that may wait; more are refused. */
#define IXOR_QUESTIONS_MAX 64u

struct ixor_answers;

struct ixor_answer {
    int status;       /* of HTTP */
    const char *body; /* JSON; lives until the callback returns */
    size_t size;
};

/* `dir` has a catalogue. `answered` is called in the event loop. NULL on failure. */
struct ixor_answers *ixor_answers_new(struct event_base *base, const char *dir,
                                      void (*answered)(void *ticket, const struct ixor_answer *a),
                                      struct ix_error *err);
/* Waits for the question at hand; every ticket that is left gets its answer (503) before this returns.
 * a may be NULL. */
void ixor_answers_free(struct ixor_answers *a);

/* `ticket` gets one answer, later. `paused`: what the state says of the sampling. False if too many
 * wait; then there is no answer. */
bool ixor_answers_ask(struct ixor_answers *a, const struct ixor_route *route, bool paused,
                      void *ticket);

#endif
