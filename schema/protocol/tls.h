/* SPDX-License-Identifier: Apache-2.0 */
/* TLS 1.3 between the server and its clients (protocol.md, "TLS"): both sides prove that they have
 * the same agent or control key, which is the external PSK of the handshake (RFC 8446, 4.2.11).
 * Traffic keys also depend on an ephemeral key exchange, so that a key leaked later does not
 * decrypt old recordings.
 *
 * Nothing here reads OpenSSL's configuration or registers an exit handler.
 */
#ifndef IX_SCHEMA_TLS_H
#define IX_SCHEMA_TLS_H

#include <openssl/types.h>
#include <stdbool.h>

#include "schema/protocol/datagram.h"
#include "schema/protocol/key.h"

/* One side's settings for any number of connections. Not for two threads at once. */
struct ix_tls;
enum ix_tls_side { IX_TLS_CLIENT, IX_TLS_SERVER };
struct ix_tls *ix_tls_new(enum ix_tls_side side, struct ix_error *err);
void ix_tls_free(struct ix_tls *t); /* free its connections first; t may be NULL */

/* Sets the key that a client authenticates with, or one that a server accepts, for later
 * handshakes. kind: IX_KEY_AGENT or IX_KEY_CONTROL; a client uses the last one set. */
void ix_tls_set_key(struct ix_tls *t, enum ix_key_kind kind, const struct ix_key *key);

/* For sites with a public-key infrastructure: PEM files, read here. Both sides then show
 * certificates and prove the key afterwards. (A server accepts the control key as before.) */
struct ix_tls_files {
    const char *certificate; /* followed by those of intermediate authorities */
    const char *key;         /* the certificate's private key, without a passphrase */
    const char *authorities; /* whose certificates are accepted from the other side */
};
/* host: the name or address that a client connects to, which the server's certificate must match;
 * NULL for a server. */
int ix_tls_certify(struct ix_tls *t, const struct ix_tls_files *files, const char *host,
                   struct ix_error *err);

/* A connection ready for its handshake, on a socket or BIO of the caller's. NULL: out of memory. */
SSL *ix_tls_begin(struct ix_tls *t);

/* After the handshake: the key that the peer has proven, IX_KEY_NONE if none. Close a connection
 * with IX_KEY_NONE. */
enum ix_key_kind ix_tls_proven(const SSL *ssl);
/* With certificates each side first sends a proof that it has the key; the server after checking
 * the client's. */
#define IX_PROOF_SIZE 33u
bool ix_tls_wants_proof(const SSL *ssl); /* after the handshake */
int ix_tls_proof(SSL *ssl, uint8_t proof[IX_PROOF_SIZE]);
/* From now on ix_tls_proven returns the proven key. False: nothing was proven. */
bool ix_tls_check_proof(SSL *ssl, const uint8_t proof[IX_PROOF_SIZE]);
/* After the handshake: the secret for the session's datagrams, the same on both sides. */
int ix_tls_secret(SSL *ssl, uint8_t secret[IX_SECRET_SIZE]);

/* Why a handshake failed, according to OpenSSL's error queue, which is emptied. */
enum ix_tls_fault {
    IX_TLS_BROKEN,      /* the connection ended, or another failure */
    IX_TLS_KEY,         /* the keys differ */
    IX_TLS_CERTIFICATE, /* one side's certificate is not accepted, or is missing */
    IX_TLS_OTHER,       /* the peer speaks another protocol */
};
enum ix_tls_fault ix_tls_fault(void);
/* A text to follow "connection from ADDRESS: "; error: an OpenSSL error, not 0. */
const char *ix_tls_error_text(unsigned long error);

#endif
