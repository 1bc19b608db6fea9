/* How far apart a VM's monotonic clock and the server's are: offset, drift and a bound on the
 * error, out of repeated exchanges of datagrams. Pure; docs/clock.md derives it.
 *
 * offset(t) = server's clock - VM's clock at the moment when the VM's clock shows t. An exchange
 * (Cristian 1989) has four times: t1 sent (server's clock), t2 come, t3 answered (VM's clock), t4
 * come back (server's clock). Nothing arrives before it was sent, so the offset lies in
 * [t1 - t2, t4 - t3], an interval as wide as the exchange was long. The narrowest ends of the last
 * IXOR_CLOCK_WINDOW intervals (the minimum-delay filter of NTP, Mills 1991, for each direction by
 * itself), each carried on at the rates that are possible, give the bound.
 *
 * What is assumed: the rates of the two clocks differ by IXOR_CLOCK_RATE_PPB at most, and change by
 * no more than IXOR_CLOCK_WANDER_PPB within the window. An interval that contradicts the others
 * means that a clock has jumped (a suspended virtual machine): all but the newest is forgotten
 * then.
 */
#ifndef IXOR_CLOCK_H
#define IXOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXOR_CLOCK_WINDOW 32
/* Crystals keep within 100 ppm; the kernel steers by up to 500 ppm. */
#define IXOR_CLOCK_RATE_PPB 500000
#define IXOR_CLOCK_WANDER_PPB 10000

struct ixor_exchange {
    int64_t t1, t2, t3, t4; /* ns, see above */
};

/* From VM's time at_ns on, forward and back. */
struct ixor_clock_line {
    int64_t at_ns;     /* VM's clock */
    int64_t offset_ns; /* there */
    int64_t error_ns;  /* there: the offset is not wrong by more */
    double drift;      /* the offset's growth per ns: how much faster the server's clock runs */
    double growth;     /* the error's, per ns away from at_ns */
};

struct ixor_clock {
    bool same;      /* one and the same clock, as far as is known */
    bool known;     /* `line` says something */
    unsigned jumps; /* how often a clock has jumped */
    uint64_t exchanges;
    struct ixor_clock_line line;
    size_t count; /* intervals, the newest last; times ascend */
    struct {
        int64_t at_ns;     /* VM's clock */
        int64_t low, high; /* the offset lay between them then */
    } seen[IXOR_CLOCK_WINDOW];
};

/* A VM of which nothing is known but whether it says that it has the server's own clock. That is
 * believed, with offset and error 0, until an exchange proves it wrong. */
void ixor_clock_init(struct ixor_clock *c, bool same);

/* Takes an exchange in. False if it cannot be true (answered before it came, times out of range):
 * it is ignored. One that is older than the newest is ignored, too, but true. O(window^2). */
bool ixor_clock_feed(struct ixor_clock *c, const struct ixor_exchange *x);

struct ixor_reading {
    int64_t offset_ns, error_ns;
};
/* The offset when the VM's clock shows vm_ns, which must be in [0, IXOR_CLOCK_TIME_MAX]; false if
 * it is not known. O(1). */
bool ixor_clock_read(const struct ixor_clock *c, int64_t vm_ns, struct ixor_reading *r);
#define IXOR_CLOCK_TIME_MAX (INT64_MAX / 4)

/* What the VM's clock shows when the server's shows server_ns; 0 if that is not known. O(1). */
uint64_t ixor_clock_target(const struct ixor_clock *c, uint64_t server_ns);

/* The offset's growth in parts in 10^9. */
int64_t ixor_clock_drift_ppb(const struct ixor_clock *c);

#endif
