/* SPDX-License-Identifier: Apache-2.0 */
/* ixor top: a live view of a campaign in a terminal. Prints the viewer's state (live.h), and who
 * waits for whom (waits.h), as text; reads only the catalogue and trace logs, so it needs no server
 * and does not disturb one. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "schema/base/text_memory.h"
#include "server/base/command.h"
#include "server/base/units.h"
#include "server/commands/common_options.h"
#include "server/commands/top_text.h"
#include "server/viewer/live.h"
#include "server/viewer/waits.h"

#define REFRESH_MS 1000
/* Number of lines if the terminal does not report it. */
#define LINES_DEFAULT 24
#define LINES_ALL 1000000
/* For so many slices of IXOR_STACKS_NS --once reads trace logs: three seconds. */
#define TRIES_ONCE 10

/* ---- the terminal ---- */

/* To be restored, also by a signal handler. */
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

/* Ctrl-Z restores the terminal; fg takes it over again. */
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
        return ix_fail(err, "cannot read keys: standard input is not a terminal; try --once");
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

struct shown {
    struct ixor_live *live;
    struct ixor_waits *waits;
    int64_t execution; /* 0: the latest */
};

/* Adds who waits for whom, or why that is not known. `tries`: so often the logs are read on, each
 * time for a limited time. -1: out of memory. */
static int add_waits(const struct shown *s, json_t *state, int tries)
{
    struct ix_error why;
    json_t *waits = NULL;
    const json_t *run = json_object_get(json_object_get(state, "execution"), "execution");
    enum ixor_found found = IXOR_NOT_THERE;
    if (!run)
        return 0;
    do
        found = ixor_waits_now(s->waits, s->live, json_integer_value(run), &waits, &why);
    while (found == IXOR_BUSY && --tries > 0);
    if (found != IXOR_FOUND)
        waits = json_pack("{so}", "error", ixor_live_text(why.text, sizeof why.text));
    return json_object_set_new(state, "waits", waits);
}

static json_t *state_of(const struct shown *s, int tries, struct ix_error *err)
{
    json_t *state;
    if (ixor_live_state(s->live, s->execution, &state, err) != IXOR_FOUND)
        return NULL;
    if (add_waits(s, state, tries) == 0)
        return state;
    json_decref(state);
    ix_fail(err, "out of memory");
    return NULL;
}

static int show_once(const struct shown *s, bool json, struct ix_error *err)
{
    json_t *state = state_of(s, TRIES_ONCE, err);
    if (!state)
        return -1;
    if (json) {
        json_dumpf(state, stdout, JSON_INDENT(2)); /* main checks for errors of stdout */
        putchar('\n');
    } else {
        ixor_top_print(stdout, state, LINES_ALL, "\n");
    }
    json_decref(state);
    return 0;
}

/* What is written to the terminal for one screen. The caller frees it; NULL: out of memory. */
static char *screen_of(const json_t *state)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    fputs(resized ? "\033[2J\033[H" : "\033[H", t.out);
    resized = 0;
    ixor_top_print(t.out, state, terminal_lines(), "\033[K\n");
    fputs("\033[J", t.out);
    return ix_text_close(&t);
}

/* One write per screen, so that it does not flicker. */
static int draw(const struct shown *s, struct ix_error *err)
{
    json_t *state = state_of(s, 1, err);
    if (!state)
        return -1;
    char *screen = screen_of(state);
    json_decref(state);
    if (!screen)
        return ix_fail(err, "out of memory");
    write_all(screen);
    free(screen);
    return 0;
}

static int watch(const struct shown *s, struct ix_error *err)
{
    if (open_terminal(err) != 0)
        return -1;
    int bad = 0;
    do
        bad = draw(s, err);
    while (!bad && !asked_to_end());
    restore_terminal();
    return bad;
}

static int show(const char *dir, int64_t execution, bool once, bool json, struct ix_error *err)
{
    struct shown s = {.live = ixor_live_new(dir, err), .execution = execution};
    int bad = -1;
    if (s.live && !(s.waits = ixor_waits_new(IXOR_WAITS_PATIENCE_NS)))
        ix_fail(err, "out of memory");
    else if (s.live)
        bad = once ? show_once(&s, json, err) : watch(&s, err);
    ixor_waits_free(s.waits);
    ixor_live_free(s.live);
    return bad;
}

/* ---- the command line ---- */

struct options {
    bool once;
    struct ixor_json_option json;
    int64_t execution;
};

static int set_execution(void *target, const char *value, struct ix_error *err)
{
    uint64_t number;
    if (ixor_parse_count(value, 1, INT64_MAX, &number, err) != 0)
        return -1;
    ((struct options *)target)->execution = (int64_t)number;
    return 0;
}

static const struct ix_option rows[] = {
    {IX_OPTION_FLAG, "once",
     .help = "print it once and exit; the default if the output is not a terminal",
     .offset = offsetof(struct options, once)},
    {IX_OPTION_CALL, "execution", .value = "ID",
     .help = "show this run; its number is in the JSON (execution)", .preset = "the latest",
     .set = set_execution},
};

static int parse(struct options *o, int argc, char **argv, char ***args, struct ix_error *err)
{
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(rows, o), ixor_json_group(&o->json), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "top",
        .args = "DIR",
        .args_min = 1,
        .args_max = 1,
        .about = "Shows the campaign DIR live: the JVMs of its latest run, the packets that they\n"
                 "took and lost, how long they stopped, and who waits for whom now. Updated every\n"
                 "second; q quits.",
        .after = "With --json it prints once what the viewer gets as api/state, and as waits what\n"
                 "it gets as api/waits (docs/viewer.md).",
        .groups = groups,
    };
    return ixor_parse_options(&line, argc, argv, args, err);
}

int ixor_cmd_top(int argc, char **argv, struct ix_error *err)
{
    struct options o = {0};
    char **args;
    const int parsed = parse(&o, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    const bool json = o.json.wanted, once = o.once || json || !isatty(STDOUT_FILENO);
    return show(args[0], o.execution, once, json, err) == 0 ? IXOR_OK : IXOR_FAILED;
}
