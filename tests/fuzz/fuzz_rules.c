/* SPDX-License-Identifier: Apache-2.0 */
/* Rules files: what is accepted can be applied to names, and a message says what is not. The first
 * line of the input is a name, the rest a rules file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAME_MAX_BYTES = 40, RULES_MAX_BYTES = 400 };

static void apply(const struct roxi_rules *rules, const char *name)
{
    struct ix_error err;
    struct ix_out result = {0}, lines = {0};
    for (int kind = 0; kind < ROXI_RULE_KINDS; kind++) {
        roxi_rules_match(rules, (enum roxi_rule_kind)kind, name, &err);
        if (kind == ROXI_RULE_NODE)
            roxi_rules_extract(rules, ROXI_RULE_NODE, name, &result, &err);
        if (kind > ROXI_RULE_THREAD)
            continue;
        if (roxi_rules_rewrite(rules, (enum roxi_rule_kind)kind, name, &result, &lines, &err) != 0)
            continue;                 /* a pattern that takes too long */
        if (*name && !result.data[0]) /* nothing is left of it */
            abort();
    }
    ix_out_free(&result);
    ix_out_free(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ix_error err = {""};
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    const size_t name_len = end ? (size_t)(end - data) : 0;
    if (!end || name_len > NAME_MAX_BYTES || size > RULES_MAX_BYTES)
        return 0;
    char *name = strndup((const char *)data, name_len);
    if (!name)
        abort();
    struct roxi_rules *rules =
        roxi_rules_parse((const char *)end + 1, size - name_len - 1, "fuzz", &err);
    if (rules)
        apply(rules, name);
    else if (!err.text[0])
        abort();
    roxi_rules_free(rules);
    free(name);
    return 0;
}
