/* SPDX-License-Identifier: Apache-2.0 */
/* mpi.h implemented with MPI. Messages are small except for the sums; tags give their kind.
 * Waiting polls with sleeps in between, because MPI's own waiting occupies a processor that
 * another process, or this one's threads, can use. On an error in MPI itself, MPI aborts all
 * processes. */
#include <mpi.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/base/status.h"
#include "roxi/base/text_escape.h"
#include "roxi/mpi/launch.h"
#include "roxi/mpi/mpi.h"

enum tag { REPORT = 1, VERDICT, CALL, ASK, ITEM };

/* The longest interval between two polls, in microseconds: while computing, and while idle. */
enum { SOON = 200, LATER = 5000 };

/* How many doubles are summed at a time: 32 MiB. */
enum { SUMMED = 1 << 22 };

/* What a process sends to process 0 once, before anything is computed. */
struct report {
    enum { SEES, FAILED, LEAVES } kind;
    uint64_t program, arguments;
    struct roxi_view view;
    char host[64], message[sizeof(struct ix_error)];
};

struct answer {
    bool more;
    struct roxi_work_item item;
};

static struct {
    int size, mine, threads;
    uint64_t program, arguments; /* hashes of what this process runs */
    FILE *errors;                /* the real stderr; processes other than 0 silence stderr */
    bool met;                    /* the reports have been exchanged */
    bool on_call;                /* processes other than 0 wait, or will wait, to be called */
    bool open;                   /* a round has begun and its sum is still to come */
    pthread_t server;
    atomic_bool give_up;
    roxi_take *take;
    void *user;
} self = {.size = 1};

/* ---- waiting ---- */

static void sleep_a_while(unsigned *us, unsigned most)
{
    nanosleep(&(struct timespec){.tv_nsec = *us * 1000L}, NULL);
    *us = *us * 2 < most ? *us * 2 : most;
}

static void await(MPI_Request *request, unsigned most)
{
    unsigned us = 10;
    for (;;) {
        int done;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        sleep_a_while(&us, most);
    }
}

static void send_to(int process, enum tag tag, const void *bytes, size_t len, unsigned most)
{
    MPI_Request request;
    MPI_Isend(bytes, (int)len, MPI_BYTE, process, tag, MPI_COMM_WORLD, &request);
    await(&request, most);
}

static void receive_from(int process, enum tag tag, void *bytes, size_t len, unsigned most)
{
    MPI_Request request;
    MPI_Irecv(bytes, (int)len, MPI_BYTE, process, tag, MPI_COMM_WORLD, &request);
    await(&request, most);
}

static void meet(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    await(&request, LATER);
}

/* ---- the beginning ---- */

/* Hash of the program's file; 0: it cannot be read. */
static uint64_t hash_program(void)
{
    struct stat s;
    uint64_t hash = 0;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (fstat(fd, &s) == 0) {
        void *view = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (view != MAP_FAILED) {
            hash = XXH3_64bits(view, (size_t)s.st_size);
            munmap(view, (size_t)s.st_size);
        }
    }
    close(fd);
    return hash;
}

static uint64_t hash_arguments(int argc, char **argv)
{
    uint64_t hash = (uint64_t)argc;
    for (int i = 1; i < argc; i++)
        hash = XXH3_64bits_withSeed(argv[i], strlen(argv[i]), hash);
    return hash;
}

/* Processes on this machine that may use the same processor share it. */
static void divide_processors(void)
{
#ifdef _OPENMP
    MPI_Comm here;
    cpu_set_t mine;
    int processes;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &processes);
    cpu_set_t *all = calloc((size_t)processes, sizeof *all);
    if (all) {
        double threads = 1e-6; /* against rounding errors */
        MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, here);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
            int sharing = 0;
            for (int r = 0; r < processes; r++)
                sharing += CPU_ISSET(cpu, &all[r]) != 0;
            threads += CPU_ISSET(cpu, &mine) ? 1.0 / sharing : 0;
        }
        if (!getenv("OMP_NUM_THREADS"))
            omp_set_num_threads(threads < 1 ? 1 : (int)threads);
    }
    free(all);
    MPI_Comm_free(&here);
#endif
}

