/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/terminal.h"
#include "server/base/command.h"
#include "server/base/units.h"

void ixor_progress_init(struct ixor_progress *p, unsigned runs)
{
    *p = (struct ixor_progress){
        .terminal = isatty(STDERR_FILENO) == 1,
        .runs = runs,
        .began_ns = ixor_mono_ns(),
    };
}

void ixor_progress_number(const struct ixor_progress *p, char text[IXOR_RUN_NUMBER])
{
    if (p->runs)
        snprintf(text, IXOR_RUN_NUMBER, "%u/%u", p->run, p->runs);
    else
        snprintf(text, IXOR_RUN_NUMBER, "%u", p->run);
}

void ixor_progress_text(const struct ixor_progress *p, uint64_t now_ns, char *text, size_t size)
{
    char run[IXOR_RUN_NUMBER], elapsed[IXOR_UNIT_TEXT], left[IXOR_UNIT_TEXT] = "-",
                                                        lost[IXOR_UNIT_TEXT];
    uint64_t elapsed_ns = now_ns - p->began_ns;
    unsigned done = p->passed + p->failed;
    if (done && p->runs) {
        uint64_t left_ns = (p->over_ns - p->began_ns) / done * (p->runs - done);
        uint64_t spent_ns = now_ns - p->over_ns;
        if (left_ns > spent_ns)
            ixor_duration_text((int64_t)(left_ns - spent_ns), left);
        else
            snprintf(left, sizeof left, "soon");
    }
    ixor_duration_text((int64_t)elapsed_ns, elapsed);
    ixor_share_text(p->lost, p->requests, lost);
    ixor_progress_number(p, run);
    snprintf(text, size,
             "run %s  %u passed %u failed  %" PRIu64 " JVMs  %" PRIu64
             " snapshots  %s lost  %s, ETA %s",
             run, p->passed, p->failed, p->vms, p->snapshots, lost, elapsed, left);
}

void ixor_progress_draw(struct ixor_progress *p)
{
    if (!p->terminal)
        return;
    char text[IX_SCREEN_COLUMNS];
    ixor_progress_text(p, ixor_mono_ns(), text, ix_line_columns(STDERR_FILENO) + 1);
    size_t len = strlen(text);
    fprintf(stderr, "\r%-*s", (int)(p->drawn > len ? p->drawn : len), text);
    fflush(stderr);
    p->drawn = len;
}

void ixor_progress_erase(struct ixor_progress *p)
{
    if (!p->drawn)
        return;
    fprintf(stderr, "\r%*s\r", (int)p->drawn, "");
    fflush(stderr);
    p->drawn = 0;
}

void ixor_progress_note(struct ixor_progress *p, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ixor_progress_erase(p);
    ixor_notice("%s", text);
    ixor_progress_draw(p);
}
