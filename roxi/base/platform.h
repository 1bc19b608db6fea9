/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROXI_PLATFORM_H
#define ROXI_PLATFORM_H

#include <stdbool.h>

/* Does the class belong to the Java platform, or to what runs tests? It is not what is compared. */
bool roxi_is_platform(const char *class_name);

#endif
