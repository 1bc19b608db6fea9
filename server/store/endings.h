/* What has become of a VM and of its log, in words. */
#ifndef IXOR_ENDINGS_H
#define IXOR_ENDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/catalogue.h"

#define IXOR_ENDING_TEXT 1280

/* "running", "ended orderly", "vanished after packet 17: crash, kill -9 or a broken network",
 * "silent since packet 17, still connected" and so on. last_packet: the last one that it took; 0
 * none. What the peer said about it comes without control characters. */
void ixor_ending_words(const struct ix_vm *vm, int64_t last_packet, char *text, size_t size);

/* What is to be known about the log of a VM that is over: where it is if it is not here, and
 * whether it is torn. False if there is nothing to say: it is here. Looks for the file. */
bool ixor_log_words(const struct ix_vm *vm, char *text, size_t size);

#endif
