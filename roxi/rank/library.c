/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/library.h"

#include <string.h>

#include "roxi/base/platform.h"
#include "schema/base/library.h"

/* What a thread began with. */
struct beginning {
    uint32_t class_name; /* ROXI_NONE: only the platform's code, or that of what runs tests */
    bool of_test;        /* which called it */
};

static struct beginning beginning_of(const struct roxi_symbols *s, uint32_t stack)
{
    struct beginning b = {.class_name = ROXI_NONE};
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const uint32_t class_name = roxi_symbols_top(s, stack).class_name;
        const char *name = roxi_symbols_text(s, class_name);
        if (!roxi_is_platform(name))
            b = (struct beginning){.class_name = class_name};
        b.of_test = b.of_test || ix_is_of_tests(name);
    }
    return b;
}

static uint32_t find_program(const struct roxi_library *l)
{
    const struct roxi_profiles *p = l->profiles;
    uint32_t of_test = ROXI_NONE;
    for (size_t i = 0; i < l->run->count; i++) {
        const struct roxi_place place = roxi_profiles_place(p, l->run->items[i].group);
        if (place.role != l->role)
            continue;
        const struct beginning b = beginning_of(p->symbols, l->run->items[i].stack);
        if (b.class_name == ROXI_NONE)
            continue;
        if (strcmp(roxi_symbols_text(p->symbols, place.template), "main") == 0)
            return b.class_name;
        if (b.of_test)
            of_test = b.class_name;
    }
    return of_test;
}

uint32_t roxi_library_program(struct roxi_library *l)
{
    if (!l->known)
        l->program = find_program(l);
    l->known = true;
    return l->program;
}

bool roxi_library_has(struct roxi_library *l, uint32_t class_name)
{
    const struct roxi_symbols *s = l->profiles->symbols;
    const char *name = roxi_symbols_text(s, class_name);
    if (!ix_is_of_library(name))
        return false;
    const uint32_t program = roxi_library_program(l);
    return program == ROXI_NONE || !ix_is_same_library(roxi_symbols_text(s, program), name);
}
