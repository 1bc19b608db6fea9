/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/tls.h"

#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

/* One suite, so that there is nothing to negotiate; its hash is the one that a PSK is bound to. */
#define SUITE "TLS_AES_128_GCM_SHA256"
#define SUITE_NUMBER "\x13\x01"
#define GROUPS "X25519:P-256" /* the first one, unless a policy forbids it */
#define SECRET_LABEL "EXPORTER-ixor-datagrams"
#define PROOF_LABEL "EXPORTER-ixor-proof"
#define CONTEXT "ixor" /* OpenSSL requires servers to name their sessions */

/* Identities in the handshake, with the version of the key's use. */
static const char *const identities[] = {
    [IX_KEY_AGENT] = "ixor/2 agent", [IX_KEY_CONTROL] = "ixor/2 control"};

struct ix_tls {
    SSL_CTX *context;
    enum ix_tls_side side;
    bool certificates;
    struct ix_key keys[IX_KEY_CONTROL + 1];
    bool known[IX_KEY_CONTROL + 1];
    enum ix_key_kind own; /* a client's */
};

/* ---- the key in the handshake ---- */

/* A session as if from an earlier handshake: the form in which OpenSSL accepts an external PSK. */
static SSL_SESSION *session_of(SSL *ssl, const struct ix_key *key)
{
    SSL_SESSION *session = SSL_SESSION_new();
    const SSL_CIPHER *suite = SSL_CIPHER_find(ssl, (const unsigned char *)SUITE_NUMBER);
    if (session && suite && SSL_SESSION_set1_master_key(session, key->bytes, IX_KEY_SIZE) &&
        SSL_SESSION_set_cipher(session, suite) &&
        SSL_SESSION_set1_id_context(session, (const unsigned char *)CONTEXT, sizeof CONTEXT - 1) &&
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

static struct ix_tls *of(const SSL *ssl)
{
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

/* Which key the peer claims, in the handshake or in a checked proof; ix_tls_proven decides which of
 * the two the connection relies on. */
#define CHECKED 0x100u
static void set_claimed(SSL *ssl, unsigned kind)
{
    SSL_set_app_data(ssl, (void *)(uintptr_t)kind);
}

static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *id_size,
                   SSL_SESSION **session)
{
    const struct ix_tls *t = of(ssl);
    (void)md; /* there is one suite */
    *session = NULL;
    if (t->own == IX_KEY_NONE || t->certificates)
        return 1;
    *id = (const unsigned char *)identities[t->own];
    *id_size = strlen(identities[t->own]);
    set_claimed(ssl, t->own);
    *session = session_of(ssl, &t->keys[t->own]);
    return *session != NULL;
}

/* An unknown name leads to a handshake without a PSK, which then fails for lack of a
 * certificate. */
static int find_key(SSL *ssl, const unsigned char *id, size_t id_size, SSL_SESSION **session)
{
    const struct ix_tls *t = of(ssl);
    *session = NULL;
    for (enum ix_key_kind k = IX_KEY_AGENT; k <= IX_KEY_CONTROL; k++) {
        if (!t->known[k] || (t->certificates && k == IX_KEY_AGENT) ||
            id_size != strlen(identities[k]) || memcmp(id, identities[k], id_size) != 0)
            continue;
        set_claimed(ssl, k);
        *session = session_of(ssl, &t->keys[k]);
        return *session != NULL;
    }
    return 1;
}

/* ---- settings ---- */

/* Idle connections free their buffers: a server has thousands. The protocol marks the end of data
 * itself, so a connection that ends without TLS's close_notify cannot lose data unnoticed. */
static bool configure(SSL_CTX *c, enum ix_tls_side side)
{
    SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    if (side == IX_TLS_SERVER) {
        SSL_CTX_set_psk_find_session_callback(c, find_key);
    } else {
        /* Without files no authority is trusted: a certificate proves nothing. */
        SSL_CTX_set_verify(c, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_psk_use_session_callback(c, use_key);
    }
    return SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) &&
           SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) && SSL_CTX_set_ciphersuites(c, SUITE) &&
           SSL_CTX_set1_groups_list(c, GROUPS) &&
           SSL_CTX_set_session_id_context(c, (const unsigned char *)CONTEXT, sizeof CONTEXT - 1) &&
           SSL_CTX_set_num_tickets(c, 0);
}

/* A key with a passphrase is an error, not a question at the terminal. */
static int no_passphrase(char *text, int size, int writing, void *user)
{
    (void)text, (void)size, (void)writing, (void)user;
    return -1;
}

/* The authorities issue many certificates: the server's must be for the host we connect to. */
static bool expect(SSL_CTX *c, const char *host)
{
    X509_VERIFY_PARAM *p = SSL_CTX_get0_param(c);
    return X509_VERIFY_PARAM_set1_ip_asc(p, host) == 1 ||
           X509_VERIFY_PARAM_set1_host(p, host, 0) == 1;
}

static int certify(struct ix_tls *t, const struct ix_tls_files *files, const char *host,
                   struct ix_error *err)
{
    SSL_CTX *c = t->context;
    SSL_CTX_set_default_passwd_cb(c, no_passphrase);
    SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    if (SSL_CTX_use_certificate_chain_file(c, files->certificate) != 1)
        return ix_fail(err, "'%s' is not a readable PEM certificate", files->certificate);
    if (SSL_CTX_use_PrivateKey_file(c, files->key, SSL_FILETYPE_PEM) != 1)
        return ix_fail(err, "'%s' is not the private key of '%s', in PEM and without a passphrase",
                       files->key, files->certificate);
    if (SSL_CTX_load_verify_locations(c, files->authorities, NULL) != 1)
        return ix_fail(err, "'%s' has no readable PEM certificates of authorities",
                       files->authorities);
    if (t->side == IX_TLS_CLIENT && !expect(c, host))
        return ix_fail(err, "no certificate can be for the name '%s'", host);
    t->certificates = true;
    return 0;
}

int ix_tls_certify(struct ix_tls *t, const struct ix_tls_files *files, const char *host,
                   struct ix_error *err)
{
    const int status = certify(t, files, host, err);
    ERR_clear_error();
    return status;
}

struct ix_tls *ix_tls_new(enum ix_tls_side side, struct ix_error *err)
{
    /* The agent is a guest in its process: OpenSSL's exit handler would run while other threads
     * still do, the configuration belongs to the application, and the error texts are 50 KiB that
     * only a server shows. */
    OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG |
                         (side == IX_TLS_CLIENT ? OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                                                      OPENSSL_INIT_NO_LOAD_SSL_STRINGS
                                                : 0),
                     NULL);
    struct ix_tls *t = calloc(1, sizeof *t);
    if (t) {
        t->side = side;
        t->context = SSL_CTX_new(side == IX_TLS_SERVER ? TLS_server_method() : TLS_client_method());
    }
    if (!t || !t->context || !configure(t->context, side)) {
        ix_tls_free(t);
        ERR_clear_error();
        ix_fail(err, "cannot set up TLS: out of memory");
        return NULL;
    }
    SSL_CTX_set_app_data(t->context, t);
    return t;
}

