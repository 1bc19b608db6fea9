/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "schema/protocol/encoding.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(1 + 9 + 3 + IX_LOG_DATA_MAX <= IX_MESSAGE_MAX, "LOG_DATA");

/* ---- encoders ---- */

static void put_name(struct ix_out *out, const struct ix_log_name *m)
{
    ix_put_u32(out, m->pid);
    ix_put_number(out, m->started_ns, IX_CLOCK_MAX_NS);
    ix_put_text(out, m->execution, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->host, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->log, IX_PATH_MAX, IX_TEXT_PATH);
}

void ix_encode_log_offer(struct ix_out *out, const struct ix_log_offer *m)
{
    const size_t at = ix_begin_frame(out, IX_LOG_OFFER);
    ix_put_greeting(out);
    ix_put_u8(out, m->state);
    put_name(out, &m->name);
    ix_put_number(out, m->part, IX_SIZE_MAX);
    ix_put_number(out, m->parts, IX_SIZE_MAX);
    ix_put_number(out, m->size, IX_SIZE_MAX);
    ix_put_number(out, m->device, IX_NUMBER_MAX);
    ix_put_number(out, m->inode, IX_NUMBER_MAX);
    ix_put_number(out, m->head_size, IX_SIZE_MAX);
    ix_put_bytes(out, m->head, sizeof m->head);
    ix_end_frame(out, at);
}

void ix_encode_log_accept(struct ix_out *out, const struct ix_log_accept *m)
{
    const size_t at = ix_begin_frame(out, IX_LOG_ACCEPT);
    ix_put_u8(out, m->answer);
    ix_put_number(out, m->offset, IX_SIZE_MAX);
    ix_put_number(out, m->rate, IX_SIZE_MAX);
    ix_put_text(out, m->reason, IX_REASON_MAX, IX_TEXT_UTF8);
    ix_end_frame(out, at);
}

void ix_encode_log_data(struct ix_out *out, const struct ix_log_data *m)
{
    const size_t at = ix_begin_frame(out, IX_LOG_DATA);
    ix_put_number(out, m->offset, IX_SIZE_MAX);
    ix_put_string(out, (const char *)m->data, m->size);
    ix_end_frame(out, at);
}

void ix_encode_log_done(struct ix_out *out, const struct ix_log_done *m)
{
    const size_t at = ix_begin_frame(out, IX_LOG_DONE);
    ix_put_number(out, m->size, IX_SIZE_MAX);
    ix_put_bytes(out, m->digest, sizeof m->digest);
    ix_end_frame(out, at);
}

void ix_encode_log_stored(struct ix_out *out, const struct ix_log_stored *m)
{
    const size_t at = ix_begin_frame(out, IX_LOG_STORED);
    ix_put_u8(out, m->result);
    ix_put_text(out, m->reason, IX_REASON_MAX, IX_TEXT_UTF8);
    ix_end_frame(out, at);
}

void ix_encode_log_wanted(struct ix_out *out, const struct ix_log_name *m)
{
    const size_t at = ix_begin_frame(out, IX_LOG_WANTED);
    put_name(out, m);
    ix_end_frame(out, at);
}

/* ---- decoders ---- */

static uint8_t take_choice(struct ix_payload *p, const char *field, uint8_t first, uint8_t last)
{
    const uint8_t v = ix_get_u8(&p->in);
    ix_payload_check(p, field);
    if (v < first || v > last)
        ix_payload_refuse(p, field, "is unknown");
    return v;
}

static void take_digest(struct ix_payload *p, const char *field, uint8_t digest[IX_DIGEST_SIZE])
{
    const uint8_t *bytes = ix_get_bytes(&p->in, IX_DIGEST_SIZE);
    ix_payload_check(p, field);
    if (bytes)
        memcpy(digest, bytes, IX_DIGEST_SIZE);
}

