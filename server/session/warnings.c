/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/warnings.h"

#include <stdio.h>

/* Whether there is room for one more warning now. */
static bool may_warn(struct ixor_warnings *w)
{
    const uint64_t second = 1000000000, now = ixor_mono_ns();
    const uint64_t forgiven = (now - w->counted_ns) / second;
    w->counted_ns += forgiven * second;
    w->counted -= forgiven < w->counted ? forgiven : w->counted;
    const bool may = w->counted < IXOR_WARNINGS_MAX;
    w->counted += may;
    w->left_out += !may;
    return may;
}

void ixor_warn(struct ixor_warnings *w, const struct ixor_address *peer, const char *text)
{
    char where[IXOR_ADDRESS_TEXT], clean[512], whole[704], before[64] = "";
    if (!w->warned || (peer && !may_warn(w)))
        return;
    ixor_safe_text(text, clean, sizeof clean);
    if (peer) {
        if (w->left_out)
            snprintf(before, sizeof before, " (after %llu like it)",
                     (unsigned long long)w->left_out);
        w->left_out = 0;
        ixor_address_text(peer, where);
        snprintf(whole, sizeof whole, "connection from %s: %s%s", where, clean, before);
    }
    w->warned(w->user, peer ? whole : clean);
}
