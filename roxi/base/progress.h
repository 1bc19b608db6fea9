/* How far a long computation is, on stderr if that is a terminal: one line, rewritten a few times a
 * second, with an estimate of what is left; nothing of it stays. Nothing is shown in the first
 * second. */
#ifndef ROXI_PROGRESS_H
#define ROXI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct roxi_progress {
    const char *what;
    double total, done;
    int64_t begin_ns, shown_ns;
    bool terminal, shown;
};

/* `what` is as in "comparing executions"; total in any unit of work. */
void roxi_progress_start(struct roxi_progress *p, const char *what, double total);
void roxi_progress_add(struct roxi_progress *p, double done);
void roxi_progress_end(struct roxi_progress *p);

#endif
