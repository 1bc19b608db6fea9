/* ixor snapshot, mark, pause and resume: what people ask of a server that runs. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "schema/control.h"
#include "server/client.h"
#include "server/command.h"
#include "server/report.h"
#include "server/units.h"

/* A server that is alive answers at once; its loop is never held up for long. */
#define LIMIT_NS 10000000000u
/* --wait: after agents had to report, reports have this long to come. */
#define REPORTS_GRACE_NS 2000000000u
#define POLL_NS 50000000

static const char snapshot_help[] =
    "Usage: ixor snapshot [--wait] [--json] DIR\n"
    "\n"
    "Takes one packet now, in all JVMs that the server of the campaign DIR samples,\n"
    "also while it is paused. Prints the packet's number and to how many JVMs it\n"
    "was sent.\n"
    "\n"
    "  --wait       wait until they have reported, and print how many took it\n"
    "  --json       as JSON\n"
    "  -h, --help   this text\n";

static const char mark_help[] =
    "Usage: ixor mark [--json] DIR TEXT\n"
    "\n"
    "Notes TEXT, at most 1,024 bytes, beside the packet that the server of the\n"
    "campaign DIR has sent last. 'ixor status DIR' shows the marks.\n"
    "\n"
    "  --json       as JSON\n"
    "  -h, --help   this text\n";

static const char pause_help[] =
    "Usage: ixor pause [--json] DIR\n"
    "\n"
    "Has the server of the campaign DIR send no packets until 'ixor resume DIR'.\n"
    "'ixor snapshot DIR' takes single ones meanwhile.\n"
    "\n"
    "  --json       as JSON\n"
    "  -h, --help   this text\n";

static const char resume_help[] =
    "Usage: ixor resume [--json] DIR\n"
    "\n"
    "Ends the pause that 'ixor pause DIR' began.\n"
    "\n"
    "  --json       as JSON\n"
    "  -h, --help   this text\n";

struct question {
    const char *help;
    int words; /* that it expects after its options */
    const char *expected;
    const char *dir, *text;
    bool json, wait;
};

/* The server would mend it, and then it would not be what was said. */
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
        return IXOR_OK;
    return IXOR_USAGE;
}

/* IXOR_OK, IXOR_USAGE, or -1: help was asked for. */
static int parse(struct question *q, int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"wait", no_argument, NULL, 'w'},
                                            {0}};
    struct option known[4];
    memcpy(known, options, sizeof known);
    if (q->help != snapshot_help)
        known[2] = (struct option){0};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        switch (c) {
        case 'j': q->json = true; break;
        case 'w': q->wait = true; break;
        case 'h': fputs(q->help, stdout); return -1;
        default: return ixor_bad_option(c, argv, err);
        }
    }
    if (argc - optind != q->words) {
        ix_fail(err, "expected %s", q->expected);
        return IXOR_USAGE;
    }
    q->dir = argv[optind];
    q->text = q->words > 1 ? argv[optind + 1] : "";
    return q->words > 1 ? check_text(q->text, err) : IXOR_OK;
}

static json_int_t number(const json_t *answer, const char *key)
{
    return json_integer_value(json_object_get(answer, key));
}

/* Prints the answer, by `print` or as JSON, and releases it; NULL: there is none. */
static int finish(const struct question *q, json_t *answer, void (*print)(const json_t *answer),
                  struct ix_error *err)
{
    if (!answer)
        return IXOR_FAILED;
    if (q->json)
        return ixor_report_print(answer, err) == 0 ? IXOR_OK : IXOR_FAILED;
    print(answer);
    json_decref(answer);
    return IXOR_OK;
}

/* One command, and its answer. */
static int ask(struct question *q, int argc, char **argv, const char *verb,
               void (*print)(const json_t *answer), struct ix_error *err)
{
    const int usage = parse(q, argc, argv, err);
    if (usage)
        return usage < 0 ? IXOR_OK : usage;
    struct ixor_client *c = ixor_client_open(q->dir, LIMIT_NS, err);
    json_t *answer = c ? ixor_client_ask(c, verb, q->text, err) : NULL;
    ixor_client_close(c);
    return finish(q, answer, print, err);
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

/* Asks until all have taken it, or their time is up. Releases `answer`; returns the last one. */
static json_t *wait_for_reports(struct ixor_client *c, json_t *answer, struct ix_error *err)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    const uint64_t until =
        ixor_mono_ns() + (uint64_t)number(answer, "report_ns") + REPORTS_GRACE_NS;
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
    struct question q = {.help = snapshot_help, .words = 1, .expected = "a campaign's directory"};
    const int usage = parse(&q, argc, argv, err);
    if (usage)
        return usage < 0 ? IXOR_OK : usage;
    struct ixor_client *c = ixor_client_open(q.dir, LIMIT_NS, err);
    json_t *answer = c ? ixor_client_ask(c, "snapshot", "", err) : NULL;
    if (answer && q.wait)
        answer = wait_for_reports(c, answer, err);
    ixor_client_close(c);
    if (answer)
        json_object_del(answer, "report_ns");
    if (answer && !q.wait)
        json_object_del(answer, "taken"); /* nobody can have reported yet */
    return finish(&q, answer, print_snapshot, err);
}

/* ---- mark ---- */

static void print_mark(const json_t *answer)
{
    const char *name = json_string_value(json_object_get(answer, "execution"));
    printf("marked at packet %lld%s%s\n", (long long)number(answer, "packet"), name ? " of " : "",
           name ? name : "");
}

int ixor_cmd_mark(int argc, char **argv, struct ix_error *err)
{
    struct question q = {.help = mark_help,
                         .words = 2,
                         .expected = "a campaign's directory and a text"};
    return ask(&q, argc, argv, "mark", print_mark, err);
}

/* ---- pause and resume ---- */

static void print_pause(const json_t *answer)
{
    printf("%s after packet %lld\n",
           json_is_true(json_object_get(answer, "paused")) ? "paused" : "going on",
           (long long)number(answer, "packet"));
}

int ixor_cmd_pause(int argc, char **argv, struct ix_error *err)
{
    struct question q = {.help = pause_help, .words = 1, .expected = "a campaign's directory"};
    return ask(&q, argc, argv, "pause", print_pause, err);
}

int ixor_cmd_resume(int argc, char **argv, struct ix_error *err)
{
    struct question q = {.help = resume_help, .words = 1, .expected = "a campaign's directory"};
    return ask(&q, argc, argv, "resume", print_pause, err);
}
