/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/platform.h"

#include <stddef.h>
#include <string.h>

#include "schema/base/library.h"

bool roxi_is_platform(const char *class_name)
{
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strncmp(class_name, packages[i], strlen(packages[i])) == 0)
            return true;
    return ix_is_of_tests(class_name);
}
