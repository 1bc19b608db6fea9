/* Values as people write and read them: durations, counts, addresses, safe text. */
#ifndef IXOR_UNITS_H
#define IXOR_UNITS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "schema/error.h"

/* "100ms", "1.5s", "250us", "2m" to nanoseconds; at most 365 days; what is below a nanosecond is
 * cut. A number without a unit is an error, but for 0. 0 or -1. */
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
 * a name that resolves; the first address counts. 0 or -1. */
int ixor_parse_address(const char *text, struct ixor_address *address, struct ix_error *err);
/* The host of such a text alone, as it was written and without brackets; "" if there is none. -1: it
 * is no address, or too long. */
int ixor_address_host(const char *text, char *host, size_t size);

/* Room for an address and port as text. */
#define IXOR_ADDRESS_TEXT 64
/* "1.2.3.4:56", "[::1]:56". */
void ixor_address_text(const struct ixor_address *address, char text[IXOR_ADDRESS_TEXT]);
/* The same as others reach it: for an address that stands for all interfaces this host's name. */
void ixor_address_reach_text(const struct ixor_address *address, char *text, size_t size);
uint16_t ixor_address_port(const struct ixor_address *address);
void ixor_address_set_port(struct ixor_address *address, uint16_t port);
int ixor_address_is_loopback(const struct ixor_address *address);
/* The same host address; ports do not count. */
int ixor_address_same_host(const struct ixor_address *a, const struct ixor_address *b);

/* Room for any duration or size below. */
#define IXOR_UNIT_TEXT 24
/* Three significant digits: "812ns", "45.1us", "1.20ms", "12.3s", "4m05s"; "-" if negative. */
void ixor_duration_text(int64_t ns, char text[IXOR_UNIT_TEXT]);
/* "512 B", "1.4 KiB", "38.0 MiB". */
void ixor_size_text(uint64_t bytes, char text[IXOR_UNIT_TEXT]);
/* Part of whole in percent: "0", "0.4", "12"; "-" if whole is 0. Anything above 0 shows as more
 * than 0. */
void ixor_percent_text(uint64_t part, uint64_t whole, char text[IXOR_UNIT_TEXT]);

/* The same with a percent sign: "0.4%"; "-". */
void ixor_share_text(uint64_t part, uint64_t whole, char text[IXOR_UNIT_TEXT]);

/* Copies text that came from outside, with control characters as '?', so that it cannot steer a
 * terminal; cut at size - 1 bytes. */
void ixor_safe_text(const char *from, char *to, size_t size);

/* Clocks in ns: monotonic, and wall since 1970. */
uint64_t ixor_mono_ns(void);
int64_t ixor_wall_ns(void);

#endif
