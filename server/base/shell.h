/* SPDX-License-Identifier: Apache-2.0 */
/* What people paste into a shell. */
#ifndef IXOR_SHELL_H
#define IXOR_SHELL_H

/* Prints a word on stdout, quoted where a shell would take it for more or for something else. */
void ixor_print_quoted(const char *word);

#endif
