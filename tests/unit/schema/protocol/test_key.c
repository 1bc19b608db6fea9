/* SPDX-License-Identifier: Apache-2.0 */
/* The campaign's keys: derived ones, their text, files that are sound and files that are not, and
 * where a server leaves one. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "schema/protocol/key.h"
#include "schema/protocol/keyplace.h"
#include "tests/support/tempdir.h"

static const struct ix_key counting = {{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31}};

#define COUNTING_TEXT "ixor-agent-000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* Computed with another program: Python's hmac module. */
static void derived(void **state)
{
    (void)state;
    struct ix_key agent, control;
    char text[IX_KEY_TEXT];
    assert_int_equal(ix_key_derive(&counting, IX_KEY_AGENT, &agent, NULL), 0);
    assert_int_equal(ix_key_derive(&counting, IX_KEY_CONTROL, &control, NULL), 0);
    ix_key_text(IX_KEY_AGENT, &agent, text);
    assert_string_equal(
        text, "ixor-agent-bd464f4e039e1cdc5be78db9c88a47ee98eef40320467cead35056db4bcab818");
    ix_key_text(IX_KEY_CONTROL, &control, text);
    assert_string_equal(
        text, "ixor-control-b6198b8da6e1e12f27408f101bbe6152ef73a5a90702b8546be1f5e2d2dd7e60");
}

static void made(void **state)
{
    (void)state;
    struct ix_key a, b;
    assert_int_equal(ix_key_make(&a, NULL), 0);
    assert_int_equal(ix_key_make(&b, NULL), 0);
    assert_memory_not_equal(&a, &b, sizeof a);
}

