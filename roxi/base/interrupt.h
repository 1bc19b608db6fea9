/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C during long work sets a flag, so that the work can stop cleanly. */
#ifndef ROXI_INTERRUPT_H
#define ROXI_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT or SIGTERM only sets a flag; a second one ends the program as
 * usual. */
void roxi_interrupt_catch(void);
/* Restores the previous signal handlers; the flag stays set. */
void roxi_interrupt_release(void);
bool roxi_interrupted(void);
/* Sets the flag as a signal would: another MPI process received one. */
void roxi_interrupt_note(void);

#endif