void ix_tls_free(struct ix_tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->context);
    OPENSSL_cleanse(t->keys, sizeof t->keys);
    free(t);
}

void ix_tls_set_key(struct ix_tls *t, enum ix_key_kind kind, const struct ix_key *key)
{
    t->keys[kind] = *key;
    t->known[kind] = true;
    t->own = kind;
}

/* ---- a connection ---- */

SSL *ix_tls_begin(struct ix_tls *t)
{
    SSL *ssl = SSL_new(t->context);
    if (ssl && t->side == IX_TLS_SERVER)
        SSL_set_accept_state(ssl);
    else if (ssl)
        SSL_set_connect_state(ssl);
    return ssl;
}

bool ix_tls_wants_proof(const SSL *ssl)
{
    return of(ssl)->certificates && !SSL_session_reused(ssl);
}

enum ix_key_kind ix_tls_proven(const SSL *ssl)
{
    const unsigned claimed = (unsigned)(uintptr_t)SSL_get_app_data(ssl);
    const bool proven = SSL_session_reused(ssl) || (ix_tls_wants_proof(ssl) && claimed & CHECKED);
    return SSL_is_init_finished(ssl) && proven ? (enum ix_key_kind)(claimed & ~CHECKED)
                                               : IX_KEY_NONE;
}

