/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM's instructions: how long they are, and where they go on. (The Java Virtual Machine
 * Specification, Java SE 25, chapter 6.) */
#ifndef IX_AGENT_INSTRUCTIONS_H
#define IX_AGENT_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct ixa_instruction {
    const uint8_t *at; /* borrowed */
    uint32_t pc, length;
    uint32_t padding;      /* of a switch: bytes before its first number */
    uint32_t target_count; /* at most 65,535 */
    bool splits;           /* what follows it begins a block: a jump, a switch, or an end */
};

/* The instruction at `pc`. False: unknown, a subroutine's (jsr, ret), or not all within `length`.
 */
bool ixa_instruction_read(const uint8_t *code, uint32_t length, uint32_t pc,
                          struct ixa_instruction *i);
/* Where a jump goes: a pc, which may be outside of the code. */
int64_t ixa_instruction_target(const struct ixa_instruction *i, uint32_t target);
/* Changes where a jump of `copy` goes, which is the instruction's bytes: `distance` from where that
 * is to be. False: too far. */
bool ixa_instruction_aim(const struct ixa_instruction *i, uint8_t *copy, uint32_t target,
                         int32_t distance);

#endif
