/* SPDX-License-Identifier: Apache-2.0 */
/* Class files of a method or two, for tests of probes: what is made of bytes, and what has become
 * of it. */
#ifndef IX_TESTS_CLASS_MAKER_H
#define IX_TESTS_CLASS_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "agent/coverage/big_endian.h"
#include "agent/coverage/probes.h"

/* The constants of each class. Behind them come the new ones: 17 is the fields' descriptor, and
 * field i has a name 18 + 3i, a NameAndType 19 + 3i and a Fieldref 20 + 3i. */
enum {
    THIS = 2,
    METHOD,
    DESCRIPTOR,
    CODE,
    LINES,
    VARIABLES,
    TYPES,
    STACK_MAP,
    ANNOTATIONS,
    OTHER,
    LAMBDA,
    FIELD,
    A_LONG, /* takes two numbers */
    PROBE_FIELD = 16,
    CONSTANTS,
};

struct made_method {
    uint16_t access, name; /* 0: METHOD */
    unsigned codes;        /* Code attributes, each with `content` */
    const struct ix_out *content;
};

struct made_class {
    const char *name; /* NULL: C */
    uint16_t version; /* 0: 61 */
    uint16_t access;
    uint16_t field; /* 0: FIELD */
    unsigned more_constants, fields;
    const struct ix_out *constants; /* more of these, from CONSTANTS on; NULL: none */
    unsigned constant_count;
    struct made_method methods[2]; /* with a content */
};

/* The last Code attribute, class, and class with probes. */
extern struct ix_out content, made;
extern struct ixa_probed probed;

#define PUT(out, ...)                                                                              \
    ix_put_bytes(out, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})
/* Begins `content`: max_stack 1, max_locals 2, the code, and a number of handlers, whose bytes and
 * attributes are to follow. */
#define CONTENT(handlers, ...)                                                                     \
    begin_content((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__}, handlers)
#define PROBE(i) 0x04, 0xb3, 0, 20 + 3 * (i)

/* What becomes of `content`. */
#define EXPECT(...) expect((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

void begin_content(const uint8_t *code, size_t length, uint8_t handlers);
void put_end(void); /* no attributes */
void make(const struct made_class *c);
int tear_down(void **state);

/* The content of the Code attribute of a method of `bytes`. */
struct ix_in code_of(const uint8_t *bytes, size_t length, unsigned method);
/* Of `made`. */
enum ixa_probing insert(uint32_t max_blocks);
/* Of a class with the method `content`. */
enum ixa_probing insert_content(void);
void expect(const uint8_t *want, size_t length);
/* That the method `content` gets no probes. It is the second one, so that the class gets some. */
void expect_kept(void);

#endif
