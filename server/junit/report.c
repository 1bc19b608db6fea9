/* SPDX-License-Identifier: Apache-2.0 */
#include "server/junit/report.h"

#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/units.h"
#include "schema/base/utf8.h"
#include "server/base/units.h"

/* Reports have four levels; testsuites can contain others. */
#define DEPTH_MAX 64
#define PIECE (1 << 20) /* bytes handed to the parser at once */
/* A failure's message, with all that a test compared, is one attribute. The parser keeps an unended
 * tag in memory and reads it again with each piece. */
#define TAG_MAX (16u << 20)

enum kind { OTHER, SUITE, CASE, FAILURE, FAILED_TRY };

struct reading {
    XML_Parser xml;
    const char *refused;     /* why the report is refused; NULL */
    enum kind at[DEPTH_MAX]; /* the open elements, the root first */
    size_t depth;
    char test[IXOR_JUNIT_NAME]; /* the last one that began */
    bool test_failed;           /* this one */
    uint64_t test_tries;        /* failed ones that its testcase lists */
    uint64_t counted;           /* the most failures that a testsuite's attributes count */
    uint64_t pending;           /* bytes since the last event */
    struct ixor_junit found;
};

/* ---- what the parser tells ---- */

static void refuse(struct reading *r, const char *why)
{
    r->refused = why;
    XML_StopParser(r->xml, XML_FALSE);
}

static enum kind kind_of(const XML_Char *element)
{
    static const struct {
        const char *element;
        enum kind kind;
    } table[] = {
        {"testsuites", SUITE},      {"testsuite", SUITE},         {"testcase", CASE},
        {"failure", FAILURE},       {"error", FAILURE},           {"flakyFailure", FAILED_TRY},
        {"flakyError", FAILED_TRY}, {"rerunFailure", FAILED_TRY}, {"rerunError", FAILED_TRY}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(element, table[i].element) == 0)
            return table[i].kind;
    }
    return OTHER;
}

/* An attribute's value; "" if it is missing. */
static const char *value_of(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return "";
}

/* A count that is missing or no number says nothing. */
static uint64_t count_of(const XML_Char **attributes, const char *name)
{
    const char *value = value_of(attributes, name);
    uint64_t count;
    return ix_parse_number(value, strlen(value), &count) && count <= UINT32_MAX ? count : 0;
}

static void begin_suite(struct reading *r, const XML_Char **attributes)
{
    const uint64_t counted = count_of(attributes, "failures") + count_of(attributes, "errors");
    if (counted > r->counted)
        r->counted = counted;
}

static void begin_test(struct reading *r, const XML_Char **attributes)
{
    const char *class = value_of(attributes, "classname"), *name = value_of(attributes, "name");
    const char *dot = class[0] && name[0] ? "." : "";
    char whole[2 * IXOR_JUNIT_NAME];
    snprintf(whole, sizeof whole, "%s%s%s", class, dot, name);
    ixor_safe_text(whole, r->test, sizeof r->test);
    r->test_failed = false;
    r->test_tries = 0;
    r->found.tests++;
}

/* Keeps the test's name if it is the first one. */
static void keep_first(char *first, const struct reading *r)
{
    if (!first[0])
        memcpy(first, r->test, sizeof r->test);
}

static void take_failure(struct reading *r, enum kind of)
{
    if (of == SUITE)
        r->found.failed++;
    if (of != CASE || r->test_failed)
        return;
    r->test_failed = true;
    r->found.failed++;
    keep_first(r->found.first, r);
}

static void end_test(struct reading *r)
{
    if (r->test_failed) {
        r->found.reruns += r->test_tries;
    } else if (r->test_tries) {
        r->found.flaky++;
        r->found.flaky_tries += r->test_tries;
        keep_first(r->found.first_flaky, r);
    }
}

