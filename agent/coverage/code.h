/* SPDX-License-Identifier: Apache-2.0 */
/* One method's Code attribute, with probes. */
#ifndef IX_AGENT_CODE_H
#define IX_AGENT_CODE_H

#include "agent/coverage/class_file.h"
#include "agent/coverage/layout.h"

enum ixa_code_result {
    IXA_CODE_PROBED,
    IXA_CODE_KEPT, /* it would be too long, or something is not understood */
    IXA_CODE_DAMAGED,
    IXA_CODE_NO_MEMORY,
};

/* Begins as all zero but `class`; one is used for all methods of a class. */
struct ixa_coder {
    const struct ixa_class_file *class;
    struct ixa_layout layout;
    uint16_t *lines; /* of the last method's blocks; 0: unknown. Owned */
    uint32_t line_count;
    size_t capacity;
};

/* Appends the content of the attribute `in` with probes, which set fields; Fieldrefs are the
 * constants `field`, `field` + step,
 * ... If not IXA_CODE_PROBED, what was appended is to be taken back. */
enum ixa_code_result ixa_code_probe(struct ixa_coder *c, struct ix_in in, uint32_t field,
                                    uint32_t step, struct ix_out *out);
void ixa_coder_free(struct ixa_coder *c);

#endif
