/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/units.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/base/clock.h"
#include "schema/base/units.h"
#include "schema/base/utf8.h"
#include "schema/protocol/protocol.h"

#define DURATION_MAX_NS (365ull * 24 * 3600 * 1000000000ull)

static int not_a_duration(const char *text, struct ix_error *err)
{
    return ix_fail(
        err, "'%s' is not a duration; expected a number and us, ms, s or m, such as 100ms", text);
}

int ixor_parse_duration(const char *text, uint64_t *ns, struct ix_error *err)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}};
    const char *at = text;
    uint64_t whole = 0, part = 0, scale = 1;
    if (!isdigit((unsigned char)*at))
        return not_a_duration(text, err);
    for (; isdigit((unsigned char)*at); at++) {
        whole = whole * 10 + (uint64_t)(*at - '0');
        if (whole > DURATION_MAX_NS)
            return ix_fail(err, "'%s' is too long; at most 365 days", text);
    }
    if (*at == '.') {
        if (!isdigit((unsigned char)*++at))
            return not_a_duration(text, err);
        for (; isdigit((unsigned char)*at); at++) {
            if (scale < 100000000) { /* 8 digits: part * ns of the longest unit stays below 2^63 */
                part = part * 10 + (uint64_t)(*at - '0');
                scale *= 10;
            }
        }
    }
    if (!*at && whole == 0 && part == 0) {
        *ns = 0;
        return 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(at, units[i].name) != 0)
            continue;
        if (whole > DURATION_MAX_NS / units[i].ns)
            return ix_fail(err, "'%s' is too long; at most 365 days", text);
        *ns = whole * units[i].ns + part * units[i].ns / scale;
        return 0;
    }
    return not_a_duration(text, err);
}

int ixor_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value,
                     struct ix_error *err)
{
    uint64_t v = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at) && v <= max; at++) {
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*at - '0'), &v))
            break;
    }
    if (at == text || *at || v < min || v > max)
        return ix_fail(err, "'%s' is not a number from %" PRIu64 " to %" PRIu64, text, min, max);
    *value = v;
    return 0;
}

int ixor_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes,
                    struct ix_error *err)
{
    uint64_t v;
    if (!ix_parse_size(text, strlen(text), &v) || v < min || v > max) {
        char low[IXOR_UNIT_TEXT], high[IXOR_UNIT_TEXT];
        ixor_size_text(min, low);
        ixor_size_text(max, high);
        return ix_fail(err, "'%s' is not a size from %s to %s, such as 64m", text, low, high);
    }
    *bytes = v;
    return 0;
}

/* Splits "HOST:PORT" and its variants; host "" if there is none. */
static int split_address(const char *text, char *host, size_t host_size, const char **port)
{
    const char *begin = text, *end;
    if (*text == '[') {
        begin = text + 1;
        end = strchr(begin, ']');
        if (!end || (end[1] && end[1] != ':'))
            return -1;
        *port = end[1] ? end + 2 : NULL;
    } else {
        const char *colon = strchr(text, ':');
        if (colon && strchr(colon + 1, ':')) /* a bare V6 address */
            colon = NULL;
        end = colon ? colon : text + strlen(text);
        *port = colon ? colon + 1 : NULL;
    }
    size_t len = (size_t)(end - begin);
    if (len >= host_size)
        return -1;
    memcpy(host, begin, len);
    host[len] = '\0';
    return 0;
}

int ixor_address_host(const char *text, char *host, size_t size)
{
    const char *port;
    return split_address(text, host, size, &port);
}

int ixor_parse_address(const char *text, struct ixor_address *address, struct ix_error *err)
{
    char host[256];
    const char *port;
    uint64_t number = IX_DEFAULT_PORT;
    if (!*text || split_address(text, host, sizeof host, &port) != 0)
        return ix_fail(err, "'%s' is not an address; expected ADDR:PORT or [V6ADDR]:PORT", text);
    if (port && ixor_parse_count(port, 0, 65535, &number, err) != 0)
        return ix_fail_in(err, "'%s'", text);

    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list = NULL;
    int why = getaddrinfo(host[0] ? host : "127.0.0.1", NULL, &hints, &list);
    if (why != 0)
        return ix_fail(err, "'%s': %s", text, gai_strerror(why));
    *address = (struct ixor_address){.len = list->ai_addrlen};
    memcpy(&address->sa, list->ai_addr, list->ai_addrlen);
    freeaddrinfo(list);
    ixor_address_set_port(address, (uint16_t)number);
    return 0;
}

void ixor_address_text(const struct ixor_address *address, char text[IXOR_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "?";
    if (address->sa.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->sa;
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
        snprintf(text, IXOR_ADDRESS_TEXT, "[%s]:%u", host, ixor_address_port(address));
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address->sa;
        inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
        snprintf(text, IXOR_ADDRESS_TEXT, "%s:%u", host, ixor_address_port(address));
    }
}

void ixor_address_reach_text(const struct ixor_address *a, char *text, size_t size)
{
    static const struct in6_addr any6 = {0};
    char host[256] = "", address[IXOR_ADDRESS_TEXT];
    bool any =
        a->sa.ss_family == AF_INET6
            ? memcmp(&((const struct sockaddr_in6 *)&a->sa)->sin6_addr, &any6, sizeof any6) == 0
            : ((const struct sockaddr_in *)&a->sa)->sin_addr.s_addr == 0;
    ixor_address_text(a, address);
    if (any && gethostname(host, sizeof host - 1) == 0)
        snprintf(text, size, "%s:%u", host, ixor_address_port(a));
    else
        snprintf(text, size, "%s", address);
}

uint16_t ixor_address_port(const struct ixor_address *address)
{
    if (address->sa.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)&address->sa)->sin6_port);
    return ntohs(((const struct sockaddr_in *)&address->sa)->sin_port);
}

