/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/campaign_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void add_vms(const char *name, const char *const *vms, size_t words)
{
    struct ix_error err = {""};
    int64_t execution, id, pid = 1;
    struct ix_catalogue *c = ix_catalogue_open(in_tempdir("c"), IX_CATALOGUE_CREATE, &err);
    if (!c)
        fail_msg("%s", err.text);
    assert_int_equal(ix_catalogue_add_execution(c, name, NULL, 0, &execution, &err), 0);
    for (; *vms; vms += words) {
        struct ix_vm vm = {.execution = execution,
                           .role = vms[0],
                           .host = "h",
                           .jvm = "j",
                           .pid = pid++,
                           .log = in_tempdir(vms[1]),
                           .ended = words > 2 ? vms[2] : "imported"};
        assert_int_equal(ix_catalogue_add_vm(c, &vm, &id, &err), 0);
    }
    ix_catalogue_close(c);
}
