/* ixor top: a campaign as it goes on, in a terminal. The viewer's state (live.h) as text; reads the
 * catalogue only, so it needs no server and harms none. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "server/command.h"
#include "server/live.h"
#include "server/top_text.h"
#include "server/units.h"

#define REFRESH_MS 1000
/* Lines where the terminal does not say how many it has. */
#define LINES_DEFAULT 24
#define LINES_ALL 1000000

static const char help[] =
    "Usage: ixor top [--once] [--json] [--execution ID] DIR\n"
    "\n"
    "Shows the campaign DIR as it goes on: the JVMs of its latest execution, what\n"
    "they took and lost, how long they stopped. Anew every second; q ends it.\n"
    "\n"
    "  --once          print it once and end; what happens where the output is no\n"
    "                  terminal\n"
    "  --json          the same once as JSON (docs/viewer.md: api/state)\n"
    "  --execution ID  of this execution; the numbers are in the JSON\n"
    "  -h, --help      this text\n";

/* ---- the terminal ---- */

/* What has to be put back, also by a signal's handler. */
static struct termios terminal_before;
static volatile sig_atomic_t terminal_changed, resized;

static void write_all(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const ssize_t n = write(STDOUT_FILENO, text, left);
        if (n <= 0 && errno != EINTR)
            return;
        if (n > 0) {
            text += n;
            left -= (size_t)n;
        }
    }
}

/* Async-signal-safe. */
static void restore_terminal(void)
{
    if (!terminal_changed)
        return;
    terminal_changed = 0;
    write_all("\033[?25h\033[?1049l"); /* the cursor, and the screen that was there before */
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

static void end_by_signal(int sig)
{
    const int before = errno;
    restore_terminal();
    signal(sig, SIG_DFL);
    raise(sig);
    errno = before;
}

static void on_resize(int sig)
{
    (void)sig;
    resized = 1;
}

/* Ctrl-Z gives the terminal back; fg takes it again. */
static void stop_by_signal(int sig)
{
    const int before = errno;
    restore_terminal();
    signal(sig, SIG_DFL);
    raise(sig);
    errno = before;
}

static void take_terminal(void);

static void on_continue(int sig)
{
    const int before = errno;
    (void)sig;
    take_terminal();
    resized = 1;
    errno = before;
}

static void take_terminal(void)
{
    struct termios raw = terminal_before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    terminal_changed = 1;
    signal(SIGTSTP, stop_by_signal);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    write_all("\033[?1049h\033[?25l");
}

static int open_terminal(struct ix_error *err)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    if (tcgetattr(STDIN_FILENO, &terminal_before) != 0)
        return ix_fail(err, "cannot read keys: standard input is no terminal; try --once");
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        signal(ending[i], end_by_signal);
    signal(SIGWINCH, on_resize);
    signal(SIGCONT, on_continue);
    atexit(restore_terminal);
    take_terminal();
    return 0;
}

static unsigned terminal_lines(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row
                                                                       : LINES_DEFAULT;
}

/* Waits for the next second or a key; true: q. */
static bool asked_to_end(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;
    if (poll(&in, 1, REFRESH_MS) <= 0)
        return false;
    const ssize_t n = read(STDIN_FILENO, &key, 1);
    return n == 0 || (n == 1 && (key == 'q' || key == 'Q' || key == 4 /* Ctrl-D */));
}

/* ---- what is shown ---- */

static json_t *state_of(struct ixor_live *l, int64_t execution, struct ix_error *err)
{
    json_t *state;
    return ixor_live_state(l, execution, &state, err) == IXOR_FOUND ? state : NULL;
}

static int show_once(struct ixor_live *l, int64_t execution, bool json, struct ix_error *err)
{
    json_t *state = state_of(l, execution, err);
    if (!state)
        return -1;
    if (json) {
        json_dumpf(state, stdout, JSON_INDENT(2)); /* main looks whether stdout took it */
        putchar('\n');
    } else {
        ixor_top_print(stdout, state, LINES_ALL, "\n");
    }
    json_decref(state);
    return 0;
}

/* One write a screen, so that nothing flickers. */
static int draw(struct ixor_live *l, int64_t execution, struct ix_error *err)
{
    char *screen = NULL;
    size_t size = 0;
    json_t *state = state_of(l, execution, err);
    if (!state)
        return -1;
    FILE *out = open_memstream(&screen, &size);
    if (out) {
        fputs(resized ? "\033[2J\033[H" : "\033[H", out);
        resized = 0;
        ixor_top_print(out, state, terminal_lines(), "\033[K\n");
        fputs("\033[J", out);
        if (fclose(out) == 0)
            write_all(screen);
    }
    free(screen);
    json_decref(state);
    return out ? 0 : ix_fail(err, "out of memory");
}

static int watch(struct ixor_live *l, int64_t execution, struct ix_error *err)
{
    if (open_terminal(err) != 0)
        return -1;
    int bad = 0;
    do
        bad = draw(l, execution, err);
    while (!bad && !asked_to_end());
    restore_terminal();
    return bad;
}

struct options {
    bool once, json;
    int64_t execution;
};

static int parse(struct options *o, int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {
        {"once", no_argument, NULL, 'o'},       {"json", no_argument, NULL, 'j'},
        {"execution", required_argument, NULL, 'e'}, {"help", no_argument, NULL, 'h'}, {0}};
    uint64_t number;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (c) {
        case 'o': o->once = true; break;
        case 'j': o->json = true; break;
        case 'e':
            if (ixor_parse_count(optarg, 1, INT64_MAX, &number, err) != 0)
                return ixor_bad_value("execution", err);
            o->execution = (int64_t)number;
            break;
        case 'h': fputs(help, stdout); return -1;
        default: return ixor_bad_option(c, argv, err);
        }
    }
    if (argc - optind == 1)
        return IXOR_OK;
    ix_fail(err, "expected one campaign's directory");
    return IXOR_USAGE;
}

int ixor_cmd_top(int argc, char **argv, struct ix_error *err)
{
    struct options o = {0};
    const int usage = parse(&o, argc, argv, err);
    if (usage)
        return usage < 0 ? IXOR_OK : usage;
    struct ixor_live *l = ixor_live_new(argv[optind], err);
    if (!l)
        return IXOR_FAILED;
    const bool once = o.once || o.json || !isatty(STDOUT_FILENO);
    const int bad = once ? show_once(l, o.execution, o.json, err) : watch(l, o.execution, err);
    ixor_live_free(l);
    return bad ? IXOR_FAILED : IXOR_OK;
}
