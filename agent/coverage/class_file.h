/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a class file (The Java Virtual Machine Specification, chapter 4). All of it points
 * into the bytes that were read. */
#ifndef IX_AGENT_CLASS_FILE_H
#define IX_AGENT_CLASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/bytes.h"

enum {
    IXA_ACC_PRIVATE = 0x0002,
    IXA_ACC_STATIC = 0x0008,
    IXA_ACC_BRIDGE = 0x0040, /* of a method */
    IXA_ACC_TRANSIENT = 0x0080,
    IXA_ACC_INTERFACE = 0x0200,
    IXA_ACC_SYNTHETIC = 0x1000,
    IXA_ACC_MODULE = 0x8000,
};

struct ixa_attribute {
    struct ix_span name;
    struct ix_in content;
    struct ix_in all; /* name and length as well */
};

/* A field or a method. */
struct ixa_member {
    uint16_t access;
    struct ix_span name, descriptor;
    uint16_t attribute_count;
    struct ix_in attributes;
    struct ix_in all;
};

struct ixa_class_file {
    const uint8_t *bytes;
    size_t length;
    uint16_t version;        /* the major one */
    uint16_t constant_count; /* one more than the last constant's number */
    uint32_t *constants;     /* where each is; 0: there is none. Owned */
    uint16_t access, this_class, field_count, method_count;
    /* Places in the bytes: behind the constants, behind field_count, behind the fields, behind
     * method_count, behind the methods. */
    size_t after_constants, fields, after_fields, methods, after_methods;
};

enum ixa_class_result { IXA_CLASS_READ, IXA_CLASS_DAMAGED, IXA_CLASS_NO_MEMORY };

/* Reads all of it but the content of attributes. If IXA_CLASS_READ, release it with
 * ixa_class_file_free. */
enum ixa_class_result ixa_class_file_read(const uint8_t *bytes, size_t length,
                                          struct ixa_class_file *c);
void ixa_class_file_free(struct ixa_class_file *c);

/* The fields, the methods: as many as there are can be got with ixa_get_member. */
struct ix_in ixa_class_file_fields(const struct ixa_class_file *c);
struct ix_in ixa_class_file_methods(const struct ixa_class_file *c);
/* What they read is all zero if in->failed afterwards. */
struct ixa_member ixa_get_member(const struct ixa_class_file *c, struct ix_in *in);
struct ixa_attribute ixa_get_attribute(const struct ixa_class_file *c, struct ix_in *in);

/* The name of a Class; that of the class of a method that is called. Empty if the constant is none
 * of these. */
struct ix_span ixa_class_name(const struct ixa_class_file *c, uint16_t constant);
struct ix_span ixa_owner_name(const struct ixa_class_file *c, uint16_t constant);

bool ixa_span_is(struct ix_span span, const char *text);
bool ixa_span_begins(struct ix_span span, const char *text);

#endif
