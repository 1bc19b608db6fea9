/* SPDX-License-Identifier: Apache-2.0 */
/* ixor snapshot, mark, pause and resume: users' commands to a running server. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "schema/protocol/control.h"
#include "schema/protocol/protocol.h"
#include "server/base/command.h"
#include "server/base/units.h"
#include "server/commands/client.h"
#include "server/commands/common_options.h"
#include "server/store/report.h"

/* A working server answers at once; its loop is never held up for long. */
#define LIMIT_NS 10000000000u
/* --wait: how long reports may arrive after they were due. */
#define REPORTS_GRACE_NS 2000000000u
#define POLL_NS 50000000

struct question {
    const char *dir, *text;
    struct ixor_json_option json;
    bool wait;
};

/* The server would repair the text and store something the user did not write. */
static int check_text(const char *text, struct ix_error *err)
{
    const size_t len = strlen(text);
    char safe[IX_CONTROL_TEXT_MAX + 2];
    ixor_safe_text(text, safe, sizeof safe);
    json_t *valid = json_stringn(text, len);
    json_decref(valid);
    if (!len)
        ix_fail(err, "TEXT is empty");
    else if (len > IX_CONTROL_TEXT_MAX)
        ix_fail(err, "TEXT has %zu bytes; at most %u are kept", len, IX_CONTROL_TEXT_MAX);
    else if (!valid || strcmp(safe, text) != 0)
        ix_fail(err, "TEXT is not UTF-8, or has control characters");
    else
        return 0;
    return -1;
}

static const struct ix_option wait_row[] = {
    {IX_OPTION_FLAG, "wait", .help = "wait until they have reported, and print how many took it",
     .offset = offsetof(struct question, wait)},
};

/* All have --json; snapshot also has --wait, and mark a text. Returns what ixor_parse_options
 * does. */
