/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a trace log plainly, for end-to-end tests: an independent user of the reader. Fields are
 * separated by tabs:
 *
 *   meta        KEY VALUE           last, when all of them are known
 *   part        NUMBER              before its packets; only of a log that has several
 *   packet      NUMBER MONO REAL STOP MISSED THREADS
 *   thread      PACKET NAME START GROUP PARENT daemon|user PRIORITY STATE(hex) ID FRAMES
 *               virtual|platform
 *   virtual     PACKET HIDDEN
 *   started     PACKET THREAD FRAMES
 *   turns       PACKET THREAD TIMES
 *   called      PACKET CLASS.METHOD TIMES, with + if not all are counted from then on
 *   traffic     PACKET LOCAL REMOTE SENT RECEIVED SENT-BYTES RECEIVED-BYTES UNREAD
 *               unknown|here|there
 *   process     PACKET CPU-NS RSS-BYTES DESCRIPTORS GC-COUNT GC-NS
 *   lock        PACKET THREAD owns|enters|waits|parked|owns-synchronizer OBJECT CLASS DEPTH
 *   exception   PACKET THREAD CLASS FRAME COUNT
 *   dropped     PACKET EXCEPTIONS
 *   first       PACKET THREAD CLASS FRAMES
 *   firsts-dropped PACKET EXCEPTIONS
 *   wait        PACKET THREAD read|write|accept|connect|poll LOCAL REMOTE
 *   socket      PACKET THREAD closed|open|listens LOCAL REMOTE
 *   join        PACKET THREAD JOINED-THREAD
 *   connections PACKET FLAGS
 *   torn        HOW
 *
 * THREAD is its id, and the PACKET of exceptions after the last packet is 0. FRAMES are
 * Class.method(descriptor)ret:line, executing first, separated by blanks, then "[cut]" if the
 * callers are unknown. In names, control characters are written \xNN, a backslash \\, and in those
 * of frames a blank \s.
 */
#include <stdio.h>
#include <string.h>

#include "schema/tracelog/reader.h"

static void print_text(const char *text, bool frame)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 0x7f)
            printf("\\x%02X", c);
        else if (c == '\\' || (c == ' ' && frame))
            fputs(c == ' ' ? "\\s" : "\\\\", stdout);
        else
            putchar(c);
    }
}

static void print_frame(const struct ix_log_reader *r, uint32_t number)
{
    struct ix_frame frame = ix_log_frame_at(r, number);
    struct ix_method method = ix_log_method_at(r, frame.method);
    print_text(ix_log_class_at(r, method.class_number).name, true);
    putchar('.');
    print_text(method.name, true);
    printf("%s:%d", method.descriptor, frame.line);
}

static void print_stack(const struct ix_log_reader *r, uint32_t stack)
{
    const char *separator = "";
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(r, stack)) {
        fputs(separator, stdout);
        print_frame(r, ix_log_stack_frame(r, stack));
        separator = " ";
    }
    if (stack == IX_STACK_CUT)
        printf("%s[cut]", separator);
}

static unsigned long long id_of(const struct ix_log_reader *r, uint32_t thread)
{
    return thread ? ix_log_thread_at(r, thread).id : 0;
}

static void print_connections(const struct ix_log_reader *r, unsigned long long packet,
                              const struct ix_connections *c)
{
    static const char *const kinds[] = {"read", "write", "accept", "connect", "poll"};
    static const char *const states[] = {"closed", "open", "listens"};
    for (size_t i = 0; i < c->wait_count; i++)
        printf("wait\t%llu\t%llu\t%s\t%s\t%s\n", packet, id_of(r, c->waits[i].thread),
               kinds[c->waits[i].kind], c->waits[i].local, c->waits[i].remote);
    for (size_t i = 0; i < c->change_count; i++)
        printf("socket\t%llu\t%llu\t%s\t%s\t%s\n", packet, id_of(r, c->changes[i].thread),
               states[c->changes[i].state], c->changes[i].local, c->changes[i].remote);
    for (size_t i = 0; i < c->join_count; i++)
        printf("join\t%llu\t%llu\t%llu\n", packet, id_of(r, c->joins[i].thread),
               id_of(r, c->joins[i].joined));
    if (c->flags)
        printf("connections\t%llu\t%u\n", packet, c->flags);
}

