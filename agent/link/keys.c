/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/link/keys.h"

#include <string.h>

#include "schema/protocol/keyplace.h"

bool ixa_keys_choose(struct ixa_keys *k)
{
    const bool found = (!k->given || k->other) && ix_keyplace_find(k->port, &k->key);
    if (!found && !k->given)
        return false;
    if (!found)
        k->key = *k->given;
    return true;
}

void ixa_keys_rejected(struct ixa_keys *k)
{
    k->other = !k->other;
}

bool ixa_keys_changed(struct ixa_keys *k)
{
    if (!k->has_campaign || memcmp(&k->key, &k->campaign, sizeof k->key) == 0)
        return false;
    k->has_campaign = false;
    return true;
}

void ixa_keys_accepted(struct ixa_keys *k)
{
    k->has_campaign = true;
    k->campaign = k->key;
}
