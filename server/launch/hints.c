/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/hints.h"

#include <stdio.h>
#include <string.h>

#include "server/base/units.h"

#define LINES_SHOWN 5
#define LINE_SHOWN 120 /* bytes */

/* What a JVM prints on a line of its own when it reads JAVA_TOOL_OPTIONS. */
#define PICKED_UP "Picked up JAVA_TOOL_OPTIONS"

/* Reads in pieces: a line of the output can be as long as the disk allows. */
static bool contains(const char *path, const char *text)
{
    FILE *f = path ? fopen(path, "re") : NULL;
    char piece[4096];
    bool found = false;
    while (f && !found && fgets(piece, sizeof piece, f))
        found = strstr(piece, text) != NULL;
    if (f)
        fclose(f);
    return found;
}

static void show_first_lines(struct ixor_progress *p, const char *run, const char *path)
{
    FILE *f = path ? fopen(path, "re") : NULL;
    char line[LINE_SHOWN + 1], clean[LINE_SHOWN + 1];
    for (int i = 0; f && i < LINES_SHOWN && fgets(line, sizeof line, f); i++) {
        if (i == 0)
            ixor_progress_note(p, "%s: COMMAND failed; its output begins:", run);
        line[strcspn(line, "\n")] = '\0';
        ixor_safe_text(line, clean, sizeof clean);
        ixor_progress_note(p, "    %s", clean);
    }
    if (f)
        fclose(f);
}

void ixor_hint_no_vm(struct ixor_progress *p, const char *run, const char *output, bool failed)
{
    if (contains(output, PICKED_UP))
        ixor_progress_note(p,
                           "%s: a JVM started, but ended before its agent had connected (did it "
                           "die at start?)",
                           run);
    else
        ixor_progress_note(p,
                           "%s: COMMAND started no JVM that loaded the agent; is java on its "
                           "PATH, and does it keep JAVA_TOOL_OPTIONS? (sudo, env -i, su and "
                           "containers drop it)",
                           run);
    if (failed)
        show_first_lines(p, run, output);
}
