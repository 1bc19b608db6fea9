/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's options: what is taken, what is refused and how, and where defaults come from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/settings/options.h"

static void forget_environment(void)
{
    unsetenv("IXOR_ROLE");
    unsetenv("IXOR_SERVER");
    unsetenv("IXOR_EXECUTION");
    unsetenv("IXOR_KEY");
}

static void servers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host;
        int port;
    } table[] = {
        {"server=db7", "db7", IX_DEFAULT_PORT},
        {"server=db7:1", "db7", 1},
        {"server=10.0.0.1:65535", "10.0.0.1", 65535},
        {"server=[::1]:80", "::1", 80},
        {"server=[fe80::1%eth0]", "fe80::1%eth0", IX_DEFAULT_PORT},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixa_options o = {0};
        struct ix_error err;
        assert_int_equal(ixa_options_parse(&o, table[i].text, &err), 0);
        assert_string_equal(o.host, table[i].host);
        assert_int_equal(o.port, table[i].port);
    }
}

static void test_clocks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns, ppb;
    } table[] = {
        {"testclock=5s", 5000000000, 0},
        {"testclock=-20ms", -20000000, 0},
        {"testclock=+7us/+50ppm", 7000, 50000},
        {"testclock=1ns/-200ppm,role=x", 1, -200000},
        {"testclock=-1000s/1000ppm", -1000000000000, 1000000},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixa_options o = {0};
        struct ix_error err;
        assert_int_equal(ixa_options_parse(&o, table[i].text, &err), 0);
        assert_int_equal(o.testclock_ns, table[i].ns);
        assert_int_equal(o.testclock_ppb, table[i].ppb);
    }
}

