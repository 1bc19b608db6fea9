/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/builds.h"

#include <string.h>

#include "roxi/base/platform.h"
#include "schema/base/library.h"

static const char *class_of(const struct roxi_symbols *s, uint32_t stack)
{
    return roxi_symbols_text(s, roxi_symbols_top(s, stack).class_name);
}

/* Of the frame that the thread entered first. */
static const char *entry_class(const struct roxi_symbols *s, uint32_t stack)
{
    uint32_t parent;
    while ((parent = roxi_symbols_stack_at(s, stack).parent))
        stack = parent;
    return class_of(s, stack);
}

static bool is_main_thread(const struct roxi_profiles *p, uint32_t group)
{
    const uint32_t thread = (uint32_t)roxi_tally_key(&p->groups, group);
    return strcmp(roxi_symbols_text(p->symbols, thread), "main") == 0;
}

static bool begins_with_tool(const struct roxi_load_log *log, const struct roxi_profiles *p)
{
    for (size_t i = 0; i < log->item_count; i++)
        if (log->items[i].stack && is_main_thread(p, log->items[i].group) &&
            ix_is_main_of_build(entry_class(p->symbols, log->items[i].stack)))
            return true;
    return false;
}

static bool is_of_tool(const struct roxi_symbols *s, uint32_t stack)
{
    const char *class_name = class_of(s, stack);
    return roxi_is_platform(class_name) || ix_is_of_build(class_name);
}

static bool all_of_tool(const struct roxi_symbols *s, uint32_t stack)
{
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent)
        if (!is_of_tool(s, stack))
            return false;
    return true;
}

bool roxi_only_builds(const struct roxi_load_log *log, const struct roxi_profiles *p)
{
    if (!begins_with_tool(log, p))
        return false;
    for (size_t i = 0; i < log->item_count; i++)
        if (!all_of_tool(p->symbols, log->items[i].stack))
            return false;
    for (size_t i = 0; i < log->use.covered_count; i++)
        if (!is_of_tool(p->symbols, log->use.covered[i].stack))
            return false;
    for (size_t i = 0; i < log->use.called_count; i++)
        if (!is_of_tool(p->symbols, log->use.called[i].stack))
            return false;
    return true;
}
