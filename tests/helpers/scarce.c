/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command again and again, each time with another allocation that fails
 * (tests/preload/scarce.c), first that one alone, then all later ones, too.
 *
 *   scarce -l LIBRARY [-n] [-s STEP] [-o FILE] [-i FILE] [-r RESET] [-c CHECK] -- COMMAND [ARG]...
 *
 *   -n        only counts
 *   -s STEP   every STEP-th allocation (1), and the first and last 5
 *   -o FILE   what the command makes: afterwards it is whole, as without failures, or not there
 *   -i FILE   is never changed
 *   -r RESET  shell command before each run
 *   -c CHECK  shell command after each run, which has to succeed; all later allocations have failed
 * if $SCARCE_ON is set
 *
 * The command has to end by itself, within 20 s, and either as without failures, standard output
 * included, or with status 1 and one line more than that on standard error, warnings left out.
 * Prints "ok ..." with the number of points, or "not ok ..." and a line for each bad one (20 at
 * most). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ENDS = 5, SECONDS = 20, SHOWN = 20 };

struct text {
    char *data; /* NULL: there is no such file */
    size_t size;
};

struct sweep {
    const char *library, *out, *intact, *reset, *check;
    unsigned long step;
    bool none;
    char **command;
    char printed[64], said[64], count[64]; /* temporary files */
    int want_status;
    struct text want_printed, want_out, want_intact;
    unsigned long said_else; /* lines on standard error with memory */
    unsigned long points, bad;
};

static void die(const char *what)
{
    fprintf(stderr, "scarce: %s: %s\n", what, strerror(errno));
    exit(2);
}

static struct text read_file(const char *path)
{
    struct text t = {0};
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f)
        return t;
    for (size_t cap = 0, got = 1; got;) {
        if (t.size + 65536 > cap && !(t.data = realloc(t.data, cap = 2 * cap + 131072)))
            die("memory");
        got = fread(t.data + t.size, 1, 65536, f);
        t.size += got;
    }
    fclose(f);
    return t;
}

static bool same(const char *path, const struct text *want)
{
    struct text t = read_file(path);
    const bool result = !t.data == !want->data && t.size == want->size &&
                        (t.size == 0 || memcmp(t.data, want->data, t.size) == 0);
    free(t.data);
    return result;
}

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
}

/* With allocation `at` failing, 0: none. The wait status. */
static int run(const struct sweep *s, unsigned long at, bool on)
{
    char number[32];
    int status;
    snprintf(number, sizeof number, "%lu", at);
    if (on)
        setenv("SCARCE_ON", "1", 1);
    else
        unsetenv("SCARCE_ON");
    if (s->out)
        unlink(s->out);
    if (s->reset && system(s->reset) != 0)
        die(s->reset);
    const pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        alarm(SECONDS);
        setenv("SCARCE_AT", number, 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        if (at == 0)
            setenv("SCARCE_COUNT", s->count, 1);
        redirect(s->printed, STDOUT_FILENO);
        redirect(s->said, STDERR_FILENO);
        setenv("LD_PRELOAD", s->library, 1);
        execv(s->command[0], s->command);
        _exit(126);
    }
    if (waitpid(pid, &status, 0) != pid)
        die("waitpid");
    return status;
}

/* Without roxi's warnings, of which there may be any number beside the error. */
static unsigned long lines_in(const char *path)
{
    static const char warning[] = "roxi: ";
    struct text t = read_file(path);
    unsigned long lines = 0;
    for (size_t i = 0, begin = 0; i < t.size; i++) {
        if (t.data[i] != '\n')
            continue;
        lines += i - begin < sizeof warning - 1 ||
                 memcmp(t.data + begin, warning, sizeof warning - 1) != 0;
        begin = i + 1;
    }
    free(t.data);
    return lines;
}

