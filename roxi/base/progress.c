/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "schema/base/clock.h"
#include "schema/base/terminal.h"

void roxi_progress_start(struct roxi_progress *p, const char *what, double total)
{
    *p = (struct roxi_progress){.what = what, .total = total, .terminal = isatty(STDERR_FILENO)};
    p->begin_ns = ix_mono_ns();
    /* Keeps the first second quiet by pretending that something was shown 200 ms before its end. */
    p->shown_ns = p->begin_ns + 800000000;
}

void roxi_progress_add(struct roxi_progress *p, double done)
{
    p->done += done;
    if (!p->terminal || p->done <= 0)
        return;
    int64_t now = ix_mono_ns();
    if (now - p->shown_ns < 200000000)
        return;
    p->shown_ns = now;
    p->shown = true;
    double left = (double)(now - p->begin_ns) / 1e9 * (p->total - p->done) / p->done;
    char line[IX_SCREEN_COLUMNS];
    snprintf(line, sizeof line, "%s: %.0f %%, about %.0f s left ", p->what,
             100 * p->done / p->total, left);
    fprintf(stderr, "\r%.*s\033[K", (int)ix_line_columns(STDERR_FILENO), line);
}

void roxi_progress_end(struct roxi_progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
}
