/* How long a JVM's stops were, told apart by who asked for them.
 *
 *   stops SAFEPOINTS BARE SNAPSHOTS FROM TO
 *
 * SAFEPOINTS: -Xlog:safepoint:file=...:tn, a line a safepoint, stamped at its end by the
 * monotonic clock. BARE: what bench/agent/bare.c wrote. SNAPSHOTS: "BEGIN STOP" a packet of the
 * agent, both in ns. Only what lies between FROM and TO counts.
 *
 * A bare call contains the end of its own safepoint. If it contains more than one that could be
 * its own (the agent asked meanwhile), neither it nor the packets whose time it touches count. What
 * is in no bare call is the agent's: all its stops from one packet's end to the next one's belong
 * to the latter, be they of some threads or of all, once or again.
 *
 * Prints a line each for ixor, bare, floor and jcmd: NAME COUNT REACHING AT TOTAL MEAN FULL:
 * medians of the time until all threads had stopped, of the time they were held, and from the
 * request to the release; the mean of the latter; all in ns; and how many had a full walk. jcmd's
 * figures are sums over the operations of one dump. Last a line "dropped N". */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { ALL, SOME, DUMP, DUMP_MORE, KINDS };
static const char *const names[] = {"GetAllStackTraces", "GetThreadListStackTraces",
                                    "PrintThreads"};

struct stop {
    long long end, reaching, at, total;
    enum kind kind;
    bool taken; /* a bare call's, or nobody's */
    bool unclear;
};

struct span {
    long long begin, end;
    enum kind kind;
};

struct sums {
    long long reaching, at, total;
    bool full;
};

struct figures {
    struct sums *list;
    size_t count;
};

static struct stop *stops;
static struct span *calls, *packets;
static size_t stop_count, call_count, packet_count, dropped;
static long long from, to;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Room for one element more; grows at powers of two. */
static void *more(void *list, size_t count, size_t size)
{
    if (count & (count - 1))
        return list;
    list = realloc(list, (count ? 2 * count : 1) * size);
    return list ? list : (die("stops"), NULL);
}

static long long after(const char *line, const char *label)
{
    const char *at = strstr(line, label);
    return at ? strtoll(at + strlen(label), NULL, 10) : 0;
}

static enum kind kind_of(const char *line)
{
    char quoted[64];
    for (int k = ALL; k <= DUMP; k++) {
        snprintf(quoted, sizeof quoted, "\"%s\"", names[k]);
        if (strstr(line, quoted))
            return k;
    }
    return strstr(line, "\"PrintJNI\"") || strstr(line, "\"FindDeadlocks\"") ? DUMP_MORE : KINDS;
}

static void read_stop(const char *line)
{
    const struct stop s = {.end = strtoll(line + (*line == '['), NULL, 10),
                           .reaching = after(line, "Reaching safepoint: "),
                           .at = after(line, "At safepoint: "),
                           .total = after(line, "Total: "),
                           .kind = kind_of(line)};
    if (s.kind == KINDS || s.end < from || s.end > to)
        return;
    stops = more(stops, stop_count, sizeof *stops);
    stops[stop_count++] = s;
}

static void read_call(const char *line)
{
    struct span c = {.kind = strncmp(line, "all", 3) ? SOME : ALL};
    if (sscanf(line, "%*s %lld %lld", &c.begin, &c.end) != 2 || c.begin < from || c.end > to)
        return;
    calls = more(calls, call_count, sizeof *calls);
    calls[call_count++] = c;
}

/* From the end of the packet before. */
static void read_packet(const char *line)
{
    static long long before;
    long long begin, stop;
    if (sscanf(line, "%lld %lld", &begin, &stop) != 2)
        return;
    const struct span p = {.begin = before, .end = begin + stop};
    before = p.end;
    if (p.begin < from || p.end > to)
        return;
    packets = more(packets, packet_count, sizeof *packets);
    packets[packet_count++] = p;
}

static void each_line(const char *path, void (*read)(const char *))
{
    char line[1024];
    FILE *f = fopen(path, "r");
    if (!f)
        die(path);
    while (fgets(line, sizeof line, f))
        read(line);
    fclose(f);
}

