/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/settings/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/settings/expand.h"
#include "schema/base/units.h"

/* One `key=value`; neither is terminated. value NULL: there was no "=". */
struct item {
    const char *key, *value;
    size_t key_len, value_len;
};

static int copy(char *out, size_t size, const char *text, size_t len, struct ix_error *err)
{
    if (len >= size)
        return ix_fail(err, "is longer than %zu bytes", size - 1);
    memcpy(out, text, len);
    out[len] = 0;
    return 0;
}

/* A decimal number from 1 to max that takes up the whole text; 0 if it is not one. */
static uint32_t number(const char *text, size_t len, uint32_t max)
{
    uint64_t v;
    return ix_parse_number(text, len, &v) && v <= max ? (uint32_t)v : 0;
}

/* A number of bytes, with an optional unit, between IXA_SIZE_MIN and IXA_SIZE_MAX. */
static int set_size(uint64_t *out, const char *text, size_t len, struct ix_error *err)
{
    uint64_t size;
    if (!ix_parse_size(text, len, &size) || size < IXA_SIZE_MIN || size > IXA_SIZE_MAX)
        return ix_fail(err, "must be a size from 64k to 1024g, such as 32m");
    *out = size;
    return 0;
}

static int set_memory(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return set_size(&o->memory, text, len, err);
}

static int set_maxlog(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return set_size(&o->maxlog, text, len, err);
}

static int set_server(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    const char *host = text, *end = text + len, *rest;
    size_t host_len;
    if (len && *text == '[') {
        const char *close = memchr(text, ']', len);
        if (!close)
            return ix_fail(err, "has no ']' after the address");
        host = text + 1;
        host_len = (size_t)(close - host);
        rest = close + 1;
    } else {
        const char *colon = memchr(text, ':', len);
        rest = colon ? colon : end;
        host_len = (size_t)(rest - text);
        if (colon && memchr(colon + 1, ':', (size_t)(end - colon - 1)))
            return ix_fail(err, "is an IPv6 address: write it as [ADDRESS]:PORT");
    }
    uint32_t port = IX_DEFAULT_PORT;
    if (rest != end) {
        port = *rest == ':' ? number(rest + 1, (size_t)(end - rest - 1), 65535) : 0;
        if (!port)
            return ix_fail(err, "needs a port from 1 to 65535, as in HOST:PORT");
    }
    if (!host_len)
        return ix_fail(err, "names no host");
    o->port = (uint16_t)port;
    return copy(o->host, sizeof o->host, host, host_len, err);
}

static int set_role(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return len ? copy(o->role, sizeof o->role, text, len, err) : ix_fail(err, "is empty");
}

static int set_execution(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return copy(o->execution, sizeof o->execution, text, len, err);
}

static int set_log(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    if (!len)
        return ix_fail(err, "is empty");
    return copy(o->log, sizeof o->log, text, len, err) == 0 ? ixa_expand_check(o->log, err) : -1;
}

static int set_key(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return len ? copy(o->key_file, sizeof o->key_file, text, len, err)
               : ix_fail(err, "names no file");
}

static int set_cert(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return copy(o->cert, sizeof o->cert, text, len, err);
}

static int set_certkey(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return copy(o->certkey, sizeof o->certkey, text, len, err);
}

static int set_ca(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return copy(o->ca, sizeof o->ca, text, len, err);
}

static int set_stop(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->suspend = len == 7 && memcmp(text, "suspend", 7) == 0;
    if (o->suspend || (len == 9 && memcmp(text, "safepoint", 9) == 0))
        return 0;
    return ix_fail(err, "must be safepoint or suspend, not '%.*s'", (int)(len < 64 ? len : 64),
                   text);
}

static int set_walk(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->walk_all = len == 3 && memcmp(text, "all", 3) == 0;
    if (o->walk_all || (len == 7 && memcmp(text, "changed", 7) == 0))
        return 0;
    return ix_fail(err, "must be changed or all, not '%.*s'", (int)(len < 64 ? len : 64), text);
}

static int set_verify(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->verify = len == 2 && memcmp(text, "on", 2) == 0;
    return o->verify ? 0 : ix_fail(err, "must be on");
}

static bool is(const char *word, const char *text, size_t len)
{
    return strlen(word) == len && memcmp(word, text, len) == 0;
}