static int parse(struct question *q, const char *command, const char *about, int argc, char **argv,
                 struct ix_error *err)
{
    const bool snapshot = strcmp(command, "snapshot") == 0, text = strcmp(command, "mark") == 0;
    const struct ix_option_group groups[] = {
        {wait_row, snapshot ? 1 : 0, q}, ixor_json_group(&q->json), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor",
        .command = command,
        .args = text ? "DIR TEXT" : "DIR",
        .args_min = text ? 2 : 1,
        .args_max = text ? 2 : 1,
        .about = about,
        .groups = groups,
    };
    char **args;
    const int parsed = ixor_parse_options(&line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    q->dir = args[0];
    q->text = text ? args[1] : "";
    return text && check_text(q->text, err) != 0 ? ixor_wrong_use(&line, err) : IXOR_OK;
}

/* 0 if it is not a number within the protocol's bounds (protocol.md, "Numbers"). */
static json_int_t number(const json_t *answer, const char *key)
{
    const json_int_t n = json_integer_value(json_object_get(answer, key));
    return n > 0 && n <= (json_int_t)IX_PACKET_MAX ? n : 0;
}

/* How long reports may take. */
static uint64_t report_ns(const json_t *answer)
{
    const uint64_t ns = (uint64_t)number(answer, "report_ns");
    return ns < IX_REPORT_DELAY_MAX_NS ? ns : IX_REPORT_DELAY_MAX_NS;
}

/* Prints the answer, by `print` or as JSON, and releases it; NULL: there is none. */
static int finish(const struct question *q, json_t *answer, void (*print)(const json_t *answer),
                  struct ix_error *err)
{
    if (!answer)
        return IXOR_FAILED;
    if (q->json.wanted)
        return ixor_report_print(answer, err) == 0 ? IXOR_OK : IXOR_FAILED;
    print(answer);
    json_decref(answer);
    return IXOR_OK;
}

/* Sends one command, under the server's name for it, and prints the answer. */
static int ask(const char *command, const char *about, int argc, char **argv,
               void (*print)(const json_t *answer), struct ix_error *err)
{
    struct question q = {0};
    const int parsed = parse(&q, command, about, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed;
    struct ixor_client *c = ixor_client_open(q.dir, LIMIT_NS, err);
    json_t *answer = c ? ixor_client_ask(c, command, q.text, err) : NULL;
    ixor_client_close(c);
    return finish(&q, answer, print, err);
}

/* ---- snapshot ---- */

static void print_snapshot(const json_t *answer)
{
    const json_int_t vms = number(answer, "vms");
    printf("packet %lld, to %lld JVM%s", (long long)number(answer, "packet"), (long long)vms,
           vms == 1 ? "" : "s");
    if (json_object_get(answer, "taken"))
        printf(", taken by %lld", (long long)number(answer, "taken"));
    putchar('\n');
}

/* Asks until all JVMs have taken the packet or the time is up. Releases `answer`; returns the last
 * one. */
static json_t *wait_for_reports(struct ixor_client *c, json_t *answer, struct ix_error *err)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    const uint64_t until = ixor_mono_ns() + report_ns(answer) + REPORTS_GRACE_NS;
    char packet[24];
    snprintf(packet, sizeof packet, "%lld", (long long)number(answer, "packet"));
    while (answer && number(answer, "taken") < number(answer, "vms") && ixor_mono_ns() < until) {
        nanosleep(&pause, NULL);
        json_decref(answer);
        answer = ixor_client_ask(c, "taken", packet, err);
    }
    return answer;
}

int ixor_cmd_snapshot(int argc, char **argv, struct ix_error *err)
{
    static const char about[] =
        "Takes one packet now in all JVMs that the server of the campaign DIR samples,\n"
        "even while it is paused. Prints the packet's number and how many JVMs it was\n"
        "sent to.";
    struct question q = {0};
    const int parsed = parse(&q, "snapshot", about, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed;
    struct ixor_client *c = ixor_client_open(q.dir, LIMIT_NS, err);
    json_t *answer = c ? ixor_client_ask(c, "snapshot", "", err) : NULL;
    if (answer && q.wait)
        answer = wait_for_reports(c, answer, err);
    ixor_client_close(c);
    if (answer)
        json_object_del(answer, "report_ns");
    if (answer && !q.wait)
        json_object_del(answer, "taken"); /* no JVM can have reported yet */
    return finish(&q, answer, print_snapshot, err);
}

/* ---- mark ---- */

static void print_mark(const json_t *answer)
{
    const char *name = json_string_value(json_object_get(answer, "execution"));
    char clean[512];
    ixor_safe_text(name ? name : "", clean, sizeof clean);
    printf("marked at packet %lld%s%s\n", (long long)number(answer, "packet"), name ? " of " : "",
           clean);
}

int ixor_cmd_mark(int argc, char **argv, struct ix_error *err)
{
    static const char about[] =
        "Notes TEXT, at most 1,024 bytes, beside the last packet that the server of the\n"
        "campaign DIR sent. 'ixor status DIR' shows the marks.";
    return ask("mark", about, argc, argv, print_mark, err);
}

/* ---- pause and resume ---- */

static void print_pause(const json_t *answer)
{
    printf("%s after packet %lld\n",
           json_is_true(json_object_get(answer, "paused")) ? "paused" : "resumed",
           (long long)number(answer, "packet"));
}

int ixor_cmd_pause(int argc, char **argv, struct ix_error *err)
{
    static const char about[] =
        "Stops the server of the campaign DIR from sending packets until 'ixor resume\n"
        "DIR'. Meanwhile 'ixor snapshot DIR' takes single ones.";
    return ask("pause", about, argc, argv, print_pause, err);
}

int ixor_cmd_resume(int argc, char **argv, struct ix_error *err)
{
    return ask("resume", "Ends the pause that 'ixor pause DIR' began.", argc, argv, print_pause,
               err);
}
