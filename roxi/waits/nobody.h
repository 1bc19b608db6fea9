/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for nobody who is known: in Object.wait, for a permit, an element of a queue.
 * Many in one place are a hint where nothing else is known. */
#ifndef ROXI_WAITS_NOBODY_H
#define ROXI_WAITS_NOBODY_H

#include <stdio.h>

#include "schema/waits/build.h"

/* Prints a line for each of the places in which most threads wait at the packet: "8 threads of shop
 * wait in acme.Pool.acquire, for nobody known", which is the innermost method of the application.
 * Workers without work and threads of the JDK do not count. Nothing if there are none, or if others
 * wait for a thread that does something: for those that only wait themselves, such as a reader for
 * its next request, it may be another thread that they should look for. -1: memory ran out.
 * O(threads x (depth + log threads)). */
int waits_print_nobody(FILE *out, const struct waits_build *b);

#endif