static void texts(void **state)
{
    (void)state;
    struct ix_key key;
    char text[IX_KEY_TEXT];
    ix_key_text(IX_KEY_AGENT, &counting, text);
    assert_string_equal(text, COUNTING_TEXT);
    assert_int_equal(ix_key_parse(IX_KEY_AGENT, text, &key, NULL), 0);
    assert_memory_equal(&key, &counting, sizeof key);

    static const struct {
        enum ix_key_kind kind;
        const char *text, *says;
    } bad[] = {
        {IX_KEY_AGENT, "", "is not a valid agent key"},
        {IX_KEY_AGENT, "ixor-agent-", "is not a valid agent key"},
        {IX_KEY_AGENT, COUNTING_TEXT "0", "is not a valid agent key"},
        {IX_KEY_AGENT, COUNTING_TEXT "\n", "is not a valid agent key"},
        {IX_KEY_AGENT, &COUNTING_TEXT[1], "is not a valid agent key"},
        {IX_KEY_CONTROL, COUNTING_TEXT, "is the agent key; expected the control key"},
        {IX_KEY_AGENT, "ixor-campaign-", "is the key of a whole campaign"},
        {IX_KEY_AGENT,
         "ixor-agent-000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         "not a hexadecimal digit"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ix_error err = {""};
        assert_int_equal(ix_key_parse(bad[i].kind, bad[i].text, &key, &err), -1);
        assert_non_null(strstr(err.text, bad[i].says));
        assert_null(strstr(err.text, "0001")); /* a key is not for logs */
    }
}

static void files(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_key key;
    struct stat info;
    const char *path = in_tempdir("key");
    assert_int_equal(ix_key_read(IX_KEY_AGENT, path, &key, &err), 1);
    const mode_t before = umask(0);
    assert_int_equal(ix_key_write(IX_KEY_AGENT, path, &counting, &err), 0);
    umask(before);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(ix_key_read(IX_KEY_AGENT, path, &key, &err), 0);
    assert_memory_equal(&key, &counting, sizeof key);
    assert_int_equal(ix_key_read(IX_KEY_CONTROL, path, &key, &err), -1);
    assert_non_null(strstr(err.text, path));

    static const mode_t open_modes[] = {0640, 0604, 0620, 0602, 0610, 0601};
    for (size_t i = 0; i < sizeof open_modes / sizeof *open_modes; i++) {
        assert_int_equal(chmod(path, open_modes[i]), 0);
        assert_int_equal(ix_key_read(IX_KEY_AGENT, path, &key, &err), -1);
        assert_non_null(strstr(err.text, "chmod 600"));
    }
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(ix_key_read(IX_KEY_AGENT, path, &key, &err), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
        assert_int_equal(ix_key_read(IX_KEY_AGENT, path, &key, &err), -1);
        assert_non_null(strstr(err.text, "belongs to user number 65534"));
    }
    /* What is there is replaced, whatever it is. */
    assert_int_equal(ix_key_write(IX_KEY_AGENT, path, &counting, &err), 0);
    assert_int_equal(ix_key_read(IX_KEY_AGENT, path, &key, &err), 0);
    assert_int_equal(ix_key_read(IX_KEY_AGENT, tempdir, &key, &err), -1);
    assert_non_null(strstr(err.text, "is not a file"));
    assert_int_equal(ix_key_write(IX_KEY_AGENT, in_tempdir("none/key"), &counting, &err), -1);
    assert_non_null(strstr(err.text, "No such file"));
}

static void contents(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status;
    } table[] = {
        {COUNTING_TEXT, 0},
        {COUNTING_TEXT "\n", 0},
        {COUNTING_TEXT "\n\n", -1},
        {COUNTING_TEXT " ", -1},
        {"", -1},
        {"\n", -1},
        {COUNTING_TEXT COUNTING_TEXT, -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ix_key key;
        struct ix_error err;
        const mode_t before = umask(077);
        FILE *f = fopen(in_tempdir("key"), "w");
        umask(before);
        assert_non_null(f);
        fputs(table[i].text, f);
        fclose(f);
        assert_int_equal(ix_key_read(IX_KEY_AGENT, in_tempdir("key"), &key, &err), table[i].status);
    }
}

/* The places are real: a port that no server can have keeps out of the way of others. */
static void places(void **state)
{
    (void)state;
    const uint16_t port = 0;
    struct ix_key key, other = {.bytes = "other"};
    assert_int_equal(setenv("XDG_RUNTIME_DIR", tempdir, 1), 0);
    assert_false(ix_keyplace_find(port, &key));
    assert_int_equal(ix_keyplace_put(port, &counting, NULL), 0);
    assert_true(ix_keyplace_find(port, &key));
    assert_memory_equal(&key, &counting, sizeof key);
    /* Also for who has not that variable. */
    assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
    assert_true(ix_keyplace_find(port, &key));
    assert_int_equal(setenv("XDG_RUNTIME_DIR", tempdir, 1), 0);
    ix_keyplace_remove(port, &other); /* not what it has put */
    assert_true(ix_keyplace_find(port, &key));
    ix_keyplace_remove(port, &counting);
    assert_false(ix_keyplace_find(port, &key));
    assert_int_not_equal(access(in_tempdir("ixor/0"), F_OK), 0);
}

/* What others could have made is not used. */
static void odd_places(void **state)
{
    (void)state;
    struct ix_key key;
    assert_int_equal(setenv("XDG_RUNTIME_DIR", tempdir, 1), 0);
    assert_int_equal(mkdir(in_tempdir("real"), 0700), 0);
    assert_int_equal(ix_key_write(IX_KEY_AGENT, in_tempdir("real/0"), &counting, NULL), 0);
    assert_int_equal(symlink(in_tempdir("real"), in_tempdir("ixor")), 0);
    assert_false(ix_keyplace_find(0, &key));
    assert_int_equal(unlink(in_tempdir("ixor")), 0);
    assert_int_equal(rename(in_tempdir("real"), in_tempdir("ixor")), 0);
    assert_true(ix_keyplace_find(0, &key));
    assert_int_equal(chmod(in_tempdir("ixor"), 0750), 0);
    assert_false(ix_keyplace_find(0, &key));
    assert_int_equal(chmod(in_tempdir("ixor"), 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(in_tempdir("ixor"), 65534, (gid_t)-1), 0);
        assert_false(ix_keyplace_find(0, &key));
    }
}

/* A process that puts the counting key at a port and waits to be killed. */
static pid_t start_server(uint16_t port)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        if (ix_keyplace_put(port, &counting, NULL) != 0 || write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* What a server leaves behind that was killed lasts until another one starts, on whatever port. */
static void a_crashed_server_leaves_no_key(void **state)
{
    (void)state;
    const uint16_t crashed = 3, living = 4, next = 5;
    struct ix_key key;
    assert_int_equal(setenv("XDG_RUNTIME_DIR", tempdir, 1), 0);
    const pid_t first = start_server(crashed), second = start_server(living);
    assert_true(ix_keyplace_find(crashed, &key));
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    assert_int_equal(ix_keyplace_put(next, &counting, NULL), 0);
    assert_false(ix_keyplace_find(crashed, &key));
    assert_true(ix_keyplace_find(living, &key));
    assert_true(ix_keyplace_find(next, &key));
    ix_keyplace_remove(next, &counting);
    kill(second, SIGKILL);
    waitpid(second, NULL, 0);
    ix_keyplace_remove(living, &counting);
    assert_false(ix_keyplace_find(living, &key));
}

int main(void)
{
#define IN_TEMPDIR(name) cmocka_unit_test_setup_teardown(name, tempdir_make, tempdir_remove)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived), cmocka_unit_test(made),
        cmocka_unit_test(texts),   IN_TEMPDIR(files),
        IN_TEMPDIR(contents),      IN_TEMPDIR(places),
        IN_TEMPDIR(odd_places),    IN_TEMPDIR(a_crashed_server_leaves_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