static void all_keys(void **state)
{
    (void)state;
    struct ixa_options o = {0};
    struct ix_error err;
    assert_int_equal(ixa_options_parse(&o,
                                       "server=h:5,role=a b,,execution=run=1,log=/x/%p.ixl,"
                                       "stop=suspend,depth=12,",
                                       &err),
                     0);
    assert_string_equal(o.host, "h");
    assert_int_equal(o.port, 5);
    assert_string_equal(o.role, "a b");
    assert_string_equal(o.execution, "run=1");
    assert_string_equal(o.log, "/x/%p.ixl");
    assert_true(o.suspend);
    assert_false(o.walk_all || o.verify);
    assert_int_equal(o.depth, 12);
    /* A second string overrides what it names and nothing else. */
    assert_int_equal(ixa_options_parse(&o, "role=c,stop=safepoint,execution=", &err), 0);
    assert_string_equal(o.role, "c");
    assert_false(o.suspend);
    assert_string_equal(o.execution, "");
    assert_string_equal(o.log, "/x/%p.ixl");
    assert_int_equal(ixa_options_parse(&o, "walk=all,verify=on", &err), 0);
    assert_true(o.walk_all && o.verify);
    assert_int_equal(ixa_options_parse(&o, "walk=changed", &err), 0);
    assert_false(o.walk_all);
    assert_int_equal(ixa_options_parse(&o, "memory=64k,maxlog=1024g", &err), 0);
    assert_int_equal(o.memory, 65536);
    assert_int_equal(o.maxlog, UINT64_C(1) << 40);
    assert_int_equal(ixa_options_parse(&o, "memory=70000,maxlog=3m", &err), 0);
    assert_int_equal(o.memory, 70000);
    assert_int_equal(o.maxlog, 3 << 20);
    assert_int_equal(o.virtual_mode, IXA_VIRTUAL_MOUNTED);
    assert_int_equal(ixa_options_parse(&o, "virtual=tracked", &err), 0);
    assert_int_equal(o.virtual_mode, IXA_VIRTUAL_TRACKED);
    assert_int_equal(o.virtual_limit, IXA_VIRTUAL_DEFAULT);
    assert_int_equal(ixa_options_parse(&o, "virtual=off,virtual=tracked:300", &err), 0);
    assert_int_equal(o.virtual_mode, IXA_VIRTUAL_TRACKED);
    assert_int_equal(o.virtual_limit, 300);
    assert_int_equal(ixa_options_parse(&o, "virtual=off", &err), 0);
    assert_int_equal(o.virtual_mode, IXA_VIRTUAL_OFF);
    assert_int_equal(ixa_options_parse(&o, "virtual=mounted", &err), 0);
    assert_int_equal(o.virtual_mode, IXA_VIRTUAL_MOUNTED);
    assert_false(o.facts.locks || o.facts.exceptions || o.facts.process);
    assert_int_equal(ixa_options_parse(&o, "locks=on,process=on", &err), 0);
    assert_true(o.facts.locks && !o.facts.exceptions && o.facts.process);
    assert_int_equal(ixa_options_parse(&o, "locks=off,exceptions=on", &err), 0);
    assert_true(!o.facts.locks && o.facts.exceptions && o.facts.process);
    assert_false(o.facts.firsts);
    assert_int_equal(ixa_options_parse(&o, "exceptions=first", &err), 0);
    assert_true(o.facts.firsts && !o.facts.exceptions);
    assert_int_equal(ixa_options_parse(&o, "exceptions=off", &err), 0);
    assert_false(o.facts.firsts || o.facts.exceptions);
    assert_false(o.facts.coverage);
    assert_int_equal(ixa_options_parse(&o, "coverage=on", &err), 0);
    assert_true(o.facts.coverage && !o.facts.invocations);
    assert_int_equal(ixa_options_parse(&o, "coverage=off", &err), 0);
    assert_false(o.facts.coverage);
    assert_int_equal(ixa_options_parse(&o, "upload=never,uploadtime=1500ms,machine=m", &err), 0);
    assert_true(o.upload_never && o.upload_ms == 1500);
    assert_string_equal(o.machine, "m");
    assert_false(o.tests);
    assert_int_equal(ixa_options_parse(&o, "runs=tests", &err), 0);
    assert_true(o.tests);
    assert_int_equal(ixa_options_parse(&o, "runs=jvm", &err), 0);
    assert_false(o.tests);
    assert_int_equal(ixa_options_parse(&o, "upload=exit,uploadtime=3600s", &err), 0);
    assert_true(!o.upload_never && o.upload_ms == 3600000);
    assert_int_equal(ixa_options_parse(&o, NULL, &err), 0);
    assert_int_equal(ixa_options_parse(&o, "", &err), 0);
    assert_string_equal(o.role, "c");
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; /* a part of it */
    } table[] = {
        {"sevrer=h", "option 'sevrer': unknown; known ones are server, role"},
        {"h:80", "option 'h:80': unknown"},
        {"=1", "option '': unknown"},
        {"role", "option 'role': has no value"},
        {"role=", "option 'role': is empty"},
        {"log=", "option 'log': is empty"},
        {"log=/x/%q.ixl", "option 'log': '%q' is not known"},
        {"log=/x/%", "option 'log': '%' is not known"},
        {"log=%p%{}", "option 'log': '%{' needs the name"},
        {"log=%{HOME", "option 'log': '%{' needs the name"},
        {"key=", "option 'key': names no file"},
        {"key", "option 'key': has no value"},
        {"cert=c", "'cert', 'certkey' and 'ca' go together"},
        {"role=x,certkey=c,ca=a", "'cert', 'certkey' and 'ca' go together"},
        {"server=", "option 'server': names no host"},
        {"server=:80", "option 'server': names no host"},
        {"server=h:", "option 'server': needs a port"},
        {"server=h:0", "option 'server': needs a port"},
        {"server=h:65536", "option 'server': needs a port"},
        {"server=h:8x", "option 'server': needs a port"},
        {"server=h:99999999999999999999", "option 'server': needs a port"},
        {"server=::1", "write it as [ADDRESS]:PORT"},
        {"server=[::1", "has no ']'"},
        {"server=[::1]80", "needs a port"},
        {"stop=never", "option 'stop': must be safepoint or suspend, not 'never'"},
        {"stop=suspended", "must be safepoint or suspend"},
        {"walk=some", "option 'walk': must be changed or all, not 'some'"},
        {"virtual=on", "option 'virtual': must be mounted, tracked, tracked:N or off, not 'on'"},
        {"virtual=", "must be mounted, tracked, tracked:N or off"},
        {"virtual=tracked:", "must be mounted, tracked, tracked:N or off"},
        {"virtual=tracked:0", "must have a number from 1 to 1000000 after 'tracked:'"},
        {"virtual=tracked:1000001", "must have a number"},
        {"virtual=tracked:x", "must have a number"},
        {"upload=yes", "option 'upload': must be exit or never, not 'yes'"},
        {"upload=", "option 'upload': must be exit or never"},
        {"runs=both", "option 'runs': must be jvm or tests, not 'both'"},
        {"uploadtime=", "option 'uploadtime': must be a time from 1ms to 3600s"},
        {"uploadtime=10", "must be a time"},
        {"uploadtime=0s", "must be a time"},
        {"uploadtime=3601s", "must be a time"},
        {"uploadtime=s", "must be a time"},
        {"uploadtime=1m", "must be a time"},
        {"verify=1", "option 'verify': must be on"},
        {"testclock=", "option 'testclock': must be a time up to 1000s"},
        {"testclock=5", "must be a time"},
        {"testclock=s", "must be a time"},
        {"testclock=-", "must be a time"},
        {"testclock=+-5s", "must be a time"},
        {"testclock=5sec", "must be a time"},
        {"testclock=1001s", "must be a time"},
        {"testclock=4294967296ns", "must be a time"},
        {"testclock=1s/", "must be a time"},
        {"testclock=1s/5", "must be a time"},
        {"testclock=1s/1001ppm", "must be a time"},
        {"testclock=/5ppm", "must be a time"},
        {"locks=", "option 'locks': must be on or off, not ''"},
        {"coverage=first", "option 'coverage': must be on or off, not 'first'"},
        {"exceptions=1", "option 'exceptions': must be on, first or off, not '1'"},
        {"process=onn", "option 'process': must be on or off, not 'onn'"},
        {"depth=0", "option 'depth': must be a number from 1 to 1000000"},
        {"depth=1000001", "must be a number"},
        {"depth=-1", "must be a number"},
        {"depth=", "must be a number"},
        {"memory=0", "option 'memory': must be a size from 64k to 1024g, such as 32m"},
        {"memory=", "must be a size"},
        {"memory=m", "must be a size"},
        {"memory=63k", "must be a size"},
        {"memory=65535", "must be a size"},
        {"memory=1M", "must be a size"},
        {"memory=1mb", "must be a size"},
        {"memory=-1m", "must be a size"},
        {"memory=1025g", "must be a size"},
        {"memory=99999999999999999999g", "must be a size"},
        {"maxlog=0k", "option 'maxlog': must be a size"},
        {"maxlog=1.5m", "must be a size"},
        {"role=ok,depht=3", "option 'depht': unknown"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixa_options o = {0};
        struct ix_error err = {""};
        assert_int_equal(ixa_options_parse(&o, table[i].text, &err), -1);
        if (!strstr(err.text, table[i].message))
            fail_msg("%s: '%s' lacks '%s'", table[i].text, err.text, table[i].message);
    }
    char text[8 + IX_NAME_MAX + 1];
    struct ixa_options o = {0};
    struct ix_error err;
    memset(text, 'x', sizeof text);
    memcpy(text, "role=", 5);
    text[5 + IX_NAME_MAX] = 0;
    assert_int_equal(ixa_options_parse(&o, text, &err), 0);
    assert_int_equal(strlen(o.role), IX_NAME_MAX);
    text[5 + IX_NAME_MAX] = 'x';
    text[6 + IX_NAME_MAX] = 0;
    assert_int_equal(ixa_options_parse(&o, text, &err), -1);
    assert_non_null(strstr(err.text, "longer than 256 bytes"));
}