/* What is wrong with how a run ended; NULL: nothing. */
static const char *judge(const struct sweep *s, int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "it hangs" : strsignal(WTERMSIG(status));
    const bool failed = WEXITSTATUS(status) != s->want_status;
    const bool none = s->out && access(s->out, F_OK) != 0;
    if (failed && WEXITSTATUS(status) != 1)
        return "its exit status is neither 1 nor what it is with memory";
    const unsigned long lines = lines_in(s->said);
    if (failed && (lines == 0 || lines > s->said_else + 1))
        return "not one line on standard error";
    if (!failed && !same(s->printed, &s->want_printed))
        return "it went well, but printed something else";
    if (s->out && !(none && failed) && !same(s->out, &s->want_out))
        return none ? "it went well, but made no file" : "a file that is not whole";
    if (s->intact && !same(s->intact, &s->want_intact))
        return "a file that must not change has changed";
    if (s->check && system(s->check) != 0)
        return "the check afterwards fails";
    return NULL;
}

static void try_point(struct sweep *s, unsigned long at, bool on)
{
    const int status = run(s, at, on);
    const char *wrong = judge(s, status);
    s->points++;
    if (!wrong || ++s->bad > SHOWN)
        return;
    struct text said = read_file(s->said);
    printf("not ok allocation %lu%s: %s (%.*s)\n", at, on ? " and all later ones" : "", wrong,
           (int)(said.size < 200 ? said.size : 200), said.data ? said.data : "");
    free(said.data);
}

static unsigned long allocations(struct sweep *s)
{
    const int status = run(s, 0, false);
    s->want_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (s->want_status != 0 && s->want_status != 3) {
        struct text said = read_file(s->said);
        fprintf(stderr, "%.*s", (int)said.size, said.data ? said.data : "");
        errno = 0;
        die("the command fails without any failure of memory");
    }
    s->want_printed = read_file(s->printed);
    s->said_else = lines_in(s->said);
    s->want_out = read_file(s->out);
    s->want_intact = read_file(s->intact);
    struct text count = read_file(s->count);
    const unsigned long n = count.data ? strtoul(count.data, NULL, 10) : 0;
    free(count.data);
    if (n == 0)
        die("the library has counted nothing");
    return n;
}

static void parse(struct sweep *s, int argc, char **argv)
{
    for (int o; (o = getopt(argc, argv, "nl:s:o:i:r:c:")) != -1;) {
        switch (o) {
        case 'n':
            s->none = true;
            break;
        case 'l':
            s->library = optarg;
            break;
        case 's':
            s->step = strtoul(optarg, NULL, 10);
            break;
        case 'o':
            s->out = optarg;
            break;
        case 'i':
            s->intact = optarg;
            break;
        case 'r':
            s->reset = optarg;
            break;
        case 'c':
            s->check = optarg;
            break;
        default:
            exit(2);
        }
    }
    s->command = argv + optind;
    if (!s->library || !*s->command || s->step == 0) {
        fprintf(stderr, "scarce: -l LIBRARY and a command are needed\n");
        exit(2);
    }
}

/* The point after `at`: all of the first and the last ones, and some between. */
static unsigned long after(unsigned long at, unsigned long all, unsigned long step)
{
    const unsigned long last = all > AT_ENDS ? all - AT_ENDS + 1 : 1;
    if (at < AT_ENDS || at >= last)
        return at + 1;
    return at + step < last ? at + step : last;
}

int main(int argc, char **argv)
{
    struct sweep s = {.step = 1};
    parse(&s, argc, argv);
    snprintf(s.printed, sizeof s.printed, "/tmp/scarce-%d.out", (int)getpid());
    snprintf(s.said, sizeof s.said, "/tmp/scarce-%d.err", (int)getpid());
    snprintf(s.count, sizeof s.count, "/tmp/scarce-%d.count", (int)getpid());
    setvbuf(stdout, NULL, _IOLBF, 0);
    const unsigned long all = allocations(&s);
    for (int on = 0; on < 2 && !s.none; on++)
        for (unsigned long at = 1; at <= all; at = after(at, all, s.step))
            try_point(&s, at, on);
    unlink(s.printed);
    unlink(s.said);
    unlink(s.count);
    if (s.bad)
        printf("not ok %lu of %lu points (%lu allocations) are bad\n", s.bad, s.points, all);
    else
        printf("ok %lu points, %lu allocations\n", s.points, all);
    return s.bad != 0;
}
