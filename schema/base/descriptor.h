/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps descriptors off the numbers of the standard streams. If a program is started with these
 * closed, the next file it opens gets such a number and receives what the program prints. */
#ifndef IX_SCHEMA_DESCRIPTOR_H
#define IX_SCHEMA_DESCRIPTOR_H

/* Takes over a newly opened descriptor (or -1) and returns one for the same file above those of the
 * standard streams, closed on exec. -1 with errno: no descriptor is left. */
int ix_above_streams(int fd);

#endif
