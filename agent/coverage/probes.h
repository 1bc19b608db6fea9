/* SPDX-License-Identifier: Apache-2.0 */
/* Puts probes into the bytecode of a class: which of its basic blocks have been executed.
 *
 * A basic block is code that is entered at its first instruction only: a method's beginning, the
 * target of a jump, what follows a jump, an exception handler. At the beginning of block i two
 * instructions are inserted that leave the operand stack and all variables as they are,
 *
 *     iconst_1
 *     putstatic $ixor<i>        private static synthetic transient boolean
 *
 * so a block costs a store and four bytes. Offsets in the code, in its tables and in its stack map
 * are moved accordingly. What JaCoCo (Hoffmann) does with one array for the class, which has to be
 * made by code that runs first, is done with one field per block here.
 *
 * A probe could only wait, or fail, where an object's method runs on another thread before the
 * class's initializer has ended, or after it has failed. So where the initializer may make such an
 * object (initializer.h), only constructors and static methods, which would wait by themselves, get
 * probes.
 *
 * Independent of the JVM. Reads any bytes: what is no class file, or contains something unknown, is
 * left alone. */
#ifndef IX_AGENT_PROBES_H
#define IX_AGENT_PROBES_H

#include <stddef.h>
#include <stdint.h>

#define IXA_PROBES_FIELD "$ixor" /* and a decimal number from 0 */

struct ixa_block {
    uint16_t method; /* place in `methods` */
    uint16_t line;   /* of its first instruction; 0: unknown */
};

struct ixa_probed_method {
    char *name, *descriptor; /* owned; as in the class file (modified UTF-8), terminated */
};

struct ixa_probed {
    char *name;     /* of the class, as in the class file; owned */
    uint8_t *bytes; /* the new class file, owned */
    size_t length;
    struct ixa_block *blocks; /* in the order of the file; owned */
    uint32_t block_count;
    struct ixa_probed_method *methods; /* those with a block; owned */
    uint32_t method_count;
};

enum ixa_probing {
    IXA_PROBED,
    IXA_LEFT_ALONE, /* an interface or module, without code, of an old version (below 50), with more
                       than max_blocks blocks, damaged, or with something that is not understood */
    IXA_PROBES_NO_MEMORY,
};

/* Does not change the input. A method that would become too long (65,535 bytes, or a jump too far)
 * gets no probes, nor does one that is native, abstract, synthetic or a bridge - but lambda bodies,
 * which are synthetic and named lambda$..., do. *out is all zero unless IXA_PROBED; then release it
 * with ixa_probed_free. O(length). */
enum ixa_probing ixa_probes_insert(const uint8_t *class_file, size_t length, uint32_t max_blocks,
                                   struct ixa_probed *out);
/* Adds the fields of so many blocks, but no probes, for a class that had them and is redefined: its
 * fields must stay the same. */
enum ixa_probing ixa_probes_only_fields(const uint8_t *class_file, size_t length, uint32_t blocks,
                                        struct ixa_probed *out);
void ixa_probed_free(struct ixa_probed *p);

#endif
