/* Sends logs of this host to a server on another one, over a connection of its own. */
#ifndef IXOR_COURIER_H
#define IXOR_COURIER_H

#include "schema/error.h"

/* key: a file with the campaign's agent key; NULL: the environment's, or what a server of this user
 * on this host has left. `logs` ends with NULL. Says on stdout what became of each. -1: the server
 * cannot be reached, or a log was not stored. */
int ixor_courier_send(const char *server, const char *key, char **logs, struct ix_error *err);

#endif
