/* Prints a trace log plainly, for end-to-end tests: an independent user of the reader.
 *
 *   meta <TAB> KEY <TAB> VALUE
 *   packet <TAB> NUMBER <TAB> MONO <TAB> REAL <TAB> STOP <TAB> MISSED <TAB> THREADS
 *   thread <TAB> PACKET <TAB> NAME <TAB> START <TAB> GROUP <TAB> PARENT <TAB> daemon|user
 *          <TAB> PRIORITY <TAB> STATE (hex) <TAB> ID <TAB> FRAMES
 *   torn <TAB> HOW
 * FRAMES: Class.method(descriptor)ret:line, executing first, separated by blanks, then "[cut]" if
 * the callers are unknown. Meta lines come last, when all of them are known.
 */
#include <stdio.h>

#include "schema/tracelog_reader.h"

static void print_stack(const struct ix_log_reader *r, uint32_t stack)
{
    const char *separator = "";
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(r, stack)) {
        struct ix_frame frame = ix_log_frame_at(r, ix_log_stack_frame(r, stack));
        struct ix_method method = ix_log_method_at(r, frame.method);
        printf("%s%s.%s%s:%d", separator, ix_log_class_at(r, method.class_number).name,
               method.name, method.descriptor, frame.line);
        separator = " ";
    }
    if (stack == IX_STACK_CUT)
        printf("%s[cut]", separator);
}

static void print_snapshot(const struct ix_log_reader *r, const struct ix_snapshot *s)
{
    printf("packet\t%llu\t%lld\t%lld\t%llu\t%llu\t%zu\n", (unsigned long long)s->packet,
           (long long)s->mono_ns, (long long)s->real_ns, (unsigned long long)s->stop_ns,
           (unsigned long long)s->missed, s->count);
    for (size_t i = 0; i < s->count; i++) {
        struct ix_thread t = ix_log_thread_at(r, s->entries[i].thread);
        printf("thread\t%llu\t%s\t%llu\t%s\t%s\t%s\t%d\t%x\t%llu\t", (unsigned long long)s->packet,
               t.name, (unsigned long long)t.start, t.group, t.parent,
               t.flags & IX_THREAD_DAEMON ? "daemon" : "user", t.priority, s->entries[i].state,
               (unsigned long long)t.id);
        print_stack(r, s->entries[i].stack);
        putchar('\n');
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
    while ((got = ix_log_next(r, &snapshot, &err)) > 0)
        print_snapshot(r, &snapshot);
    for (size_t i = 0; ix_log_meta_at(r, i, &key, &value); i++)
        printf("meta\t%s\t%s\n", key, value);
    if (got < 0)
        fprintf(stderr, "logcat: %s\n", err.text);
    else if (ix_log_torn(r))
        printf("torn\t%s\n", ix_log_torn(r));
    ix_log_reader_close(r);
    return got < 0;
}
