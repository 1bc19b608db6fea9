/* SPDX-License-Identifier: Apache-2.0 */
/* Sends logs from this host to a server on another host, over a connection of its own. */
#ifndef IXOR_UPLOAD_CLIENT_H
#define IXOR_UPLOAD_CLIENT_H

#include "schema/protocol/tls.h"

struct ixor_upload_client_options {
    const char *server; /* HOST:PORT */
    const char *key;    /* a file with the campaign's agent key; NULL: the key in the environment,
                           or the one that a server of this user left on this host */
    struct ix_tls_files files; /* all NULL: no certificates */
};

/* `logs` ends with NULL. Prints the outcome for each. -1: the server cannot be reached, or a log
 * was not stored. */
int ixor_upload_client_send(const struct ixor_upload_client_options *options, char **logs,
                            struct ix_error *err);

#endif