/* What the text asks for may not be there: that is no fault of the text. */
static void not_the_texts_fault(void **state)
{
    (void)state;
    struct ixa_options o = {0};
    struct ix_error err;
    unsetenv("IXOR_TEST_UNSET");
    assert_int_equal(
        ixa_options_parse(&o, "log=%{IXOR_TEST_UNSET}/%%p%p%r%e%h%t,key=/no/such", &err), 0);
    assert_false(o.has_key);
    assert_int_equal(ixa_options_read_key(&o, &err), -1);
    assert_non_null(strstr(err.text, "option 'key'"));
    assert_non_null(strstr(err.text, "/no/such"));
    assert_int_equal(ixa_options_parse(&o, "cert=c,certkey=k,ca=/none", &err), 0);

    static const struct {
        const char *name, *value;
    } table[] = {
        {"IXOR_KEY", "garbage"},
        {"IXOR_ROLE", NULL},
        {"IXOR_EXECUTION", NULL},
        {"IXOR_SERVER", ":"},
    };
    char longest[IX_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixa_options env = {0};
        forget_environment();
        setenv(table[i].name, table[i].value ? table[i].value : longest, 1);
        assert_int_equal(ixa_options_parse(&env, "depth=3", &err), 0);
        assert_int_equal(ixa_options_complete(&env, NULL, "Main", &err), -1);
        assert_non_null(strstr(err.text, table[i].name));
        unsetenv(table[i].name);
    }
}

