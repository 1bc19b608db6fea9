#include "roxi/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void roxi_progress_start(struct roxi_progress *p, const char *what, double total)
{
    *p = (struct roxi_progress){.what = what, .total = total, .terminal = isatty(STDERR_FILENO)};
    p->begin_ns = now_ns();
    /* The first second is quiet: as if something had been shown when it is 200 ms from over. */
    p->shown_ns = p->begin_ns + 800000000;
}

void roxi_progress_add(struct roxi_progress *p, double done)
{
    p->done += done;
    if (!p->terminal || p->done <= 0)
        return;
    int64_t now = now_ns();
    if (now - p->shown_ns < 200000000)
        return;
    p->shown_ns = now;
    p->shown = true;
    double left = (double)(now - p->begin_ns) / 1e9 * (p->total - p->done) / p->done;
    fprintf(stderr, "\r%s: %.0f %%, about %.0f s left \033[K", p->what, 100 * p->done / p->total,
            left);
}

void roxi_progress_end(struct roxi_progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
}
