#include "schema/tracelog_writer_internal.h"

/* So that a list with its counts stays below what a record may hold. */
#define LIST_MAX (IX_LOG_PAYLOAD_MAX - 64)

int ix_log_virtual(struct ix_log_writer *w, uint64_t hidden)
{
    if (w->failed)
        return -1;
    w->facts.has_virtual = true;
    w->facts.virtual_hidden = hidden;
    return 0;
}

int ix_log_process(struct ix_log_writer *w, const struct ix_process *process)
{
    if (w->failed)
        return -1;
    w->facts.has_process = true;
    w->facts.process = *process;
    return 0;
}

static int check_lock(struct ix_log_writer *w, const struct ix_lock *lock)
{
    if (lock->thread - 1 >= w->thread_count)
        return ix_writer_refuse(w, "a lock of thread %u, which is not defined", lock->thread);
    if (lock->class_number - 1 >= w->classes.count)
        return ix_writer_refuse(w, "a lock on class %u, which is not defined",
                                lock->class_number);
    if (lock->object == 0)
        return ix_writer_refuse(w, "a lock on object 0");
    if ((unsigned)lock->kind > IX_LOCK_WAITS || lock->depth < -1)
        return ix_writer_refuse(w, "a lock of kind %u at depth %d", (unsigned)lock->kind,
                                lock->depth);
    if (w->facts.locks.len > LIST_MAX - 50)
        return ix_writer_refuse(w, "more locks than a record holds");
    return 0;
}

int ix_log_lock(struct ix_log_writer *w, const struct ix_lock *lock)
{
    if (w->failed || check_lock(w, lock) < 0)
        return -1;
    ix_put_lock(&w->facts, lock);
    return w->facts.locks.failed ? ix_writer_fail_memory(w) : 0;
}

static int check_exception(struct ix_log_writer *w, const struct ix_exception *exception)
{
    if (exception->thread > w->thread_count)
        return ix_writer_refuse(w, "an exception of thread %u, which is not defined",
                                exception->thread);
    if (exception->class_number - 1 >= w->classes.count)
        return ix_writer_refuse(w, "an exception of class %u, which is not defined",
                                exception->class_number);
    if (exception->frame - 1 >= w->frames.count)
        return ix_writer_refuse(w, "an exception in frame %u, which is not defined",
                                exception->frame);
    if (exception->count == 0)
        return ix_writer_refuse(w, "an exception that was never thrown");
    if (w->facts.exceptions.len > LIST_MAX - 50)
        return ix_writer_refuse(w, "more exceptions than a record holds");
    return 0;
}

int ix_log_exception(struct ix_log_writer *w, const struct ix_exception *exception)
{
    if (w->failed || check_exception(w, exception) < 0)
        return -1;
    ix_put_exception(&w->facts, exception);
    return w->facts.exceptions.failed ? ix_writer_fail_memory(w) : 0;
}

int ix_log_exceptions_dropped(struct ix_log_writer *w, uint64_t dropped)
{
    if (w->failed)
        return -1;
    w->facts.exceptions_dropped = dropped;
    return 0;
}

int ix_writer_stage_facts(struct ix_log_writer *w)
{
    for (uint8_t type = IX_FACT_FIRST; type <= IX_FACT_LAST; type++) {
        ix_out_clear(&w->snapshot);
        if (!ix_put_facts(&w->snapshot, type, &w->facts))
            continue;
        if (w->snapshot.failed)
            return ix_writer_fail_memory(w);
        ix_output_record(&w->output, type, &w->snapshot);
    }
    return w->output.ready.failed ? ix_writer_fail_memory(w) : 0;
}
