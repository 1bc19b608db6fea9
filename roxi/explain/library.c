/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/library.h"

#include <string.h>

#include "schema/base/library.h"

/* The class whose method the thread began with. */
static const char *first_class(const struct roxi_symbols *s, uint32_t stack)
{
    uint32_t first = stack;
    while (stack) {
        first = stack;
        stack = roxi_symbols_stack_at(s, stack).parent;
    }
    return first ? roxi_symbols_text(s, roxi_symbols_top(s, first).class_name) : "";
}

/* Does a thread "main" of the role begin in a listed package? */
static bool runs_library(const struct roxi_finder *f, uint32_t role)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    for (size_t i = 0; i < f->run->count; i++) {
        const struct roxi_place place = roxi_profiles_place(f->profiles, f->run->items[i].group);
        if (place.role == role && strcmp(roxi_symbols_text(s, place.template), "main") == 0 &&
            ix_is_of_library(first_class(s, f->run->items[i].stack)))
            return true;
    }
    return false;
}

bool roxi_library_has(const struct roxi_finder *f, uint32_t role, uint32_t class_name)
{
    return ix_is_of_library(roxi_symbols_text(f->profiles->symbols, class_name)) &&
           !runs_library(f, role);
}