static void XMLCALL begin_element(void *user, const XML_Char *element, const XML_Char **attributes)
{
    struct reading *r = user;
    const enum kind kind = kind_of(element);
    r->pending = 0;
    if (r->refused)
        return;
    if (r->depth == 0 && kind != SUITE) {
        refuse(r,
               "it is not a JUnit report: the first element is neither testsuite nor testsuites");
        return;
    }
    if (r->depth == DEPTH_MAX) {
        refuse(r, "its elements are nested too deep");
        return;
    }
    if (kind == SUITE)
        begin_suite(r, attributes);
    else if (kind == CASE)
        begin_test(r, attributes);
    else if (kind == FAILURE)
        take_failure(r, r->at[r->depth - 1]);
    else if (kind == FAILED_TRY)
        r->test_tries += r->at[r->depth - 1] == CASE;
    r->at[r->depth++] = kind;
}

static void XMLCALL end_element(void *user, const XML_Char *element)
{
    struct reading *r = user;
    (void)element;
    r->pending = 0;
    if (!r->refused && r->at[--r->depth] == CASE)
        end_test(r);
}

static void XMLCALL other_event(void *user, const XML_Char *text, int len)
{
    struct reading *r = user;
    (void)text, (void)len;
    r->pending = 0;
}

static void XMLCALL begin_doctype(void *user, const XML_Char *name, const XML_Char *system,
                                  const XML_Char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    refuse(user, "it has a DOCTYPE, which no JUnit report needs");
}

/* ---- reading ---- */

static int fail_at(const struct reading *r, struct ix_error *err)
{
    return ix_fail(err, "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(r->xml),
                   r->refused ? r->refused : XML_ErrorString(XML_GetErrorCode(r->xml)));
}

/* Parses the next piece. 1 if more follows, 0 at the end, -1 on failure. */
static int next_piece(struct reading *r, FILE *report, struct ix_error *err)
{
    void *piece = XML_GetBuffer(r->xml, PIECE);
    if (!piece)
        return ix_fail(err, "out of memory");
    const size_t len = fread(piece, 1, PIECE, report);
    const bool last = len < PIECE;
    if (ferror(report))
        return ix_fail(err, "%s", strerror(errno));
    r->pending += len;
    if (XML_ParseBuffer(r->xml, (int)len, last) != XML_STATUS_OK)
        return fail_at(r, err);
    if (r->pending > TAG_MAX)
        return ix_fail(err, "line %lu: a tag is longer than %u MiB",
                       (unsigned long)XML_GetCurrentLineNumber(r->xml), TAG_MAX >> 20);
    return !last;
}

static int read_all(struct reading *r, FILE *report, struct ix_error *err)
{
    uint64_t pieces = 0;
    int more;
    while ((more = next_piece(r, report, err)) == 1) {
        if (++pieces > IXOR_JUNIT_FILE_MAX / PIECE)
            return ix_fail(err, "it is larger than %u MiB", IXOR_JUNIT_FILE_MAX >> 20);
    }
    return more;
}

/* The attributes of some versions of Surefire count each failed try of a test. */
static uint64_t failed_in(const struct reading *r)
{
    const uint64_t tries = r->found.flaky_tries + r->found.reruns;
    return r->counted > r->found.failed + tries ? r->counted - tries : r->found.failed;
}

static void add(struct ixor_junit *sum, const struct reading *r)
{
    if (!sum->first[0])
        memcpy(sum->first, r->found.first, sizeof sum->first);
    if (!sum->first_flaky[0])
        memcpy(sum->first_flaky, r->found.first_flaky, sizeof sum->first_flaky);
    sum->tests += r->found.tests;
    sum->failed += failed_in(r);
    sum->flaky += r->found.flaky;
    sum->flaky_tries += r->found.flaky_tries;
    sum->reruns += r->found.reruns;
}