static void count_threads(void)
{
    int mine = 1;
#ifdef _OPENMP
    mine = omp_get_max_threads();
#endif
    MPI_Allreduce(&mine, &self.threads, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Processes other than 0 would print the same as process 0. */
static void be_silent(void)
{
    FILE *nothing = fopen("/dev/null", "we");
    if (nothing)
        stdout = stderr = nothing;
}

int roxi_mpi_start(int argc, char **argv, struct ix_error *err)
{
    const struct roxi_launch launch = roxi_launched();
    int threads;
    self.errors = stderr;
    if (launch.count == 1)
        return 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
    MPI_Comm_size(MPI_COMM_WORLD, &self.size);
    MPI_Comm_rank(MPI_COMM_WORLD, &self.mine);
    if ((unsigned)self.size != launch.count) {
        MPI_Finalize();
        self.size = 1;
        return launch.mine ? 1
                           : ix_fail(err,
                                     "started %u times at once, but not by the mpirun of the Open "
                                     "MPI that this roxi was built with; use that one",
                                     launch.count);
    }
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* mpirun prints lines of its own between our writes */
    if (self.mine != 0)
        be_silent();
    if (threads < MPI_THREAD_SERIALIZED)
        return ix_fail(err, "this MPI was built without threads");
    self.program = hash_program();
    self.arguments = hash_arguments(argc, argv);
    divide_processors();
    count_threads();
    return 0;
}

unsigned roxi_mpi_processes(void)
{
    return (unsigned)self.size;
}

unsigned roxi_mpi_process(void)
{
    return (unsigned)self.mine;
}

unsigned roxi_mpi_threads(void)
{
    return (unsigned)self.threads;
}

/* ---- agreeing ---- */

static void send_report(int kind, const struct roxi_view *view, const char *message)
{
    struct report r = {.kind = kind, .program = self.program, .arguments = self.arguments};
    if (view)
        r.view = *view;
    gethostname(r.host, sizeof r.host - 1);
    snprintf(r.message, sizeof r.message, "%s", message);
    self.met = true;
    send_to(0, REPORT, &r, sizeof r, LATER);
}

static int judge(int process, const struct report *r, const struct roxi_view *mine,
                 struct ix_error *err)
{
    static const char again[] = "is the campaign being written to, another one there, or a log not "
                                "readable? Start again when it is complete, where all can read it";
    if (r->program != self.program)
        return ix_fail(err, "MPI process %d, on %s, runs another build of roxi than process 0",
                       process, r->host);
    if (r->arguments != self.arguments || r->kind == LEAVES)
        return ix_fail(err, "MPI process %d, on %s, has other arguments than process 0", process,
                       r->host);
    if (r->kind == FAILED)
        return ix_fail(err, "MPI process %d, on %s: %s", process, r->host, r->message);
    if (r->view.executions != mine->executions)
        return ix_fail(err, "MPI process %d, on %s, sees %llu runs, and process 0 sees %llu: %s",
                       process, r->host, (unsigned long long)r->view.executions,
                       (unsigned long long)mine->executions, again);
    if (r->view.prints != mine->prints)
        return ix_fail(
            err, "MPI process %d, on %s, sees other call stacks in the runs than process 0: %s",
            process, r->host, again);
    if (r->view.order != mine->order)
        return ix_fail(err,
                       "MPI process %d, on %s, has read the runs in another order than process 0",
                       process, r->host);
    return 0;
}

/* Receives all reports and sends the verdict to their senders; *err describes the first
 * difference. Without a view of its own, process 0 rejects in any case and leaves *err unchanged.
 */
static int take_reports(const struct roxi_view *mine, struct ix_error *err)
{
    bool *told = calloc((size_t)self.size, sizeof *told);
    int result = told ? mine ? 0 : -1 : ix_fail(err, "out of memory");
    struct report r;
    self.met = true;
    for (int process = 1; told && process < self.size; process++) {
        receive_from(process, REPORT, &r, sizeof r, LATER);
        r.host[sizeof r.host - 1] = r.message[sizeof r.message - 1] = '\0';
        told[process] = r.kind != SEES;
        if (result == 0)
            result = judge(process, &r, mine, err);
    }
    const bool good = result == 0;
    for (int process = 1; told && process < self.size; process++)
        if (!told[process])
            send_to(process, VERDICT, &good, sizeof good, LATER);
    self.on_call = good;
    free(told);
    return result;
}

int roxi_mpi_agree(const struct roxi_view *mine, struct ix_error *err)
{
    if (self.size == 1)
        return mine ? 0 : -1;
    if (self.mine == 0)
        return mine ? take_reports(mine, err) : -1;
    bool good = false;
    send_report(mine ? SEES : FAILED, mine, mine ? "" : err->text);
    if (mine)
        receive_from(0, VERDICT, &good, sizeof good, LATER);
    self.on_call = good;
    if (!good)
        ix_fail(err, "%s", "");
    return good ? 0 : -1;
}

/* ---- rounds ---- */

/* Sends the number of bytes first; 0 means that the process is no longer needed. */
static void call_all(const void *bytes, uint64_t len)
{
    for (int process = 1; process < self.size; process++) {
        send_to(process, CALL, &len, sizeof len, SOON);
        if (len)
            send_to(process, CALL, bytes, len, SOON);
    }
}

void roxi_mpi_call(const void *bytes, size_t len)
{
    call_all(bytes, len);
}

bool roxi_mpi_called(void *bytes, size_t len)
{
    uint64_t sent;
    receive_from(0, CALL, &sent, sizeof sent, LATER);
    self.on_call = sent == len;
    if (self.on_call)
        receive_from(0, CALL, bytes, len, SOON);
    return self.on_call;
}

static void *serve(void *unused)
{
    (void)unused;
    unsigned us = 10;
    for (int left = self.size - 1; left > 0 && !atomic_load(&self.give_up);) {
        int asked;
        bool interrupted;
        MPI_Status from;
        MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &asked, &from);
        if (!asked) {
            sleep_a_while(&us, SOON);
            continue;
        }
        struct answer answer;
        us = 10;
        memset(&answer, 0, sizeof answer);
        MPI_Recv(&interrupted, 1, MPI_BYTE, from.MPI_SOURCE, ASK, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        answer.more = self.take(self.user, interrupted, &answer.item);
        MPI_Send(&answer, sizeof answer, MPI_BYTE, from.MPI_SOURCE, ITEM, MPI_COMM_WORLD);
        left -= !answer.more;
    }
    return NULL;
}

int roxi_mpi_serve(roxi_take *take, void *user, struct ix_error *err)
{
    if (self.size == 1)
        return 0;
    self.take = take;
    self.user = user;
    self.open = true;
    atomic_store(&self.give_up, false);
    const int failed = pthread_create(&self.server, NULL, serve, NULL);
    return failed ? ix_fail(err, "cannot start a thread: %s", strerror(failed)) : 0;
}

void roxi_mpi_served(bool give_up)
{
    if (self.size == 1)
        return;
    atomic_store(&self.give_up, give_up);
    pthread_join(self.server, NULL);
}

bool roxi_mpi_ask(bool interrupted, struct roxi_work_item *item)
{
    struct answer answer;
    self.open = true;
    send_to(0, ASK, &interrupted, 1, SOON);
    receive_from(0, ITEM, &answer, sizeof answer, SOON);
    *item = answer.item;
    return answer.more;
}

void roxi_mpi_sum(double *cells, size_t n)
{
    if (self.size == 1)
        return;
    meet(); /* MPI's sum occupies a processor while it waits for the others */
    for (size_t at = 0; at < n; at += SUMMED) {
        const int some = n - at < SUMMED ? (int)(n - at) : SUMMED;
        MPI_Reduce(self.mine == 0 ? MPI_IN_PLACE : cells + at, self.mine == 0 ? cells + at : NULL,
                   some, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    self.open = false;
}

/* ---- the end ---- */

static void abort_all(int status)
{
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

static void end_first(int status)
{
    struct ix_error ignored;
    /* All processes notice wrong use at once; they may not all notice other failures. */
    if (status != ROXI_OK && (self.open || (!self.met && status != ROXI_USAGE)))
        abort_all(status);
    if (!self.met)
        take_reports(NULL, &ignored);
    if (self.on_call)
        call_all(NULL, 0);
}

static void end_other(int status, const char *command, const char *message)
{
    uint64_t len;
    if (!self.met) {
        send_report(status == ROXI_OK ? LEAVES : FAILED, NULL, message);
    } else if (status != ROXI_OK && message[0]) {
        char host[64] = "";
        gethostname(host, sizeof host - 1);
        fprintf(self.errors, "roxi %s: MPI process %d, on %s: ", command ? command : "", self.mine,
                host);
        text_print(self.errors, message);
        fputc('\n', self.errors);
        abort_all(status);
    }
    if (self.on_call) {
        receive_from(0, CALL, &len, sizeof len, LATER);
        if (len)
            abort_all(ROXI_FAILED); /* process 0 might wait for what this process did not finish */
    }
}

int roxi_mpi_end(int status, const char *command, const char *message)
{
    if (self.size == 1)
        return status;
    if (self.mine == 0)
        end_first(status);
    else
        end_other(status, command, message);
    meet();
    MPI_Finalize();
    return self.mine == 0 ? status : ROXI_OK;
}
