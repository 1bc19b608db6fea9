/* TLS 1.3 between the server and its clients (protocol.md, "TLS"): both sides prove that they have
 * the same key, agent's or control, which is the handshake's external PSK (RFC 8446, 4.2.11). Keys
 * for the traffic come from an ephemeral exchange as well, so that a key that gets known later opens
 * no old recording.
 *
 * Nothing here reads OpenSSL's configuration or leaves something for the process's exit.
 */
#ifndef IX_SCHEMA_TLS_H
#define IX_SCHEMA_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "schema/datagram.h"
#include "schema/key.h"

/* One side's settings for any number of connections. Not for two threads at once. */
struct ix_tls;
enum ix_tls_side { IX_TLS_CLIENT, IX_TLS_SERVER };
struct ix_tls *ix_tls_new(enum ix_tls_side side, struct ix_error *err);
void ix_tls_free(struct ix_tls *t); /* after its connections; t may be NULL */

/* The key that a client proves itself with, or one that a server accepts; for handshakes that begin
 * later. kind: IX_KEY_AGENT or IX_KEY_CONTROL; of a client the last one counts. */
void ix_tls_set_key(struct ix_tls *t, enum ix_key_kind kind, const struct ix_key *key);

/* For those who have a public-key infrastructure: files in PEM, which are read here. Both sides then
 * show certificates and prove the key afterwards. (A server takes the control key as before.) */
struct ix_tls_files {
    const char *certificate; /* with those of intermediate authorities behind it */
    const char *key;         /* the certificate's private key, without a passphrase */
    const char *authorities; /* whose certificates are accepted of the other side */
};
/* host: the name or address that a client connects to, for which the server's certificate must be;
 * a server says NULL. */
int ix_tls_certify(struct ix_tls *t, const struct ix_tls_files *files, const char *host,
                   struct ix_error *err);

/* A connection that is to shake hands on a socket or BIO of the caller's. NULL: out of memory. */
SSL *ix_tls_begin(struct ix_tls *t);

/* After the handshake: the key that the peer has proven, IX_KEY_NONE if none. A connection with
 * IX_KEY_NONE is to be closed. */
enum ix_key_kind ix_tls_proven(const SSL *ssl);
/* With certificates each side sends, first of all, a proof that it has the key; the server when it
 * has checked the client's. */
#define IX_PROOF_SIZE 33u
bool ix_tls_wants_proof(const SSL *ssl); /* after the handshake */
int ix_tls_proof(SSL *ssl, uint8_t proof[IX_PROOF_SIZE]);
/* From now on ix_tls_proven tells what was proven. False: nothing. */
bool ix_tls_check_proof(SSL *ssl, const uint8_t proof[IX_PROOF_SIZE]);
/* After the handshake: the secret for the session's datagrams, the same on both sides. */
int ix_tls_secret(SSL *ssl, uint8_t secret[IX_SECRET_SIZE]);

/* What a handshake failed of, by OpenSSL's queue of errors, which is emptied. */
enum ix_tls_fault {
    IX_TLS_BROKEN, /* the connection ended, or another accident */
    IX_TLS_KEY,    /* the keys are not the same */
    IX_TLS_CERTIFICATE, /* one side's certificate is not accepted, or is missing */
    IX_TLS_OTHER,  /* the peer speaks something else */
};
enum ix_tls_fault ix_tls_fault(void);
/* In words, what follows "connection from ADDRESS: "; error: of OpenSSL, not 0. */
const char *ix_tls_error_text(unsigned long error);

#endif