/* The kind of the key; the HMAC under it of what this connection alone has, and of who speaks. */
static int make_proof(SSL *ssl, enum ix_tls_side by, enum ix_key_kind kind,
                      uint8_t proof[IX_PROOF_SIZE])
{
    uint8_t told[IX_SECRET_SIZE + 1];
    unsigned size = IX_PROOF_SIZE - 1;
    if (SSL_export_keying_material(ssl, told, IX_SECRET_SIZE, PROOF_LABEL, sizeof PROOF_LABEL - 1,
                                   NULL, 0, 0) != 1)
        return -1;
    told[IX_SECRET_SIZE] = by == IX_TLS_CLIENT ? 'C' : 'S';
    proof[0] = (uint8_t)kind;
    return HMAC(EVP_sha256(), of(ssl)->keys[kind].bytes, IX_KEY_SIZE, told, sizeof told, proof + 1,
                &size)
               ? 0
               : -1;
}

/* A client proves its own key, a server the one the client has proven. */
int ix_tls_proof(SSL *ssl, uint8_t proof[IX_PROOF_SIZE])
{
    const struct ix_tls *t = of(ssl);
    return make_proof(ssl, t->side, t->side == IX_TLS_CLIENT ? t->own : ix_tls_proven(ssl), proof);
}

bool ix_tls_check_proof(SSL *ssl, const uint8_t proof[IX_PROOF_SIZE])
{
    const struct ix_tls *t = of(ssl);
    const bool server = t->side == IX_TLS_SERVER;
    const enum ix_key_kind kind = (enum ix_key_kind)proof[0];
    uint8_t want[IX_PROOF_SIZE];
    if ((kind != IX_KEY_AGENT && kind != IX_KEY_CONTROL) || !t->known[kind] ||
        (!server && kind != t->own) ||
        make_proof(ssl, server ? IX_TLS_CLIENT : IX_TLS_SERVER, kind, want) != 0 ||
        CRYPTO_memcmp(want, proof, sizeof want) != 0)
        return false;
    set_claimed(ssl, kind | CHECKED);
    return true;
}

int ix_tls_secret(SSL *ssl, uint8_t secret[IX_SECRET_SIZE])
{
    return SSL_export_keying_material(ssl, secret, IX_SECRET_SIZE, SECRET_LABEL,
                                      sizeof SECRET_LABEL - 1, NULL, 0, 0) == 1
               ? 0
               : -1;
}

static enum ix_tls_fault fault_of(unsigned long error)
{
    if (ERR_GET_LIB(error) != ERR_LIB_SSL)
        return IX_TLS_BROKEN;
    switch (ERR_GET_REASON(error)) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
        return IX_TLS_CERTIFICATE;
    case SSL_R_BINDER_DOES_NOT_VERIFY:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
    case SSL_R_TLSV1_ALERT_UNKNOWN_PSK_IDENTITY:
        return IX_TLS_KEY;
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_RECORD_TYPE:
    case SSL_R_UNEXPECTED_MESSAGE:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
        return IX_TLS_OTHER;
    default:
        return IX_TLS_BROKEN;
    }
}

enum ix_tls_fault ix_tls_fault(void)
{
    const unsigned long error = ERR_peek_error();
    ERR_clear_error();
    return fault_of(error);
}

const char *ix_tls_error_text(unsigned long error)
{
    const char *reason = ERR_reason_error_string(error);
    switch (fault_of(error)) {
    case IX_TLS_KEY:
        return "has not this campaign's key";
    case IX_TLS_CERTIFICATE:
        return "its certificate is not accepted, or it does not accept ours";
    case IX_TLS_OTHER:
        return "does not speak TLS 1.3, as Ixor's agents do from protocol 2 on";
    default:
        return reason ? reason : "TLS failed";
    }
}
