/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams in bytes, as protocol.md says. */
/* SHA256_* are deprecated since OpenSSL 3.0, but their replacement costs too much here. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "schema/protocol/datagram.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/bytes.h"
#include "schema/protocol/limits.h"

#define MAC_SIZE 16u
#define SEALED (IX_DATAGRAM_SIZE - MAC_SIZE)

static const uint8_t magic[4] = {'I', 'X', 'R', 'Q'};

/* HMAC (RFC 2104) from SHA-256's states after the key's two blocks: a datagram then takes two
 * compressions in 224 bytes. OpenSSL's EVP_MAC copies contexts by allocating them, which with
 * 10,000 sessions, whose contexts lie all over memory, takes four times as long. */
struct ix_sealer {
    SHA256_CTX inner, outer;
};

static void after_key(SHA256_CTX *state, const uint8_t secret[IX_SECRET_SIZE], uint8_t pad)
{
    uint8_t block[SHA256_CBLOCK];
    memset(block, pad, sizeof block);
    for (size_t i = 0; i < IX_SECRET_SIZE; i++)
        block[i] ^= secret[i];
    SHA256_Init(state);
    SHA256_Update(state, block, sizeof block);
    OPENSSL_cleanse(block, sizeof block);
}

struct ix_sealer *ix_sealer_new(const uint8_t secret[IX_SECRET_SIZE])
{
    struct ix_sealer *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    after_key(&s->inner, secret, 0x36);
    after_key(&s->outer, secret, 0x5c);
    return s;
}

void ix_sealer_free(struct ix_sealer *s)
{
    if (s)
        OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static bool mac_of(const struct ix_sealer *s, const uint8_t *bytes, uint8_t mac[MAC_SIZE])
{
    uint8_t whole[SHA256_DIGEST_LENGTH];
    SHA256_CTX state = s->inner;
    if (!SHA256_Update(&state, bytes, SEALED) || !SHA256_Final(whole, &state))
        return false;
    state = s->outer;
    if (!SHA256_Update(&state, whole, sizeof whole) || !SHA256_Final(whole, &state))
        return false;
    memcpy(mac, whole, MAC_SIZE);
    return true;
}

static void store_le(uint8_t *at, uint64_t v, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

int ix_datagram_seal(struct ix_sealer *s, const struct ix_datagram *d,
                     uint8_t bytes[IX_DATAGRAM_SIZE])
{
    memset(bytes, 0, IX_DATAGRAM_SIZE);
    memcpy(bytes, magic, sizeof magic);
    store_le(bytes + 4, IX_PROTOCOL_VERSION, 2);
    store_le(bytes + 6, (uint64_t)d->kind, 2);
    store_le(bytes + 8, d->session, 8);
    store_le(bytes + 16, d->number, 8);
    store_le(bytes + 24, d->time_ns, 8);
    store_le(bytes + 32, d->sent_ns, 8);
    return mac_of(s, bytes, bytes + SEALED) ? 0 : -1;
}

bool ix_datagram_decode(const uint8_t *bytes, size_t size, struct ix_datagram *d)
{
    if (size != IX_DATAGRAM_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    struct ix_in in = ix_in_of(bytes + sizeof magic, size - sizeof magic);
    uint16_t version = ix_get_u16(&in);
    uint16_t kind = ix_get_u16(&in);
    d->kind = (enum ix_datagram_kind)kind;
    d->session = ix_get_u64(&in);
    d->number = ix_get_u64(&in);
    d->time_ns = ix_get_u64(&in);
    d->sent_ns = ix_get_u64(&in);
    uint64_t room = ix_get_u64(&in);
    return version == IX_PROTOCOL_VERSION && kind >= IX_REQUEST && kind <= IX_ANSWER &&
           d->session != 0 && d->number != 0 && d->number <= IX_PACKET_MAX &&
           d->time_ns <= (kind == IX_PROBE ? 0 : IX_CLOCK_MAX_NS) &&
           d->sent_ns <= IX_CLOCK_MAX_NS && room == 0;
}

bool ix_datagram_open(struct ix_sealer *s, const uint8_t *bytes, size_t size, struct ix_datagram *d)
{
    uint8_t mac[MAC_SIZE];
    return size == IX_DATAGRAM_SIZE && mac_of(s, bytes, mac) &&
           CRYPTO_memcmp(mac, bytes + SEALED, MAC_SIZE) == 0 && ix_datagram_decode(bytes, size, d);
}

uint64_t ix_datagram_session(const uint8_t *bytes, size_t size)
{
    struct ix_datagram d;
    return ix_datagram_decode(bytes, size, &d) ? d.session : 0;
}
