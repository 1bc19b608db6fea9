/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a method's code, and where its instructions are once there is a probe before each
 * block. */
#ifndef IX_AGENT_LAYOUT_H
#define IX_AGENT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/coverage/instructions.h"

enum {
    IXA_CODE_MAX = 65535, /* bytes of a method's code */
    IXA_PROBE_LENGTH = 4,
    IXA_COMPILED_MAX = 8000, /* HotSpot does not compile longer code (HugeMethodLimit) */
};

struct ixa_place {
    uint32_t to;   /* the new pc, of the probe if there is one */
    uint16_t line; /* of an instruction that begins a line; else 0 */
    bool is_start; /* an instruction begins, or the code ends */
    bool is_leader;
};

/* Begins as all zero; one can be used for one method after the other. */
struct ixa_layout {
    struct ixa_place *places; /* of each pc and the end; owned */
    size_t capacity;
    const uint8_t *code; /* borrowed */
    uint32_t length;     /* 1 to IXA_CODE_MAX */
};

/* Finds the instructions, and the blocks but those that handle exceptions. False: memory ran out
 * (then `places` is NULL), or something is not understood. */
bool ixa_layout_begin(struct ixa_layout *l, const uint8_t *code, uint32_t length);
/* Another block. False: no instruction begins there. */
bool ixa_layout_leader(struct ixa_layout *l, int64_t pc);
/* Sets the new places. False: the code becomes too long, or so long that it is not compiled any
 * more. */
bool ixa_layout_end(struct ixa_layout *l);
void ixa_layout_free(struct ixa_layout *l);

/* What is at `pc`: NULL if no instruction begins there and the code does not end there. */
struct ixa_place *ixa_layout_at(const struct ixa_layout *l, uint32_t pc);
/* The instruction itself, behind its probe. */
uint32_t ixa_layout_own(const struct ixa_place *p);
/* The instruction at `pc`, one of those that were found. */
struct ixa_instruction ixa_layout_instruction(const struct ixa_layout *l, uint32_t pc);

#endif
