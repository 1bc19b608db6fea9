/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart a JVM's monotonic clock and the server's are: offset, drift and a bound on the
 * error, computed from repeated exchanges of datagrams. Pure; derived in docs/clock.md.
 *
 * offset(t) = server's clock - JVM's clock at the moment when the JVM's clock shows t. An exchange
 * (Cristian 1989) has four times: t1 sent (server's clock), t2 received and t3 answered (JVM's
 * clock), t4 answer received (server's clock). Nothing arrives before it was sent, so the offset
 * lies in [t1 - t2, t4 - t3], an interval as wide as the round trip was long. The narrowest ends of
 * the last IXOR_CLOCK_WINDOW intervals (the minimum-delay filter of NTP, Mills 1991, for each
 * direction separately), each extrapolated with the possible rates, give the bound.
 *
 * Assumptions: the rates of the two clocks differ by IXOR_CLOCK_RATE_PPB at most, and change by no
 * more than IXOR_CLOCK_WANDER_PPB within the window. An interval that contradicts the others means
 * that a clock has jumped (a suspended virtual machine); then all but the newest are discarded.
 */
#ifndef IXOR_CLOCK_H
#define IXOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXOR_CLOCK_WINDOW 32
/* Crystals are accurate to 100 ppm; the kernel adjusts by up to 500 ppm. */
#define IXOR_CLOCK_RATE_PPB 500000
#define IXOR_CLOCK_WANDER_PPB 10000

struct ixor_exchange {
    int64_t t1, t2, t3, t4; /* ns, see above */
};

/* The offset as a line through the JVM's time at_ns, valid before and after it. */
struct ixor_clock_line {
    int64_t at_ns;     /* JVM's clock */
    int64_t offset_ns; /* at at_ns */
    int64_t error_ns;  /* at at_ns: bound on the offset's error */
    double drift;      /* growth of the offset per ns: how much faster the server's clock runs */
    double growth;     /* growth of the error per ns away from at_ns */
};

struct ixor_clock {
    bool same;      /* both are one clock, as far as is known */
    bool known;     /* `line` is valid */
    unsigned jumps; /* how often a clock has jumped */
    uint64_t exchanges;
    struct ixor_clock_line line;
    size_t count; /* intervals, the newest last; times ascend */
    struct {
        int64_t at_ns;     /* JVM's clock */
        int64_t low, high; /* bounds of the offset at that time */
    } seen[IXOR_CLOCK_WINDOW];
};

/* Starts without exchanges. `same`: the JVM says that it has the server's own clock, which is
 * believed (offset and error 0) until an exchange proves it wrong. */
void ixor_clock_init(struct ixor_clock *c, bool same);

/* Adds an exchange. False if it is impossible (answered before it was received, times out of
 * range); it is then ignored. One older than the newest is also ignored, but gives true.
 * O(window^2). */
bool ixor_clock_feed(struct ixor_clock *c, const struct ixor_exchange *x);

struct ixor_reading {
    int64_t offset_ns, error_ns;
};
/* The offset when the JVM's clock shows vm_ns, which must be in [0, IXOR_CLOCK_TIME_MAX]; false if
 * it is not known. O(1). */
bool ixor_clock_read(const struct ixor_clock *c, int64_t vm_ns, struct ixor_reading *r);
#define IXOR_CLOCK_TIME_MAX (INT64_MAX / 4)

/* What the JVM's clock shows when the server's shows server_ns; 0 if that is not known. O(1). */
uint64_t ixor_clock_target(const struct ixor_clock *c, uint64_t server_ns);

/* The growth of the offset in parts per 10^9. */
int64_t ixor_clock_drift_ppb(const struct ixor_clock *c);

#endif