static bool within(const struct stop *s, const struct span *span)
{
    return s->end > span->begin && s->end <= span->end;
}

static void add(struct figures *f, const struct sums *sums)
{
    f->list = more(f->list, f->count, sizeof *f->list);
    f->list[f->count++] = *sums;
}

static void add_up(struct sums *sums, const struct stop *s)
{
    sums->reaching += s->reaching;
    sums->at += s->at;
    sums->total += s->total;
    sums->full = sums->full || s->kind == ALL;
}

/* Finds each call's own stop; marks those that are taken. */
static void settle_calls(struct figures *all, struct figures *two)
{
    for (size_t c = 0; c < call_count; c++) {
        struct stop *own = NULL;
        size_t found = 0;
        for (size_t i = 0; i < stop_count; i++)
            if (stops[i].kind == calls[c].kind && within(&stops[i], &calls[c]))
                own = &stops[i], found++;
        if (found == 1) {
            own->taken = true;
            add(calls[c].kind == ALL ? all : two, &(struct sums){own->reaching, own->at, own->total,
                                                                 calls[c].kind == ALL});
            continue;
        }
        dropped++;
        for (size_t i = 0; i < stop_count; i++)
            if (stops[i].kind == calls[c].kind && within(&stops[i], &calls[c]))
                stops[i].unclear = true;
    }
}

static void settle_packets(struct figures *ixor)
{
    for (size_t p = 0; p < packet_count; p++) {
        struct sums sums = {0};
        bool unclear = false, any = false;
        for (size_t i = 0; i < stop_count; i++) {
            const struct stop *s = &stops[i];
            if (s->kind > SOME || s->taken || !within(s, &packets[p]))
                continue;
            unclear = unclear || s->unclear;
            any = true;
            add_up(&sums, s);
        }
        if (any && !unclear)
            add(ixor, &sums);
        else
            dropped++;
    }
}

static void settle_dumps(struct figures *jcmd)
{
    for (size_t i = 0; i < stop_count; i++) {
        if (stops[i].kind == DUMP)
            add(jcmd, &(struct sums){0});
        if (stops[i].kind >= DUMP && jcmd->count)
            add_up(&jcmd->list[jcmd->count - 1], &stops[i]);
    }
}

static int ascending(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* Of the values at `offset` in each; the lower of two in the middle. */
static long long median(const struct figures *f, size_t offset)
{
    long long *values = malloc((f->count + 1) * sizeof *values), middle;
    if (!values)
        die("stops");
    for (size_t i = 0; i < f->count; i++)
        memcpy(&values[i], (const char *)&f->list[i] + offset, sizeof *values);
    qsort(values, f->count, sizeof *values, ascending);
    middle = f->count ? values[(f->count - 1) / 2] : 0;
    free(values);
    return middle;
}

static void print(const char *name, const struct figures *f)
{
    long long sum = 0;
    size_t full = 0;
    for (size_t i = 0; i < f->count; i++) {
        sum += f->list[i].total;
        full += f->list[i].full;
    }
    printf("%s %zu %lld %lld %lld %lld %zu\n", name, f->count,
           median(f, offsetof(struct sums, reaching)), median(f, offsetof(struct sums, at)),
           median(f, offsetof(struct sums, total)), f->count ? sum / (long long)f->count : 0, full);
}

int main(int argc, char **argv)
{
    struct figures ixor = {0}, all = {0}, two = {0}, jcmd = {0};
    if (argc != 6) {
        fprintf(stderr, "usage: stops SAFEPOINTS BARE SNAPSHOTS FROM TO\n");
        return 2;
    }
    from = strtoll(argv[4], NULL, 10);
    to = strtoll(argv[5], NULL, 10);
    each_line(argv[1], read_stop);
    each_line(argv[2], read_call);
    each_line(argv[3], read_packet);
    settle_calls(&all, &two);
    settle_packets(&ixor);
    settle_dumps(&jcmd);
    print("ixor", &ixor);
    print("bare", &all);
    print("floor", &two);
    print("jcmd", &jcmd);
    printf("dropped %zu\n", dropped);
    return 0;
}
