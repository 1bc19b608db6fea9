/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching: what /proc and the JVM say, whatever they say. */
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/attach/attach_protocol.h"
#include "server/attach/process.h"
#include "server/base/units.h"
#include "tests/support/tempdir.h"

static const char status_text[] =
    "Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4343\n"
    "Ngid:\t0\nPid:\t4343\nPPid:\t1\nTracerPid:\t0\n"
    "Uid:\t1000\t1001\t1000\t1001\nGid:\t100\t101\t100\t101\n"
    "Groups:\t4 24 4294967294 \nNStgid:\t4343\t77\t1\nNSpid:\t4343\t77\t1\n"
    "SigIgn:\t0000000000000000\nSigCgt:\t2000000101005ccd\n";

static void status_is_read(void **state)
{
    (void)state;
    struct ixor_proc s;
    assert_int_equal(ixor_status_parse(status_text, &s), 0);
    assert_int_equal(s.group, 4343);
    assert_int_equal(s.ns_pid, 1);
    assert_int_equal(s.uid, 1001);
    assert_int_equal(s.gid, 101);
    assert_int_equal(s.state, 'S');
    assert_true(s.takes_quit);
    assert_int_equal(s.group_count, 3);
    assert_int_equal(s.groups[0], 4);
    assert_int_equal(s.groups[2], 4294967294);
}