static void print_exceptions(const struct ix_log_reader *r, unsigned long long packet)
{
    const struct ix_facts f = ix_log_facts(r);
    for (size_t i = 0; i < f.exception_count; i++) {
        printf("exception\t%llu\t%llu\t%s\t", packet, id_of(r, f.exceptions[i].thread),
               ix_log_class_at(r, f.exceptions[i].class_number).name);
        print_frame(r, f.exceptions[i].frame);
        printf("\t%llu\n", (unsigned long long)f.exceptions[i].count);
    }
    if (f.exceptions_dropped)
        printf("dropped\t%llu\t%llu\n", packet, (unsigned long long)f.exceptions_dropped);
    for (size_t i = 0; i < f.first_count; i++) {
        printf("first\t%llu\t%llu\t%s\t", packet, id_of(r, f.firsts[i].thread),
               ix_log_class_at(r, f.firsts[i].class_number).name);
        print_stack(r, f.firsts[i].stack);
        putchar('\n');
    }
    if (f.firsts_dropped)
        printf("firsts-dropped\t%llu\t%llu\n", packet, (unsigned long long)f.firsts_dropped);
}

static void print_starters(const struct ix_log_reader *r, unsigned long long packet,
                           const struct ix_facts *f)
{
    for (size_t i = 0; i < f->starter_count; i++) {
        printf("started\t%llu\t%llu\t", packet, id_of(r, f->starters[i].thread));
        print_stack(r, f->starters[i].stack);
        putchar('\n');
    }
}

static void print_turns(const struct ix_log_reader *r, unsigned long long packet,
                        const struct ix_facts *f)
{
    for (size_t i = 0; i < f->turn_count; i++)
        printf("turns\t%llu\t%llu\t%llu\n", packet, id_of(r, f->turns[i].thread),
               (unsigned long long)f->turns[i].turns);
}

static void print_called(const struct ix_log_reader *r, unsigned long long packet,
                         const struct ix_facts *f)
{
    for (size_t i = 0; i < f->invocation_count; i++) {
        const struct ix_method m = ix_log_method_at(r, f->invocations[i].method);
        printf("called\t%llu\t%s.%s\t%llu%s\n", packet, ix_log_class_at(r, m.class_number).name,
               m.name, (unsigned long long)f->invocations[i].count,
               f->invocations[i].at_least ? "+" : "");
    }
}

static void print_covered(const struct ix_log_reader *r, unsigned long long packet,
                          const struct ix_facts *f)
{
    for (size_t i = 0; i < f->covered_count; i++) {
        const struct ix_frame at = ix_log_frame_at(r, f->covered[i].frame);
        const struct ix_method m = ix_log_method_at(r, at.method);
        printf("covered\t%llu\t%s.%s\t%d\t%u\n", packet, ix_log_class_at(r, m.class_number).name,
               m.name, at.line, f->covered[i].block);
    }
}

static void print_pauses(const struct ix_log_reader *r, unsigned long long packet,
                         const struct ix_facts *f)
{
    for (size_t i = 0; i < f->pause_count; i++) {
        const struct ix_frame at = ix_log_frame_at(r, f->pauses[i].frame);
        const struct ix_method m = ix_log_method_at(r, at.method);
        printf("pause\t%llu\t%s.%s\t%d\t%u\t%llu\n", packet,
               ix_log_class_at(r, m.class_number).name, m.name, at.line, f->pauses[i].block,
               (unsigned long long)f->pauses[i].packets);
    }
}

static void print_traffic(unsigned long long packet, const struct ix_facts *f)
{
    static const char *const last[] = {"unknown", "here", "there"};
    for (size_t i = 0; i < f->traffic_count; i++) {
        const struct ix_traffic *t = &f->traffic[i];
        printf("traffic\t%llu\t%s\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\n", packet, t->local,
               t->remote, (unsigned long long)t->sent, (unsigned long long)t->received,
               (unsigned long long)t->sent_bytes, (unsigned long long)t->received_bytes,
               (unsigned long long)t->unread, last[t->last]);
    }
}

