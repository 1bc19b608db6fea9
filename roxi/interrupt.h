/* Ctrl-C during long work: the work is told, and ends in good order. */
#ifndef ROXI_INTERRUPT_H
#define ROXI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM only set a flag, once: a second one ends the program as usual. */
void roxi_interrupt_catch(void);
/* They do what they did before; the flag stays. */
void roxi_interrupt_release(void);
bool roxi_interrupted(void);
/* As if a signal had come: one did, to another rank. */
void roxi_interrupt_note(void);

#endif
