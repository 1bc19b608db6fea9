/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/commands/step.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int cannot_write(const struct roxi_step *s, struct ix_error *err)
{
    return ix_fail(err, "cannot write to GITHUB_STEP_SUMMARY, '%s': %s", s->path, strerror(errno));
}

int roxi_step_open(struct roxi_step *s, struct ix_error *err)
{
    *s = (struct roxi_step){.path = getenv("GITHUB_STEP_SUMMARY")};
    if (!s->path || !*s->path)
        return 0;
    s->out = fopen(s->path, "ae"); /* earlier commands of the step may have written to it */
    return s->out ? 0 : cannot_write(s, err);
}

void roxi_step_add(struct roxi_step *s, const char *text)
{
    if (s->out)
        fprintf(s->out, "\n%s", text);
}

int roxi_step_close(struct roxi_step *s, struct ix_error *err)
{
    FILE *out = s->out;
    s->out = NULL;
    if (!out)
        return 0;
    const bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? cannot_write(s, err) : 0;
}

void roxi_step_abandon(struct roxi_step *s)
{
    if (s->out)
        fclose(s->out);
    s->out = NULL;
}
