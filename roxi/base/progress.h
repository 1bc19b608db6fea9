/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the progress of a long computation on stderr if that is a terminal: one line with an
 * estimate of the time left, rewritten a few times a second and erased at the end. Shows nothing
 * in the first second. */
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

/* `what` is a phrase such as "comparing runs"; total is in any unit of work. */
void roxi_progress_start(struct roxi_progress *p, const char *what, double total);
void roxi_progress_add(struct roxi_progress *p, double done);
void roxi_progress_end(struct roxi_progress *p);

#endif
