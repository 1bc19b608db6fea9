/* SPDX-License-Identifier: Apache-2.0 */
/* How a JVM ended and where its log is, in words. */
#ifndef IXOR_ENDINGS_H
#define IXOR_ENDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/catalogue/catalogue.h"

#define IXOR_ENDING_TEXT 1280

/* "running", "ended orderly", "vanished after packet 17: crash, kill -9 or a broken network", "too
 * short for a packet: vanished", "silent since packet 17, still connected" and so on. last_packet:
 * the last one that it took; 0 none. The peer's text is printed without control characters. */
void ixor_ending_words(const struct ix_vm *vm, int64_t last_packet, char *text, size_t size);

/* Says where the log of a JVM that has ended is if it is not on this host, and whether it is torn.
 * False: it is here. Checks whether the file exists. */
bool ixor_log_words(const struct ix_vm *vm, char *text, size_t size);

#endif
