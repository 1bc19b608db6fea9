/* SPDX-License-Identifier: Apache-2.0 */
/* Values as people write and read them: durations, counts, addresses, safe text. */
#ifndef IXOR_UNITS_H
#define IXOR_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "schema/base/error.h"

/* "100ms", "1.5s", "250us", "2m" to nanoseconds; at most 365 days; fractions of a nanosecond are
 * dropped. A number without a unit is an error, except 0. 0 or -1. */
int ixor_parse_duration(const char *text, uint64_t *ns, struct ix_error *err);

/* A decimal count in [min, max]. 0 or -1. */
int ixor_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value,
                     struct ix_error *err);

/* "512", "64k", "8m", "2g": bytes, units are powers of 1024; in [min, max]. 0 or -1. */
int ixor_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes,
                    struct ix_error *err);

struct ixor_address {
    struct sockaddr_storage sa;
    socklen_t len;
};

/* "ADDR:PORT", "[V6ADDR]:PORT", "ADDR" (the default port), ":PORT" (127.0.0.1). ADDR is numeric or
 * a name that resolves; its first address is used. 0 or -1. */
int ixor_parse_address(const char *text, struct ixor_address *address, struct ix_error *err);
/* The host part of such a text, as written but without brackets; "" if there is none. -1: not an
 * address, or too long. */
int ixor_address_host(const char *text, char *host, size_t size);

/* Room for an address and port as text. */
#define IXOR_ADDRESS_TEXT 64
/* "1.2.3.4:56", "[::1]:56". */
void ixor_address_text(const struct ixor_address *address, char text[IXOR_ADDRESS_TEXT]);
/* The same as seen from other hosts: for a wildcard address, this host's name. */
void ixor_address_reach_text(const struct ixor_address *address, char *text, size_t size);
uint16_t ixor_address_port(const struct ixor_address *address);
void ixor_address_set_port(struct ixor_address *address, uint16_t port);
int ixor_address_is_loopback(const struct ixor_address *address);
/* Whether the host addresses are equal; ports are ignored. */
int ixor_address_same_host(const struct ixor_address *a, const struct ixor_address *b);

/* Room for any duration or size below. */
#define IXOR_UNIT_TEXT 24
/* Three significant digits: "812ns", "45.1us", "1.20ms", "12.3s", "4m05s"; "-" if negative. */
void ixor_duration_text(int64_t ns, char text[IXOR_UNIT_TEXT]);
/* "512 B", "1.4 KiB", "38.0 MiB". */
void ixor_size_text(uint64_t bytes, char text[IXOR_UNIT_TEXT]);
/* Part of whole in percent: "0", "0.4", "12"; "-" if whole is 0. A share above 0 is never printed
 * as 0. */
void ixor_percent_text(uint64_t part, uint64_t whole, char text[IXOR_UNIT_TEXT]);

/* The same with a percent sign: "0.4%"; "-". */
void ixor_share_text(uint64_t part, uint64_t whole, char text[IXOR_UNIT_TEXT]);

/* Length in bytes of the next character; 1 if it is not UTF-8. The text must not end here. *safe:
 * the character is visible and neither controls a terminal nor changes the writing direction. */
size_t ixor_text_character(const char *at, bool *safe);
/* Copies text from outside, with '?' for each unsafe character, truncated between characters at
 * size - 1 bytes. `to` may be `from`. */
void ixor_safe_text(const char *from, char *to, size_t size);

/* Clocks in ns: monotonic, and wall since 1970. */
uint64_t ixor_mono_ns(void);
int64_t ixor_wall_ns(void);

#endif
