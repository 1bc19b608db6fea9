/* SPDX-License-Identifier: Apache-2.0 */
/* The lengths of a JVM's stops, separated by which thread requested them.
 *
 *   stops SAFEPOINTS BARE SNAPSHOTS FROM TO released|walked
 *
 * SAFEPOINTS: -Xlog:safepoint,vmoperation=debug:file=...:tn, with times of the monotonic clock:
 * when an operation began and ended and which thread requested it, then a line about its safepoint.
 * BARE: the output of bench/agent/bare.c. SNAPSHOTS: "BEGIN STOP" for each packet of the agent,
 * both in ns. Only what lies between FROM and TO counts.
 *
 * Each call of the bare agent contains one stop that its own thread requested; that thread is found
 * from the calls that contain only one stop. All other stops of the same kind are the real agent's:
 * from the end of one packet to the end of the next, they belong to the latter, whether they walk
 * some or all threads, and even if repeated.
 *
 * `released`: a stop lasts until the JVM reports its end (Total). The JVM's own thread reports this
 * after waking the threads: if they leave it no core, that is many milliseconds later. `walked`:
 * until the operation ended, when the JVM starts releasing the threads.
 *
 * Prints a line each for ixor, bare, floor and jcmd: NAME COUNT REACHING AT TOTAL MEAN FULL:
 * medians of the time until all threads had stopped, of the time they were held, and from the
 * request to the release; the mean of the latter; all in ns; and how many had a full walk. jcmd's
 * figures are sums over the operations of one dump. The last line is "dropped N": packets and calls
 * without a stop. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { ALL, SOME, DUMP, DUMP_MORE, KINDS };
static const char *const names[] = {"GetAllStackTraces", "GetThreadListStackTraces", "PrintThreads",
                                    "PrintJNI", "FindDeadlocks"};
static const enum kind kinds[] = {ALL, SOME, DUMP, DUMP_MORE, DUMP_MORE};
enum { NAMES = sizeof names / sizeof *names };

struct stop {
    long long walked; /* end of the operation */
    long long reaching, at, total;
    unsigned long long thread; /* the thread that requested it */
    enum kind kind;
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
static bool until_walked;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Makes room for one more element; grows at powers of two. */
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
    return at ? strtoll(at + strlen(label), NULL, 0) : 0;
}

/* The kind of operation whose name is between `before` and `behind` in the line. */
static enum kind kind_of(const char *line, const char *before, const char *behind)
{
    char whole[64];
    for (int n = 0; n < NAMES; n++) {
        snprintf(whole, sizeof whole, "%s%s%s", before, names[n], behind);
        if (strstr(line, whole))
            return kinds[n];
    }
    return KINDS;
}

static long long stamp(const char *line)
{
    return strtoll(line + (*line == '['), NULL, 10);
}

/* The last operation that ended before a safepoint's line and is of its kind, is its own. */
static void read_stop(const char *line)
{
    static struct stop operation;
    if (strstr(line, "end VM_Operation")) {
        operation.walked = stamp(line);
        operation.kind = kind_of(line, ": ", ",");
        operation.thread = (unsigned long long)after(line, "requested by thread ");
        return;
    }
    struct stop s = {.walked = operation.walked,
                     .reaching = after(line, "Reaching safepoint: "),
                     .at = after(line, "At safepoint: "),
                     .total = after(line, "Total: "),
                     .kind = kind_of(line, "\"", "\""),
                     .thread = operation.thread};
    if (s.kind == KINDS || s.kind != operation.kind)
        return;
    if (until_walked) {
        s.total -= stamp(line) - s.walked;
        s.at = s.total - s.reaching - after(line, "Cleanup: ");
    }
    stops = more(stops, stop_count, sizeof *stops);
    stops[stop_count++] = s;
}