/* A key is read once: the file that attaching names is gone soon after. */
static void key_files(void **state)
{
    (void)state;
    char path[] = "/tmp/ixor-options-XXXXXX", text[64];
    const struct ix_key key = {.bytes = "some key"};
    struct ixa_options o = {0};
    struct ix_error err;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(ix_key_write(IX_KEY_AGENT, path, &key, &err), 0);
    snprintf(text, sizeof text, "key=%s", path);
    assert_int_equal(ixa_options_read_key(&o, &err), 0);
    assert_false(o.has_key);
    assert_int_equal(ixa_options_parse(&o, text, &err), 0);
    assert_int_equal(ixa_options_read_key(&o, &err), 0);
    assert_true(o.has_key);
    assert_memory_equal(o.key.bytes, key.bytes, IX_KEY_SIZE);
    unlink(path);
    assert_int_equal(ixa_options_parse(&o, "depth=3", &err), 0);
    assert_int_equal(ixa_options_read_key(&o, &err), 0);
    assert_true(o.has_key);
}

static void roles_of_commands(void **state)
{
    (void)state;
    static const struct {
        const char *command, *role;
    } table[] = {
        {"Main", "Main"},
        {"a.b.Main x y/z.Q", "Main"},
        {"a.b.Outer$Main", "Main"},
        {"a.b.Main$ arg", "Main$"},
        {"/p/app.jar", "app"},
        {"app-1.2.jar -v", "app-1.2"},
        {"../lib/app.jar a.b", "app"},
        {"/t/surefirebooter8848453574333929270.jar /t x", "surefirebooter"},
        {"/t/surefirebooter-20261129091822123_3.jar", "surefirebooter"},
        {"app-2.1234567.jar", "app-2.1234567"},
        {"app-2026-11-29.jar", "app"},
        {"20261129.jar", "20261129"},
        {"my.module/pkg.Main arg", "Main"},
        {"", "java"},
        {" x", "java"},
        {"dir/", "java"},
        {NULL, "java"},
    };
    forget_environment();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixa_options o = {0};
        struct ix_error err;
        assert_int_equal(ixa_options_complete(&o, NULL, table[i].command, &err), 0);
        assert_string_equal(o.role, table[i].role);
    }
}