static void take_name(struct ix_payload *p, struct ix_log_name *m)
{
    m->pid = ix_take_pid(p);
    m->started_ns = ix_take_number(p, "start", 0, IX_CLOCK_MAX_NS);
    ix_take_text(p, "execution", m->execution, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_take_text(p, "host", m->host, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_take_text(p, "log", m->log, IX_PATH_MAX, IX_TEXT_PATH);
    if (!p->refused && m->log[0] != '/')
        ix_payload_refuse(p, "log", "is not an absolute path");
}

int ix_decode_log_offer(const uint8_t *payload, size_t size, struct ix_log_offer *m,
                        struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("LOG_OFFER", payload, size, err);
    ix_take_greeting(&p);
    m->state = take_choice(&p, "state", IX_OFFER_GROWING, IX_OFFER_KEPT);
    take_name(&p, &m->name);
    m->part = ix_take_number(&p, "part", 0, UINT32_MAX);
    m->parts = ix_take_number(&p, "parts", 0, UINT32_MAX);
    m->size = ix_take_number(&p, "size", 0, IX_SIZE_MAX);
    m->device = ix_take_number(&p, "device", 0, IX_NUMBER_MAX);
    m->inode = ix_take_number(&p, "inode", 0, IX_NUMBER_MAX);
    m->head_size = ix_take_number(&p, "head", 0, IX_LOG_HEAD_MAX);
    if (m->head_size > m->size)
        ix_payload_refuse(&p, "head", "is out of bounds");
    take_digest(&p, "digest", m->head);
    return ix_payload_result(&p);
}

int ix_decode_log_accept(const uint8_t *payload, size_t size, struct ix_log_accept *m,
                         struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("LOG_ACCEPT", payload, size, err);
    m->answer = take_choice(&p, "answer", IX_ACCEPT_NOT_NEEDED, IX_ACCEPT_REFUSED);
    m->offset = ix_take_number(&p, "offset", 0, IX_SIZE_MAX);
    m->rate = ix_take_number(&p, "rate", 1, IX_SIZE_MAX);
    ix_take_text(&p, "reason", m->reason, IX_REASON_MAX, IX_TEXT_UTF8);
    return ix_payload_result(&p);
}

int ix_decode_log_data(const uint8_t *payload, size_t size, struct ix_log_data *m,
                       struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("LOG_DATA", payload, size, err);
    m->offset = ix_take_number(&p, "offset", 0, IX_SIZE_MAX);
    const struct ix_span data = ix_get_string(&p.in, IX_LOG_DATA_MAX);
    ix_payload_check(&p, "data");
    if (data.len == 0)
        ix_payload_refuse(&p, "data", "is empty");
    m->data = (const uint8_t *)data.text;
    m->size = data.len;
    return ix_payload_result(&p);
}

int ix_decode_log_done(const uint8_t *payload, size_t size, struct ix_log_done *m,
                       struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("LOG_DONE", payload, size, err);
    m->size = ix_take_number(&p, "size", 0, IX_SIZE_MAX);
    take_digest(&p, "digest", m->digest);
    return ix_payload_result(&p);
}

int ix_decode_log_stored(const uint8_t *payload, size_t size, struct ix_log_stored *m,
                         struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("LOG_STORED", payload, size, err);
    m->result = take_choice(&p, "result", IX_STORED_WHOLE, IX_STORED_NOT);
    ix_take_text(&p, "reason", m->reason, IX_REASON_MAX, IX_TEXT_UTF8);
    return ix_payload_result(&p);
}

int ix_decode_log_wanted(const uint8_t *payload, size_t size, struct ix_log_name *m,
                         struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("LOG_WANTED", payload, size, err);
    take_name(&p, m);
    return ix_payload_result(&p);
}

/* ---- digests ---- */

struct ix_digest {
    XXH3_state_t state;
};

struct ix_digest *ix_digest_new(void)
{
    struct ix_digest *d = aligned_alloc(_Alignof(struct ix_digest), sizeof *d);
    if (d)
        ix_digest_clear(d);
    return d;
}

void ix_digest_free(struct ix_digest *d)
{
    free(d);
}

void ix_digest_clear(struct ix_digest *d)
{
    XXH3_INITSTATE(&d->state);
    XXH3_128bits_reset(&d->state);
}

void ix_digest_add(struct ix_digest *d, const void *data, size_t size)
{
    XXH3_128bits_update(&d->state, data, size);
}

static void store_digest(XXH128_hash_t hash, uint8_t value[IX_DIGEST_SIZE])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(value, canonical.digest, IX_DIGEST_SIZE);
}

void ix_digest_value(const struct ix_digest *d, uint8_t value[IX_DIGEST_SIZE])
{
    store_digest(XXH3_128bits_digest(&d->state), value);
}

void ix_digest_of(const void *data, size_t size, uint8_t value[IX_DIGEST_SIZE])
{
    store_digest(XXH3_128bits(data, size), value);
}
