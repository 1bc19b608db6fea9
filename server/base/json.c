/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/json.h"

#include <stdbool.h>

json_t *ixor_json_object(const struct ixor_json_field *fields)
{
    json_t *object = json_object();
    bool complete = object != NULL;
    for (const struct ixor_json_field *f = fields; f->key; f++)
        complete = json_object_set_new(object, f->key, f->value) == 0 && complete;
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}