static void defaults(void **state)
{
    (void)state;
    struct ixa_options o = {0};
    struct ix_error err;
    forget_environment();
    assert_int_equal(ixa_options_complete(&o, NULL, "a.Main", &err), 0);
    assert_string_equal(o.host, "127.0.0.1");
    assert_int_equal(o.port, IX_DEFAULT_PORT);
    assert_string_equal(o.execution, "");
    assert_string_equal(o.log, "ixor-%r-%p-%t.ixl");
    assert_false(o.suspend);
    assert_int_equal(o.depth, 8192);
    assert_int_equal(o.memory, 32 << 20);
    assert_int_equal(o.maxlog, 0);

    o = (struct ixa_options){.tests = true};
    assert_int_equal(ixa_options_complete(&o, NULL, "/tmp/surefirebooter123.jar", &err), 0);
    assert_string_equal(o.role, "tests");
}

static void precedence(void **state)
{
    (void)state;
    struct ix_error err;
    setenv("IXOR_ROLE", "from-env", 1);
    setenv("IXOR_SERVER", "envhost:9", 1);
    setenv("IXOR_EXECUTION", "run-env", 1);
    struct ixa_options o = {0};
    assert_int_equal(ixa_options_complete(&o, NULL, "a.Main", &err), 0);
    assert_string_equal(o.role, "from-env");
    assert_string_equal(o.host, "envhost");
    assert_int_equal(o.port, 9);
    assert_string_equal(o.execution, "run-env");

    o = (struct ixa_options){.tests = true};
    assert_int_equal(ixa_options_complete(&o, "from-property", "a.Main", &err), 0);
    assert_string_equal(o.role, "from-property");

    o = (struct ixa_options){0};
    assert_int_equal(ixa_options_parse(&o, "role=mine,server=myhost,execution=e", &err), 0);
    assert_int_equal(ixa_options_complete(&o, "from-property", "a.Main", &err), 0);
    assert_string_equal(o.role, "mine");
    assert_string_equal(o.host, "myhost");
    assert_int_equal(o.port, IX_DEFAULT_PORT);
    assert_string_equal(o.execution, "e");

    setenv("IXOR_SERVER", "envhost:x", 1);
    o = (struct ixa_options){0};
    assert_int_equal(ixa_options_complete(&o, NULL, "a.Main", &err), -1);
    assert_non_null(strstr(err.text, "IXOR_SERVER: needs a port"));
    forget_environment();
}

/* What ixor attach passes on, and when a log goes on. */
static void attaching(void **state)
{
    (void)state;
    struct ixa_options a = {0}, b;
    struct ix_error err;
    forget_environment();
    assert_int_equal(ixa_options_parse(&a, "answer=/tmp/.x,detach=now", &err), 0);
    assert_string_equal(a.answer, "/tmp/.x");
    assert_true(a.detach);
    assert_int_equal(ixa_options_parse(&a, "detach=later", &err), -1);
    assert_int_equal(ixa_options_complete(&a, NULL, "Main", &err), 0);
    static const struct {
        const char *text;
        bool same;
    } table[] = {
        {"", true},
        {"stop=suspend,walk=changed,depth=7", true},
        {"role=Main", true},
        {"role=Other", false},
        {"execution=x", false},
        {"server=127.0.0.1:5", false},
        {"server=localhost", false},
        {"log=/x", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        b = a;
        assert_int_equal(ixa_options_parse(&b, table[i].text, &err), 0);
        assert_int_equal(ixa_options_same_log(&a, &b), table[i].same);
        assert_int_equal(ixa_options_same_log(&b, &a), table[i].same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(all_keys),
        cmocka_unit_test(refused),
        cmocka_unit_test(not_the_texts_fault),
        cmocka_unit_test(key_files),
        cmocka_unit_test(roles_of_commands),
        cmocka_unit_test(defaults),
        cmocka_unit_test(precedence),
        cmocka_unit_test(attaching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