void ixor_address_set_port(struct ixor_address *address, uint16_t port)
{
    if (address->sa.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&address->sa)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)&address->sa)->sin_port = htons(port);
}

/* The IPv4 address, also of a mapped IPv6 address (which a dual-stack listener gets). */
static int ipv4_of(const struct ixor_address *address, struct in_addr *ipv4)
{
    if (address->sa.ss_family == AF_INET) {
        *ipv4 = ((const struct sockaddr_in *)&address->sa)->sin_addr;
        return 1;
    }
    const struct in6_addr *in6 = &((const struct sockaddr_in6 *)&address->sa)->sin6_addr;
    if (!IN6_IS_ADDR_V4MAPPED(in6))
        return 0;
    memcpy(ipv4, &in6->s6_addr[12], sizeof *ipv4);
    return 1;
}

int ixor_address_is_loopback(const struct ixor_address *address)
{
    struct in_addr ipv4;
    if (ipv4_of(address, &ipv4))
        return ntohl(ipv4.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)&address->sa)->sin6_addr);
}

int ixor_address_same_host(const struct ixor_address *a, const struct ixor_address *b)
{
    struct in_addr x, y;
    int mapped = ipv4_of(a, &x);
    if (mapped != ipv4_of(b, &y))
        return 0;
    if (mapped)
        return x.s_addr == y.s_addr;
    return memcmp(&((const struct sockaddr_in6 *)&a->sa)->sin6_addr,
                  &((const struct sockaddr_in6 *)&b->sa)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

/* Three significant digits, without switching to an exponent. */
static void three_digits(double value, const char *unit, char text[IXOR_UNIT_TEXT])
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, IXOR_UNIT_TEXT, "%.*f%s", decimals, value, unit);
}

void ixor_duration_text(int64_t ns, char text[IXOR_UNIT_TEXT])
{
    if (ns < 0)
        snprintf(text, IXOR_UNIT_TEXT, "-");
    else if (ns < 1000)
        snprintf(text, IXOR_UNIT_TEXT, "%" PRId64 "ns", ns);
    else if (ns < 999500)
        three_digits((double)ns / 1e3, "us", text);
    else if (ns < 999500000)
        three_digits((double)ns / 1e6, "ms", text);
    else if (ns < 99950000000)
        three_digits((double)ns / 1e9, "s", text);
    else {
        int64_t s = (ns + 500000000) / 1000000000;
        if (s < 3600)
            snprintf(text, IXOR_UNIT_TEXT, "%" PRId64 "m%02ds", s / 60, (int)(s % 60));
        else
            snprintf(text, IXOR_UNIT_TEXT, "%" PRId64 "h%02dm", s / 3600, (int)(s / 60 % 60));
    }
}

void ixor_size_text(uint64_t bytes, char text[IXOR_UNIT_TEXT])
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1023.95 && unit + 1 < sizeof names / sizeof names[0]; unit++)
        value /= 1024;
    snprintf(text, IXOR_UNIT_TEXT, "%.*f %s", unit ? 1 : 0, value, names[unit]);
}

void ixor_percent_text(uint64_t part, uint64_t whole, char text[IXOR_UNIT_TEXT])
{
    double percent = whole ? 100.0 * (double)part / (double)whole : 0;
    if (whole == 0)
        snprintf(text, IXOR_UNIT_TEXT, "-");
    else if (part == 0)
        snprintf(text, IXOR_UNIT_TEXT, "0");
    else if (percent < 0.05)
        snprintf(text, IXOR_UNIT_TEXT, "<0.1");
    else
        snprintf(text, IXOR_UNIT_TEXT, "%.*f", percent < 9.95 ? 1 : 0, percent);
}

void ixor_share_text(uint64_t part, uint64_t whole, char text[IXOR_UNIT_TEXT])
{
    char percent[IXOR_UNIT_TEXT];
    ixor_percent_text(part, whole, percent);
    snprintf(text, IXOR_UNIT_TEXT, "%.8s%s", percent, whole ? "%" : "");
}

size_t ixor_text_character(const char *at, bool *safe)
{
    /* Control characters (C0 and C1), and characters that change the writing direction, begin a
     * line, or are invisible. */
    static const uint32_t steer[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    uint32_t code;
    const size_t size = ix_utf8_decode(at, strnlen(at, 4), &code);
    *safe = size > 0;
    for (size_t i = 0; i < sizeof steer / sizeof *steer; i++)
        *safe = *safe && (code < steer[i][0] || code > steer[i][1]);
    return size ? size : 1;
}

void ixor_safe_text(const char *from, char *to, size_t size)
{
    bool safe;
    size_t n = 0;
    if (size == 0)
        return;
    for (size_t bytes; *from; from += bytes) {
        bytes = ixor_text_character(from, &safe);
        if (n + (safe ? bytes : 1) >= size)
            break;
        if (safe)
            memmove(to + n, from, bytes);
        else
            to[n] = '?';
        n += safe ? bytes : 1;
    }
    to[n] = '\0';
}

uint64_t ixor_mono_ns(void)
{
    return (uint64_t)ix_mono_ns();
}

int64_t ixor_wall_ns(void)
{
    return ix_real_ns();
}
