/* Sends logs of this host to a server on another one, over a connection of its own. */
#ifndef IXOR_COURIER_H
#define IXOR_COURIER_H

#include "schema/tls.h"

struct ixor_courier_options {
    const char *server; /* HOST:PORT */
    const char *key; /* a file with the campaign's agent key; NULL: the environment's, or what a server
                        of this user on this host has left */
    struct ix_tls_files files; /* all NULL: no certificates */
};

/* `logs` ends with NULL. Says on stdout what became of each. -1: the server cannot be reached, or a
 * log was not stored. */
int ixor_courier_send(const struct ixor_courier_options *options, char **logs,
                      struct ix_error *err);

#endif