/* What root attaches with are the JVM's groups and not root's: those of root can read more. */
static void groups_are_those_of_the_process(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    const pid_t pid = fork();
    if (pid == 0) {
        const struct ixor_proc theirs = {
            .uid = 65534, .gid = 65533, .groups = {100, 200}, .group_count = 2};
        gid_t now[8];
        const bool good = setgroups(3, (gid_t[]){0, 6, 42}) == 0 &&
                          ixor_become_user_of(&theirs, NULL) == 0 && geteuid() == 65534 &&
                          getegid() == 65533 && getgroups(8, now) == 2 && now[0] == 100 &&
                          now[1] == 200;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* A process that takes SIGQUIT for nothing, in a working directory. */
static pid_t start_deaf(const char *cwd)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGQUIT, SIG_IGN);
        if (chdir(cwd) != 0 || write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* A fifo, a link or a directory in the place of the file that tells a JVM what SIGQUIT is for. */
static void what_is_in_the_place_of_the_trigger(void **state)
{
    (void)state;
    struct stat info;
    const char *const tmp = in_tempdir("tmp"), *const cwd = in_tempdir("cwd");
    assert_int_equal(mkdir(tmp, 0700) + mkdir(cwd, 0700), 0);
    const pid_t pid = start_deaf(cwd);
    struct ixor_attached jvm = {.pid = pid,
                                .pidfd = -1,
                                .tmp = open(tmp, O_PATH | O_DIRECTORY),
                                .status = {.ns_pid = pid, .uid = geteuid()}};
    char in_tmp[PATH_MAX], in_cwd[PATH_MAX];
    snprintf(in_tmp, sizeof in_tmp, "%s/.attach_pid%ld", tmp, (long)pid);
    snprintf(in_cwd, sizeof in_cwd, "%s/.attach_pid%ld", cwd, (long)pid);
    for (int both = 0; both < 2; both++) {
        struct ix_error err = {""};
        bool refused;
        assert_int_equal(mkfifo(both ? in_cwd : in_tmp, 0600), 0);
        jvm.deadline_ns = ixor_mono_ns() + 100000000;
        alarm(20); /* instead of an open that waits forever */
        assert_int_equal(ixor_attached_load(&jvm, "/x.so", "", &refused, &err), -1);
        alarm(0);
        assert_non_null(strstr(err.text, both ? "cannot make .attach_pid" : "does not answer"));
        assert_int_equal(lstat(in_tmp, &info), 0); /* not ours to remove */
        assert_true(S_ISFIFO(info.st_mode));
        assert_int_equal(lstat(in_cwd, &info), both ? 0 : -1);
    }
    close(jvm.tmp);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* A copy of the text with one part replaced; the caller's to free. */
static char *with(const char *part, const char *other)
{
    const char *at = strstr(status_text, part);
    assert_non_null(at);
    char *text;
    assert_true(asprintf(&text, "%.*s%s%s", (int)(at - status_text), status_text, other,
                         at + strlen(part)) >= 0);
    return text;
}

static void status_of_others(void **state)
{
    (void)state;
    static const struct {
        const char *part, *other;
        int result, ns_pid, takes_quit;
    } table[] = {
        {"SigCgt:\t2000000101005ccd", "SigCgt:\t0000000000000000", 0, 1, 0},
        {"SigCgt:\t2000000101005ccd", "SigCgt:\tfffffffffffffffb", 0, 1, 0},
        {"SigCgt:\t2000000101005ccd", "SigCgt:\t4", 0, 1, 1},
        {"SigCgt:\t2000000101005ccd", "SigCgt:\t", -1, 0, 0},
        {"SigCgt:\t2000000101005ccd", "SigCgt:\txyz", -1, 0, 0},
        {"SigCgt:", "SigCgx:", -1, 0, 0},
        {"NSpid:\t4343\t77\t1\n", "", 0, 4343, 1},
        {"NSpid:\t4343\t77\t1\n", "NSpid:\n", -1, 0, 0},
        {"NSpid:\t4343\t77\t1", "NSpid:\t99999999999999999999999", -1, 0, 0},
        {"Tgid:\t4343", "Tgid:\t-5", -1, 0, 0},
        {"Tgid:\t4343", "Tgid:\t0", -1, 0, 0},
        {"Uid:\t1000\t1001\t1000\t1001", "Uid:\t1000", -1, 0, 0},
        {"Gid:\t100\t101\t100\t101\n", "", -1, 0, 0},
        {"State:\tS (sleeping)\n", "", -1, 0, 0},
        /* A name is escaped by the kernel; even so only starts of lines count. */
        {"Name:\tjava", "Name:\tSigCgt:\t0", 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixor_proc s = {0};
        char *text = with(table[i].part, table[i].other);
        assert_int_equal(ixor_status_parse(text, &s), table[i].result);
        if (table[i].result == 0) {
            assert_int_equal(s.ns_pid, table[i].ns_pid);
            assert_int_equal(s.takes_quit, table[i].takes_quit);
        }
        free(text);
    }
}

/* Cut anywhere, any byte anything: a result or -1, and nothing outside the text is touched. */
static void status_is_hostile(void **state)
{
    (void)state;
    struct ixor_proc s;
    int good = 0;
    srand(1);
    for (size_t len = 0; len <= sizeof status_text; len++) {
        char *text = malloc(len + 1); /* exactly: the sanitizer sees a byte too far */
        assert_non_null(text);
        memcpy(text, status_text, len);
        text[len] = 0;
        good += ixor_status_parse(text, &s) == 0;
        for (int i = 0; len && i < 20; i++) {
            text[(size_t)rand() % len] = (char)rand();
            good += ixor_status_parse(text, &s) == 0;
        }
        free(text);
    }
    assert_true(good > 0);
}

static void maps(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool hotspot;
        const char *agent;
    } table[] = {
        {"7f00-7f10 r-xp 00000000 fd:01 123    /jdk/lib/server/libjvm.so", true, ""},
        {"7f00-7f10 r-xp 00000000 fd:01 123    /jdk/lib/server/libjvm.so (deleted)", true, ""},
        {"7f00-7f10 r--p 00000000 fd:01 123    /jdk/lib/server/libjvm.so", false, ""},
        {"7f00-7f10 r-xp 00000000 fd:01 123    /jdk/lib/server/libjvm.sorry", false, ""},
        {"7f00-7f10 r-xp 00000000 fd:01 123    /a b/libixor.so", false, "/a b/libixor.so"},
        {"7f00-7f10 r-xp 00000000 fd:01 123    /a/libixor-2.so (deleted)", false,
         "/a/libixor-2.so"},
        {"7f00-7f10 r--p 00000000 fd:01 123    /a/libixor.so", false, ""},
        {"7f00-7f10 r-xp 00000000 fd:01 123    /libixor.so/other", false, ""},
        {"7f00-7f10 r-xp 00000000 00:00 0", false, ""},
        {"7f00-7f10 r-xp 00000000 00:00 0      [stack]", false, ""},
        {"/libjvm.so", false, ""},
        {" /", false, ""},
        {"", false, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ixor_maps m = {0};
        ixor_maps_line(table[i].line, &m);
        assert_int_equal(m.hotspot, table[i].hotspot);
        assert_string_equal(m.agent, table[i].agent);
    }
    /* A path that does not fit is none. */
    static char line[2 * PATH_MAX] = "7f00-7f10 r-xp 00000000 fd:01 123 /";
    struct ixor_maps m = {0};
    memset(line + strlen(line), 'a', PATH_MAX);
    strcat(line, "/libixor.so");
    ixor_maps_line(line, &m);
    assert_string_equal(m.agent, "");
}

#define WORDS(text) text, sizeof(text) - 1

static void disabled(void **state)
{
    (void)state;
    assert_false(ixor_attach_disabled(WORDS("")));
    assert_false(ixor_attach_disabled(WORDS("java\0-XX:+DisableAttachMechanis")));
    assert_true(ixor_attach_disabled(WORDS("java\0-XX:+DisableAttachMechanism")));
    assert_true(ixor_attach_disabled(WORDS("java\0-XX:+DisableAttachMechanism\0Main\0")));
    assert_false(ixor_attach_disabled(WORDS("java\0-XX:+DisableAttachMechanismX\0Main\0")));
    assert_false(ixor_attach_disabled(
        WORDS("java\0-XX:+DisableAttachMechanism\0-XX:-DisableAttachMechanism\0Main\0")));
    assert_true(ixor_attach_disabled(
        WORDS("JAVA_TOOL_OPTIONS=-Xmx1g -XX:+DisableAttachMechanism -Dx=y\0")));
}

static void answers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int result, returned;
        const char *says;
    } table[] = {
        {"0\nreturn code: 0\n", 0, 0, NULL},
        {"0\nreturn code: -1\n", 0, -1, NULL},
        {"0\nsome words\nreturn code: 7", 0, 7, NULL},
        /* JDK 17 and 25 when the library cannot be loaded. */
        {"-1\n/x.so was not loaded.\n/x.so: no such file\n", -1, 0, "/x.so was not loaded"},
        {"0\n/x.so was not loaded.\n/x.so: no such file\n", -1, 0, "/x.so was not loaded"},
        {"-1\nDynamic agent loading is not enabled. Use ...", -1, 0, "-agentpath"},
        {"-1\nreturn code: 0\n", -1, 0, "did not load"},
        {"0\nreturn code: \n", -1, 0, "did not load"},
        {"0\nreturn code: 99999999999999999999\n", -1, 0, "did not load"},
        {"0\n", -1, 0, "no reason given"},
        {"0", -1, 0, "did not load"},
        {"\n", -1, 0, "no reason given"},
        {"101\n", -1, 0, "no reason given"},
        {"0\n\033[31mred\n", -1, 0, "?[31mred"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ix_error err = {""};
        int returned = 0;
        assert_int_equal(ixor_load_answer(table[i].text, &returned, &err), table[i].result);
        assert_int_equal(returned, table[i].returned);
        if (table[i].says)
            assert_non_null(strstr(err.text, table[i].says));
    }
    /* Longer than any message. */
    static char text[100000];
    struct ix_error err = {""};
    int returned;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(ixor_load_answer(text, &returned, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_read),
        cmocka_unit_test(status_of_others),
        cmocka_unit_test(status_is_hostile),
        cmocka_unit_test(maps),
        cmocka_unit_test(disabled),
        cmocka_unit_test(answers),
        cmocka_unit_test(groups_are_those_of_the_process),
        cmocka_unit_test_setup_teardown(what_is_in_the_place_of_the_trigger, tempdir_make,
                                        tempdir_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