int ixor_junit_read(struct ixor_junit *sum, FILE *report, struct ix_error *err)
{
    struct reading r = {.xml = XML_ParserCreate(NULL)};
    if (!r.xml)
        return ix_fail(err, "out of memory");
    XML_SetUserData(r.xml, &r);
    XML_SetElementHandler(r.xml, begin_element, end_element);
    XML_SetDefaultHandler(r.xml, other_event);
    XML_SetStartDoctypeDeclHandler(r.xml, begin_doctype);
    const int bad = read_all(&r, report, err);
    if (!bad)
        add(sum, &r);
    XML_ParserFree(r.xml);
    return bad;
}

/* Something else with such a name, a FIFO say, must not block. NULL with a message. */
static FILE *open_file(const char *path, struct ix_error *err)
{
    struct stat info;
    FILE *file = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &info) != 0)
        ix_fail(err, "%s", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        ix_fail(err, "it is not a regular file");
    else if (info.st_size > IXOR_JUNIT_FILE_MAX)
        ix_fail(err, "it is larger than %u MiB", IXOR_JUNIT_FILE_MAX >> 20);
    else if (!(file = fdopen(fd, "r")))
        ix_fail(err, "out of memory");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

int ixor_junit_read_file(struct ixor_junit *sum, const char *path, struct ix_error *err)
{
    FILE *file = open_file(path, err);
    const int bad = !file || ixor_junit_read(sum, file, err) != 0;
    if (file)
        fclose(file);
    return bad ? ix_fail_in(err, "cannot read the report '%s'", path) : 0;
}

bool ixor_junit_notable(const struct ixor_junit *sum)
{
    return sum->failed || sum->flaky;
}

#define COUNT_TEXT 60
#define PART_TEXT (IXOR_JUNIT_NAME + 200)

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "3 of 14 tests", or "3 tests" if testsuites count more than they list. */
static void say_count(char text[COUNT_TEXT], const struct ixor_junit *sum, uint64_t count)
{
    char of[COUNT_TEXT / 2] = "";
    if (sum->tests >= count)
        snprintf(of, sizeof of, " of %" PRIu64, sum->tests);
    snprintf(text, COUNT_TEXT, "%" PRIu64 "%s test%s", count, of, of[0] ? "s" : plural(count));
}

/* What stands before the name of the first test. */
static const char *lead(const char *first, uint64_t count)
{
    return !first[0] ? "" : count == 1 ? ": " : ", first ";
}

static void say_failed(char text[PART_TEXT], const struct ixor_junit *sum)
{
    char count[COUNT_TEXT], reruns[COUNT_TEXT] = "";
    say_count(count, sum, sum->failed);
    if (sum->reruns)
        snprintf(reruns, sizeof reruns, ", in %" PRIu64 " rerun%s as well", sum->reruns,
                 plural(sum->reruns));
    snprintf(text, PART_TEXT, "%s failed%s%s%s", count, reruns, lead(sum->first, sum->failed),
             sum->first);
}

static void say_flaky(char text[PART_TEXT], const struct ixor_junit *sum)
{
    char count[COUNT_TEXT];
    say_count(count, sum, sum->flaky);
    snprintf(text, PART_TEXT, "%s passed after %" PRIu64 " failed tr%s%s%s", count,
             sum->flaky_tries, sum->flaky_tries == 1 ? "y" : "ies",
             lead(sum->first_flaky, sum->flaky), sum->first_flaky);
}

void ixor_junit_words(const struct ixor_junit *sum, char *text, size_t size)
{
    char failed[PART_TEXT] = "", flaky[PART_TEXT] = "", all[sizeof "JUnit: ; " + 2 * PART_TEXT];
    const bool passed = sum->flaky && !sum->failed;
    if (!passed)
        say_failed(failed, sum);
    if (sum->flaky)
        say_flaky(flaky, sum);
    snprintf(all, sizeof all, "JUnit: %s%s%s", failed, failed[0] && flaky[0] ? "; " : "", flaky);
    const size_t len = ix_utf8_bounded(all, size - 1);
    memcpy(text, all, len);
    text[len] = '\0';
}