static int set_virtual(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    static const char tracked[] = "tracked:";
    const size_t prefix = sizeof tracked - 1;
    o->virtual_limit = IXA_VIRTUAL_DEFAULT;
    o->virtual_mode = IXA_VIRTUAL_TRACKED;
    if (len > prefix && memcmp(text, tracked, prefix) == 0) {
        o->virtual_limit = number(text + prefix, len - prefix, IXA_VIRTUAL_MAX);
        return o->virtual_limit ? 0
                                : ix_fail(err, "must have a number from 1 to %u after 'tracked:'",
                                          IXA_VIRTUAL_MAX);
    }
    if (is("tracked", text, len))
        return 0;
    o->virtual_mode = is("off", text, len) ? IXA_VIRTUAL_OFF : IXA_VIRTUAL_MOUNTED;
    if (o->virtual_mode == IXA_VIRTUAL_OFF || is("mounted", text, len))
        return 0;
    return ix_fail(err, "must be mounted, tracked, tracked:N or off, not '%.*s'",
                   (int)(len < 64 ? len : 64), text);
}

static int set_depth(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->depth = number(text, len, IXA_DEPTH_MAX);
    return o->depth ? 0 : ix_fail(err, "must be a number from 1 to %u", IXA_DEPTH_MAX);
}

/* "[+-]N" before one of the units; multiplied by the unit's value. False if malformed, or if N is
 * above max. */
static bool signed_amount(const char *text, size_t len, const char *const *units,
                          const int64_t *worth, uint32_t max, int64_t *out)
{
    bool minus = len && *text == '-';
    size_t sign = len && (*text == '-' || *text == '+'), digits = 0;
    while (sign + digits < len && text[sign + digits] >= '0' && text[sign + digits] <= '9')
        digits++;
    uint32_t n = number(text + sign, digits, max);
    const char *unit = text + sign + digits;
    for (size_t i = 0; n && units[i]; i++) {
        if (!is(units[i], unit, len - sign - digits))
            continue;
        *out = (minus ? -1 : 1) * (int64_t)n * worth[i];
        return true;
    }
    return false;
}

static int set_testclock(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    static const char *const times[] = {"ns", "us", "ms", "s", NULL}, *const rates[] = {"ppm",
                                                                                        NULL};
    static const int64_t time_worth[] = {1, 1000, 1000000, 1000000000}, rate_worth[] = {1000};
    const char *slash = memchr(text, '/', len);
    size_t time_len = slash ? (size_t)(slash - text) : len;
    if (!signed_amount(text, time_len, times, time_worth, UINT32_MAX, &o->testclock_ns) ||
        llabs(o->testclock_ns) > IXA_TESTCLOCK_MAX_NS ||
        (slash && !signed_amount(slash + 1, len - time_len - 1, rates, rate_worth,
                                 IXA_TESTCLOCK_MAX_PPM, &o->testclock_ppb)))
        return ix_fail(err, "must be a time up to 1000s and perhaps a drift up to 1000ppm, such as "
                            "-20ms/+50ppm");
    return 0;
}

static int set_runs(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->tests = is("tests", text, len);
    if (o->tests || is("jvm", text, len))
        return 0;
    return ix_fail(err, "must be jvm or tests, not '%.*s'", (int)(len < 64 ? len : 64), text);
}

static int set_upload(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->upload_never = is("never", text, len);
    if (o->upload_never || is("exit", text, len))
        return 0;
    return ix_fail(err, "must be exit or never, not '%.*s'", (int)(len < 64 ? len : 64), text);
}

/* "10s" or "500ms". */
static int set_upload_time(struct ixa_options *o, const char *text, size_t len,
                           struct ix_error *err)
{
    const bool ms = len > 2 && memcmp(text + len - 2, "ms", 2) == 0;
    const bool s = !ms && len > 1 && text[len - 1] == 's';
    const uint32_t max = ms ? IXA_UPLOAD_MS_MAX : IXA_UPLOAD_MS_MAX / 1000;
    const uint32_t value = ms || s ? number(text, len - (ms ? 2 : 1), max) : 0;
    if (!value)
        return ix_fail(err, "must be a time from 1ms to %us, such as 10s",
                       IXA_UPLOAD_MS_MAX / 1000);
    o->upload_ms = ms ? value : value * 1000;
    return 0;
}

static int set_machine(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return copy(o->machine, sizeof o->machine, text, len, err);
}

static int set_detach(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->detach = len == 3 && memcmp(text, "now", 3) == 0;
    return o->detach ? 0 : ix_fail(err, "must be now");
}

static int set_answer(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return copy(o->answer, sizeof o->answer, text, len, err);
}

