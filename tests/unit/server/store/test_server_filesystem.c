/* SPDX-License-Identifier: Apache-2.0 */
/* File systems on which no campaign may lie. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/store/filesystem.h"

static uint32_t type;
static const char *there; /* the only directory that is there */

static int ask(const char *path, struct statfs *out)
{
    if (strcmp(path, there) != 0) {
        errno = ENOENT;
        return -1;
    }
    memset(out, 0, sizeof *out);
    /* As the kernel gives it: some types are negative in a field that is signed. */
    out->f_type = (__typeof__(out->f_type))(int32_t)type;
    return 0;
}

static void types(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        int result;
        const char *says;
    } table[] = {
        {0x6969, -1, "(NFS)"},     {0xff534d42, -1, "(CIFS)"},
        {0xfe534d42, -1, "(SMB)"}, {0x65735546, 1, "(FUSE)"},
        {0x01021997, 1, "(9P)"},   {0xef53, 0, ""}, /* ext4, tmpfs, XFS, btrfs, overlayfs */
        {0x01021994, 0, ""},       {0x58465342, 0, ""},
        {0x9123683e, 0, ""},       {0x794c7630, 0, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ix_error err = {""};
        type = table[i].type;
        there = "/a/camp";
        assert_int_equal(ixor_filesystem_check("/a/camp", ask, &err), table[i].result);
        assert_non_null(strstr(err.text, table[i].says));
    }
}

/* A directory that is to be made will be where the first one above it is. */
static void the_first_above(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"/a/b/c", "/a/b"}, {"/a/b/c", "/a"}, {"/a/b/c", "/"}, {"a/b", "a"},
        {"a/b", "."},       {"a", "."},       {"a/", "a"},
    };
    type = 0x6969;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        there = table[i][1];
        assert_int_equal(ixor_filesystem_check(table[i][0], ask, NULL), -1);
    }
    there = "/elsewhere";
    assert_int_equal(ixor_filesystem_check("/a", ask, NULL), 0);
    assert_int_equal(ixor_filesystem_check("a", ask, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(the_first_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
