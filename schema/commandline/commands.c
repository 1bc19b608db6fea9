/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/commandline/commands.h"

#include <stdio.h>

#include "schema/base/nearest.h"

int ix_fail_unknown_command(const char *program, const char *word, const char *const *names,
                            size_t count, struct ix_error *err)
{
    struct ix_error list = {""}; /* as long as a message can be */
    const char *kind = word[0] == '-' ? "option" : "command";
    const char *meant = ix_nearest(word, names, count);
    size_t len = 0;
    for (size_t i = 0; i < count && len < sizeof list.text; i++)
        len += (size_t)snprintf(list.text + len, sizeof list.text - len, "%s%s", i ? ", " : "",
                                names[i]);
    return ix_fail(err, "unknown %s '%.40s'%s%s%s commands are %s; try '%s --help'", kind, word,
                   meant ? "; did you mean '" : "; the", meant ? meant : "", meant ? "'? The" : "",
                   list.text, program);
}