static int on_off(bool *on, const char *text, size_t len, struct ix_error *err)
{
    *on = len == 2 && memcmp(text, "on", 2) == 0;
    if (*on || (len == 3 && memcmp(text, "off", 3) == 0))
        return 0;
    return ix_fail(err, "must be on or off, not '%.*s'", (int)(len < 64 ? len : 64), text);
}

static int set_locks(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return on_off(&o->facts.locks, text, len, err);
}

static int set_exceptions(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    o->facts.firsts = len == 5 && memcmp(text, "first", 5) == 0;
    o->facts.exceptions = len == 2 && memcmp(text, "on", 2) == 0;
    if (o->facts.firsts || o->facts.exceptions || (len == 3 && memcmp(text, "off", 3) == 0))
        return 0;
    return ix_fail(err, "must be on, first or off, not '%.*s'", (int)(len < 64 ? len : 64), text);
}

static int set_process(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return on_off(&o->facts.process, text, len, err);
}

static int set_connections(struct ixa_options *o, const char *text, size_t len,
                           struct ix_error *err)
{
    return on_off(&o->facts.connections, text, len, err);
}

static int set_invocations(struct ixa_options *o, const char *text, size_t len,
                           struct ix_error *err)
{
    return on_off(&o->facts.invocations, text, len, err);
}

static int set_coverage(struct ixa_options *o, const char *text, size_t len, struct ix_error *err)
{
    return on_off(&o->facts.coverage, text, len, err);
}

static const struct {
    const char *key;
    int (*set)(struct ixa_options *o, const char *text, size_t len, struct ix_error *err);
    bool hidden; /* for tests, and for `ixor attach` */
} known[] = {
    {"server", set_server, false},
    {"role", set_role, false},
    {"execution", set_execution, false},
    {"log", set_log, false},
    {"key", set_key, false},
    {"cert", set_cert, false},
    {"certkey", set_certkey, false},
    {"ca", set_ca, false},
    {"stop", set_stop, false},
    {"walk", set_walk, false},
    {"virtual", set_virtual, false},
    {"depth", set_depth, false},
    {"memory", set_memory, false},
    {"maxlog", set_maxlog, false},
    {"locks", set_locks, false},
    {"exceptions", set_exceptions, false},
    {"process", set_process, false},
    {"connections", set_connections, false},
    {"invocations", set_invocations, false},
    {"coverage", set_coverage, false},
    {"runs", set_runs, false},
    {"upload", set_upload, false},
    {"uploadtime", set_upload_time, false},
    {"verify", set_verify, true},
    {"testclock", set_testclock, true},
    {"machine", set_machine, true},
    {"detach", set_detach, true},
    {"answer", set_answer, true},
};

#define KEYS_MAX 512

static void list_known(char keys[KEYS_MAX])
{
    size_t at = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known && at < KEYS_MAX; i++)
        if (!known[i].hidden)
            at += (size_t)snprintf(keys + at, KEYS_MAX - at, "%s%s", at ? ", " : "", known[i].key);
}

static int set_item(struct ixa_options *o, const struct item *item, struct ix_error *err)
{
    int shown = (int)(item->key_len < 64 ? item->key_len : 64);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].key) != item->key_len ||
            memcmp(known[i].key, item->key, item->key_len) != 0)
            continue;
        if (!item->value)
            return ix_fail(err, "option '%s': has no value; write %s=...", known[i].key,
                           known[i].key);
        if (known[i].set(o, item->value, item->value_len, err) == 0)
            return 0;
        return ix_fail_in(err, "option '%s'", known[i].key);
    }
    char keys[KEYS_MAX];
    list_known(keys);
    return ix_fail(err, "option '%.*s': unknown; known ones are %s", shown, item->key, keys);
}

int ixa_options_parse(struct ixa_options *o, const char *text, struct ix_error *err)
{
    for (const char *at = text ? text : ""; *at;) {
        size_t len = strcspn(at, ",");
        const char *equals = memchr(at, '=', len);
        struct item item = {.key = at, .key_len = equals ? (size_t)(equals - at) : len};
        if (equals) {
            item.value = equals + 1;
            item.value_len = len - item.key_len - 1;
        }
        if (len && set_item(o, &item, err) != 0)
            return -1;
        at += len;
        at += *at == ',';
    }
    if (!o->cert[0] != !o->certkey[0] || !o->cert[0] != !o->ca[0])
        return ix_fail(err, "options 'cert', 'certkey' and 'ca' go together");
    return 0;
}

