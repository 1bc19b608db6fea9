/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups, with a directory in place of the kernel's: mkdir(2) and rmdir(2) are replaced,
 * and do what the kernel does with the files of a group. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/launch/cgroup.h"

static char root[] = "/tmp/ixor-cgroup-XXXXXX";
static char text[4096]; /* a mountinfo */

/* Groups below this one have the controller; "": none have. */
static const char *delegated = "";

static void make_file(const char *dir, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    close(fd);
}

static void remove_file(const char *dir, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    unlink(path);
}

int mkdir(const char *path, mode_t mode)
{
    const long result = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (result == 0 && strstr(path, "/ixor-") && *delegated &&
        strncmp(path, delegated, strlen(delegated)) == 0 &&
        !strchr(path + strlen(delegated) + 1, '/')) {
        make_file(path, "cpu.max");
        make_file(path, "cgroup.procs");
    }
    return (int)result;
}

int rmdir(const char *path)
{
    if (strstr(path, "/ixor-")) {
        remove_file(path, "cpu.max");
        remove_file(path, "cgroup.procs");
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

static void read_file(const char *dir, const char *name, char *to, size_t size)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    to[fread(to, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void below(char *to, size_t size, const char *path)
{
    snprintf(to, size, "%s%s", root, path);
}

static void nearest_group_that_works(void **state)
{
    char slice[256], want[512], found[64];
    struct ix_error err = {""};
    (void)state;
    below(slice, sizeof slice, "/user.slice");
    delegated = slice;
    char *dir = ixor_cgroup_find_in(text, "1:cpu:/other\n0::/user.slice/app.scope\n", 25, &err);
    if (!dir)
        fail_msg("%s", err.text);
    snprintf(want, sizeof want, "%s/ixor-%d", slice, (int)getpid());
    assert_string_equal(dir, want);
    assert_int_equal(access(dir, F_OK), -1); /* it was only tried out */

    assert_int_equal(ixor_cgroup_make(dir, 25, &err), 0);
    read_file(dir, "cpu.max", found, sizeof found);
    assert_string_equal(found, "25000 100000");
    assert_int_equal(ixor_cgroup_join(dir), 0);
    read_file(dir, "cgroup.procs", found, sizeof found);
    assert_string_equal(found, "0");
    assert_int_equal(ixor_cgroup_make(dir, 25, &err), -1); /* it exists */
    assert_int_equal(ixor_cgroup_remove(dir), 0);
    assert_int_equal(access(dir, F_OK), -1);
    assert_int_equal(ixor_cgroup_remove(dir), 0); /* again: nothing to do */
    free(dir);
}

static void root_group(void **state)
{
    struct ix_error err = {""};
    (void)state;
    delegated = root;
    char *dir = ixor_cgroup_find_in(text, "0::/\n", 150, &err);
    assert_non_null(dir);
    assert_memory_equal(dir, root, strlen(root));
    free(dir);
}

static void refused(void **state)
{
    static const struct {
        const char *own;
        int mounted;
        const char *want;
    } rows[] = {
        {"0::/user.slice/app.scope\n", 1, "systemd-run --user --scope"},
        {"0::/user.slice/app.scope\n", 0, "no cgroup v2"},
        {"1:cpu:/\n", 1, "no cgroup v2"},
        {"", 1, "no cgroup v2"},
    };
    (void)state;
    delegated = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ix_error err = {""};
        assert_null(ixor_cgroup_find_in(rows[i].mounted ? text : "", rows[i].own, 25, &err));
        if (!strstr(err.text, rows[i].want))
            fail_msg("row %zu: %s", i, err.text);
    }
}

static int set_up(void **state)
{
    char dir[256];
    (void)state;
    assert_non_null(mkdtemp(root));
    below(dir, sizeof dir, "/user.slice");
    if (mkdir(dir, 0755) != 0)
        return -1;
    below(dir, sizeof dir, "/user.slice/app.scope");
    snprintf(text, sizeof text,
             "22 1 0:20 / /proc rw - proc proc rw\n"
             "30 22 0:26 / %s rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
             root);
    return mkdir(dir, 0755);
}

static int tear_down(void **state)
{
    char dir[256];
    (void)state;
    below(dir, sizeof dir, "/user.slice/app.scope");
    rmdir(dir);
    below(dir, sizeof dir, "/user.slice");
    rmdir(dir);
    return rmdir(root); /* fails if anything is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_group_that_works),
        cmocka_unit_test(root_group),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