static void read_call(const char *line)
{
    struct span c = {.kind = strncmp(line, "all", 3) ? SOME : ALL};
    if (sscanf(line, "%*s %lld %lld", &c.begin, &c.end) != 2)
        return;
    calls = more(calls, call_count, sizeof *calls);
    calls[call_count++] = c;
}

/* Counted from the end of the previous packet. */
static void read_packet(const char *line)
{
    static long long before;
    long long begin, stop;
    if (sscanf(line, "%lld %lld", &begin, &stop) != 2)
        return;
    const struct span p = {.begin = before, .end = begin + stop};
    before = p.end;
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
    return s->walked > span->begin && s->walked <= span->end;
}

static bool counts(const struct span *span)
{
    return span->begin >= from && span->end <= to;
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

/* The first stop in the span; sets `*another` if there is more than one. */
static const struct stop *first_within(const struct span *span, bool *another)
{
    const struct stop *found = NULL;
    *another = false;
    for (size_t i = 0; i < stop_count; i++) {
        if (!within(&stops[i], span))
            continue;
        *another = found != NULL;
        if (found)
            break;
        found = &stops[i];
    }
    return found;
}

/* The thread named by most of the calls with exactly one stop; 0 if there are none. */
static unsigned long long bare_thread(void)
{
    unsigned long long thread = 0;
    size_t votes = 0; /* Boyer-Moore majority vote */
    for (size_t c = 0; c < call_count; c++) {
        bool another;
        const struct stop *own = first_within(&calls[c], &another);
        if (!own || another)
            continue;
        if (votes == 0)
            thread = own->thread;
        votes = own->thread == thread ? votes + 1 : votes - 1;
    }
    return thread;
}

static void settle_calls(unsigned long long bare, struct figures *all, struct figures *two)
{
    for (size_t c = 0; c < call_count; c++) {
        const bool full = calls[c].kind == ALL;
        size_t i = 0;
        if (!counts(&calls[c]))
            continue;
        while (i < stop_count && !(stops[i].thread == bare && within(&stops[i], &calls[c])))
            i++;
        if (i == stop_count)
            dropped++;
        else
            add(full ? all : two,
                &(struct sums){stops[i].reaching, stops[i].at, stops[i].total, full});
    }
}

static void settle_packets(unsigned long long bare, struct figures *ixor)
{
    for (size_t p = 0; p < packet_count; p++) {
        struct sums sums = {0};
        bool any = false;
        if (!counts(&packets[p]))
            continue;
        for (size_t i = 0; i < stop_count; i++) {
            const struct stop *s = &stops[i];
            if (s->kind > SOME || s->thread == bare || !within(s, &packets[p]))
                continue;
            any = true;
            add_up(&sums, s);
        }
        if (any)
            add(ixor, &sums);
        else
            dropped++;
    }
}

static void settle_dumps(struct figures *jcmd)
{
    for (size_t i = 0; i < stop_count; i++) {
        if (stops[i].walked < from || stops[i].walked > to)
            continue;
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

/* Of the values at `offset` in each; with an even count, the lower middle one. */
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
    until_walked = argc == 7 && strcmp(argv[6], "walked") == 0;
    if (argc != 7 || (!until_walked && strcmp(argv[6], "released") != 0)) {
        fprintf(stderr, "usage: stops SAFEPOINTS BARE SNAPSHOTS FROM TO released|walked\n");
        return 2;
    }
    from = strtoll(argv[4], NULL, 10);
    to = strtoll(argv[5], NULL, 10);
    each_line(argv[1], read_stop);
    each_line(argv[2], read_call);
    each_line(argv[3], read_packet);
    const unsigned long long bare = bare_thread();
    settle_calls(bare, &all, &two);
    settle_packets(bare, &ixor);
    settle_dumps(&jcmd);
    print("ixor", &ixor);
    print("bare", &all);
    print("floor", &two);
    print("jcmd", &jcmd);
    printf("dropped %zu\n", dropped);
    return 0;
}