int ixa_options_read_key(struct ixa_options *o, struct ix_error *err)
{
    if (!o->key_file[0])
        return 0;
    if (ix_key_read(IX_KEY_AGENT, o->key_file, &o->key, err) != 0)
        return ix_fail_in(err, "option 'key'");
    o->has_key = true;
    o->key_file[0] = 0;
    return 0;
}

/* A number that a build tool has made up for a jar, as in surefirebooter8848453574333929270.jar,
 * has so many digits at least. */
enum { MADE_UP_DIGITS = 8 };

/* The end of a jar's name, without a number that differs from run to run. */
static const char *cut_number(const char *from, const char *end)
{
    const char *p = end;
    size_t digits = 0;
    for (; p > from && (isdigit((unsigned char)p[-1]) || p[-1] == '-' || p[-1] == '_'); p--)
        digits += isdigit((unsigned char)p[-1]) != 0;
    return digits >= MADE_UP_DIGITS && p > from ? p : end;
}

/* The simple name of the main class, or of the jar, from sun.java.command: the class (preceded by
 * its module and '/') or the jar's path, then the arguments, separated by blanks. */
static void role_of_command(const char *command, const char **role, size_t *role_len)
{
    size_t len = strcspn(command, " ");
    const char *from = command, *end = command + len;
    for (const char *p = command; p < end; p++)
        if (*p == '/')
            from = p + 1;
    if (end - from > 4 && memcmp(end - 4, ".jar", 4) == 0) {
        end = cut_number(from, end - 4);
    } else {
        for (const char *p = from; p + 1 < end; p++)
            if (*p == '.' || *p == '$')
                from = p + 1;
    }
    *role = from;
    *role_len = (size_t)(end - from);
}

static int complete_role(struct ixa_options *o, const char *property, const char *command,
                         struct ix_error *err)
{
    if (o->role[0])
        return 0;
    if (property && *property) {
        if (set_role(o, property, strlen(property), err) == 0)
            return 0;
        return ix_fail_in(err, "system property ixor.role");
    }
    const char *env = getenv("IXOR_ROLE");
    if (env && *env) {
        if (set_role(o, env, strlen(env), err) == 0)
            return 0;
        return ix_fail_in(err, "environment variable IXOR_ROLE");
    }
    const char *role = o->tests ? "tests" : "java";
    size_t len = strlen(role);
    if (command && *command && !o->tests)
        role_of_command(command, &role, &len);
    if (len > IX_NAME_MAX)
        len = IX_NAME_MAX; /* no one's mistake: a long name must not prevent a start */
    if (!len)
        return set_role(o, "java", 4, err);
    return set_role(o, role, len, err);
}

int ixa_options_complete(struct ixa_options *o, const char *role_property, const char *command,
                         struct ix_error *err)
{
    const char *server = getenv("IXOR_SERVER");
    if (!o->host[0]) {
        const char *text = server && *server ? server : "127.0.0.1";
        if (set_server(o, text, strlen(text), err) != 0)
            return ix_fail_in(err, "environment variable IXOR_SERVER");
    }
    const char *execution = getenv("IXOR_EXECUTION");
    if (!o->execution[0] && execution && set_execution(o, execution, strlen(execution), err) != 0)
        return ix_fail_in(err, "environment variable IXOR_EXECUTION");
    const char *key = getenv("IXOR_KEY");
    if (!o->has_key && key && *key) {
        if (ix_key_parse(IX_KEY_AGENT, key, &o->key, err) != 0)
            return ix_fail_in(err, "environment variable IXOR_KEY");
        o->has_key = true;
    }
    if (!o->log[0])
        memcpy(o->log, IXA_LOG_DEFAULT, sizeof IXA_LOG_DEFAULT);
    if (!o->depth)
        o->depth = IXA_DEPTH_DEFAULT;
    if (!o->memory)
        o->memory = IXA_MEMORY_DEFAULT;
    if (!o->upload_ms)
        o->upload_ms = IXA_UPLOAD_MS_DEFAULT;
    return complete_role(o, role_property, command, err);
}

bool ixa_options_same_log(const struct ixa_options *a, const struct ixa_options *b)
{
    return a->port == b->port && strcmp(a->host, b->host) == 0 && strcmp(a->role, b->role) == 0 &&
           strcmp(a->execution, b->execution) == 0 && strcmp(a->log, b->log) == 0;
}
