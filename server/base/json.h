/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects from tables of keys and values, for reports too long for json_pack. */
#ifndef IXOR_JSON_H
#define IXOR_JSON_H

#include <jansson.h>

struct ixor_json_field {
    const char *key;
    json_t *value; /* the object takes over this reference; NULL: out of memory */
};

/* A new object with these fields in their order; the table ends with a key that is NULL. NULL: out
 * of memory, or a value is NULL; then all values are released. */
json_t *ixor_json_object(const struct ixor_json_field *fields);
/* IXOR_JSON_OBJECT({"key", value}, ...) */
#define IXOR_JSON_OBJECT(...)                                                                      \
    ixor_json_object((const struct ixor_json_field[]){__VA_ARGS__, {NULL, NULL}})

#endif
