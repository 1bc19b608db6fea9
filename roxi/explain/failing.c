/* SPDX-License-Identifier: Apache-2.0 */
/* What the exception with which a test fails leads to: the code of the methods that it leaves,
 * which closes what they opened, is executed in no run that passes. That says no more than the
 * exception. */
#include <string.h>

#include "roxi/explain/finder.h"

/* Is it of the exception that the test's failure names: "CLASS: message"? */
static bool is_of_failure(const struct roxi_finder *f, const struct roxi_finding *x)
{
    if (x->about != ROXI_ABOUT_FIRST && x->about != ROXI_ABOUT_EXCEPTION)
        return false;
    const char *name = roxi_symbols_text(f->profiles->symbols, x->thrown);
    const size_t length = strlen(name);
    const char *failure = f->run->failure;
    return strncmp(failure, name, length) == 0 && (!failure[length] || failure[length] == ':');
}

static bool follows(const struct roxi_finder *f, const struct roxi_finding *code)
{
    bool does = false;
    for (size_t i = 0; i < f->out->count && !does; i++) {
        const struct roxi_finding *x = &f->out->list[i];
        does = is_of_failure(f, x) && x->who.role == code->who.role &&
               roxi_within(x->packet, code->packet, 1) &&
               roxi_finder_has_class(f->profiles->symbols, x->stack, code->call.class_name);
    }
    return does;
}

int roxi_leave_out_failing(struct roxi_finder *f)
{
    size_t kept = 0;
    if (!f->run->failure)
        return 0;
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding x = f->out->list[i];
        if (x.about != ROXI_ABOUT_COVERED || !follows(f, &x))
            f->out->list[kept++] = x;
    }
    f->out->count = kept;
    return 0;
}
