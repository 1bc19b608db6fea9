/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/wire.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

struct ix_wire {
    SSL *ssl;
    BIO_METHOD *method;
    int fd;
    short reading, writing; /* POLLOUT: what the last call of its kind waits for */
    enum ix_tls_fault fault;
    uint8_t
        proof[IX_PROOF_SIZE]; /* with certificates: the own one, then the peer's, or vice versa */
    size_t said, heard;       /* bytes of them */
};

/* ---- what OpenSSL reads and writes with: its own sockets would raise SIGPIPE ---- */

static int retried(BIO *bio, ssize_t n, void (*retry)(BIO *))
{
    BIO_clear_retry_flags(bio);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        retry(bio);
    return (int)n;
}

static void retry_read(BIO *bio)
{
    BIO_set_retry_read(bio);
}

static void retry_write(BIO *bio)
{
    BIO_set_retry_write(bio);
}

static int receive(BIO *bio, char *data, int size)
{
    const struct ix_wire *w = BIO_get_data(bio);
    return retried(bio, recv(w->fd, data, (size_t)size, MSG_DONTWAIT), retry_read);
}

static int transmit(BIO *bio, const char *data, int size)
{
    const struct ix_wire *w = BIO_get_data(bio);
    return retried(bio, send(w->fd, data, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL), retry_write);
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH; /* there is nothing to flush, which succeeds */
}

static BIO_METHOD *new_method(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_TYPE_START, "socket without signals");
    if (m && BIO_meth_set_read(m, receive) && BIO_meth_set_write(m, transmit) &&
        BIO_meth_set_ctrl(m, control))
        return m;
    BIO_meth_free(m);
    return NULL;
}

/* ---- the stream ---- */

struct ix_wire *ix_wire_new(struct ix_tls *tls, int fd)
{
    struct ix_wire *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->fd = fd;
    w->method = new_method();
    w->ssl = ix_tls_begin(tls);
    BIO *bio = w->method ? BIO_new(w->method) : NULL;
    if (!bio || !w->ssl) {
        BIO_free(bio);
        ix_wire_free(w);
        ERR_clear_error();
        return NULL;
    }
    BIO_set_data(bio, w);
    BIO_set_init(bio, 1);
    SSL_set_bio(w->ssl, bio, bio); /* which now owns it */
    return w;
}

void ix_wire_free(struct ix_wire *w)
{
    if (!w)
        return;
    SSL_free(w->ssl);
    BIO_meth_free(w->method);
    free(w);
}

/* A call that got no further: 0 if it has to wait, or -1. */
static int wait_for(struct ix_wire *w, int result, short *events)
{
    switch (SSL_get_error(w->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return 0;
    case SSL_ERROR_WANT_WRITE:
        *events = POLLOUT;
        return 0;
    default:
        w->fault = ix_tls_fault();
        return -1;
    }
}

ssize_t ix_wire_read(struct ix_wire *w, void *data, size_t size)
{
    size_t n;
    ERR_clear_error();
    w->reading = 0;
    return SSL_read_ex(w->ssl, data, size, &n) ? (ssize_t)n : wait_for(w, 0, &w->reading);
}

ssize_t ix_wire_write(struct ix_wire *w, const void *data, size_t size)
{
    size_t n;
    ERR_clear_error();
    w->writing = 0;
    return SSL_write_ex(w->ssl, data, size, &n) ? (ssize_t)n : wait_for(w, 0, &w->writing);
}

static int send_proof(struct ix_wire *w)
{
    if (w->said == 0 && ix_tls_proof(w->ssl, w->proof) != 0)
        return -1;
    while (w->said < IX_PROOF_SIZE) {
        const ssize_t n = ix_wire_write(w, w->proof + w->said, IX_PROOF_SIZE - w->said);
        if (n <= 0)
            return (int)n;
        w->said += (size_t)n;
    }
    return 1;
}

static int receive_proof(struct ix_wire *w)
{
    while (w->heard < IX_PROOF_SIZE) {
        const ssize_t n = ix_wire_read(w, w->proof + w->heard, IX_PROOF_SIZE - w->heard);
        if (n < 0 && w->fault == IX_TLS_BROKEN && !SSL_is_server(w->ssl))
            w->fault = IX_TLS_KEY; /* a server that rejects the proof just disconnects */
        if (n <= 0)
            return (int)n;
        w->heard += (size_t)n;
        if (w->heard == IX_PROOF_SIZE && !ix_tls_check_proof(w->ssl, w->proof)) {
            w->fault = IX_TLS_KEY;
            return -1;
        }
    }
    return 1;
}

/* Continues where the last call stopped. */
static int exchange_proofs(struct ix_wire *w)
{
    int done = SSL_is_server(w->ssl) ? receive_proof(w) : send_proof(w);
    if (done > 0)
        done = SSL_is_server(w->ssl) ? send_proof(w) : receive_proof(w);
    return done;
}

int ix_wire_shake(struct ix_wire *w)
{
    ERR_clear_error();
    w->writing = 0;
    const int result = SSL_do_handshake(w->ssl);
    if (result != 1)
        return wait_for(w, result, &w->writing);
    if (ix_tls_wants_proof(w->ssl))
        return exchange_proofs(w);
    if (ix_tls_proven(w->ssl) != IX_KEY_NONE)
        return 1;
    w->fault = IX_TLS_KEY;
    return -1;
}

short ix_wire_events(const struct ix_wire *w)
{
    return POLLIN | w->reading | w->writing;
}

bool ix_wire_pending(const struct ix_wire *w)
{
    return SSL_pending(w->ssl) > 0;
}

enum ix_tls_fault ix_wire_fault(const struct ix_wire *w)
{
    return w->fault;
}

enum ix_key_kind ix_wire_proven(const struct ix_wire *w)
{
    return ix_tls_proven(w->ssl);
}

int ix_wire_secret(struct ix_wire *w, uint8_t secret[IX_SECRET_SIZE])
{
    return ix_tls_secret(w->ssl, secret);
}

void ix_wire_end(struct ix_wire *w)
{
    ERR_clear_error();
    if (SSL_is_init_finished(w->ssl))
        SSL_shutdown(w->ssl);
    ERR_clear_error();
}

void ix_wire_thread_end(void)
{
    OPENSSL_thread_stop();
}