static void print_facts(const struct ix_log_reader *r, unsigned long long packet)
{
    static const char *const kinds[] = {"owns", "enters", "waits", "parked", "owns-synchronizer"};
    const struct ix_facts f = ix_log_facts(r);
    if (f.has_virtual)
        printf("virtual\t%llu\t%llu\n", packet, (unsigned long long)f.virtual_hidden);
    if (f.has_process)
        printf("process\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n", packet,
               (unsigned long long)f.process.cpu_ns, (unsigned long long)f.process.rss_bytes,
               (unsigned long long)f.process.descriptors, (unsigned long long)f.process.gc_count,
               (unsigned long long)f.process.gc_ns);
    print_starters(r, packet, &f);
    print_turns(r, packet, &f);
    print_called(r, packet, &f);
    print_covered(r, packet, &f);
    print_pauses(r, packet, &f);
    print_traffic(packet, &f);
    for (size_t i = 0; i < f.lock_count; i++)
        printf("lock\t%llu\t%llu\t%s\t%llu\t%s\t%d\n", packet, id_of(r, f.locks[i].thread),
               kinds[f.locks[i].kind], (unsigned long long)f.locks[i].object,
               ix_log_class_at(r, f.locks[i].class_number).name, f.locks[i].depth);
    print_exceptions(r, packet);
    print_connections(r, packet, &f.connections);
}

/* Says which part the snapshot is from where that is another one than before. */
static void print_part(const struct ix_log_reader *r)
{
    static const char *last;
    const char *part = ix_log_meta_value(r, IX_LOG_PART_KEY);
    if (part == last)
        return;
    if (!last && strcmp(part, "2") == 0)
        puts("part\t1"); /* told late: it did not say so itself */
    last = part;
    printf("part\t%s\n", part);
}

static void print_snapshot(const struct ix_log_reader *r, const struct ix_snapshot *s)
{
    printf("packet\t%llu\t%lld\t%lld\t%llu\t%llu\t%zu\n", (unsigned long long)s->packet,
           (long long)s->mono_ns, (long long)s->real_ns, (unsigned long long)s->stop_ns,
           (unsigned long long)s->missed, s->count);
    for (size_t i = 0; i < s->count; i++) {
        struct ix_thread t = ix_log_thread_at(r, s->entries[i].thread);
        printf("thread\t%llu\t", (unsigned long long)s->packet);
        print_text(t.name, false);
        printf("\t%llu\t%s\t%s\t%s\t%d\t%x\t%llu\t", (unsigned long long)t.start, t.group, t.parent,
               t.flags & IX_THREAD_DAEMON ? "daemon" : "user", t.priority, s->entries[i].state,
               (unsigned long long)t.id);
        print_stack(r, s->entries[i].stack);
        printf("\t%s\n", t.flags & IX_THREAD_VIRTUAL ? "virtual" : "platform");
    }
}

int main(int argc, char **argv)
{
    struct ix_error err;
    struct ix_snapshot snapshot;
    const char *key, *value;
    if (argc != 2) {
        fputs("usage: logcat LOG\n", stderr);
        return 2;
    }
    struct ix_log_reader *r = ix_log_open(argv[1], &err);
    if (!r) {
        fprintf(stderr, "logcat: %s\n", err.text);
        return 1;
    }
    int got;
    while ((got = ix_log_next(r, &snapshot, &err)) > 0) {
        print_part(r);
        print_snapshot(r, &snapshot);
        print_facts(r, snapshot.packet);
    }
    const struct ix_facts rest = ix_log_facts(r);
    if (got == 0)
        print_exceptions(r, 0);
    if (got == 0)
        print_called(r, 0, &rest);
    print_covered(r, 0, &rest);
    for (size_t i = 0; ix_log_meta_at(r, i, &key, &value); i++)
        printf("meta\t%s\t%s\n", key, value);
    if (got < 0)
        fprintf(stderr, "logcat: %s\n", err.text);
    else if (ix_log_torn(r))
        printf("torn\t%s\n", ix_log_torn(r));
    ix_log_reader_close(r);
    return got < 0;
}
