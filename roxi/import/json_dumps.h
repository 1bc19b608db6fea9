/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as `jcmd PID Thread.dump_to_file -format=json` writes them, from JDK 21 on: an
 * object with the member threadDump, any number of them in a file. From JDK 24 on they have states
 * and what threads wait for and own. */
#ifndef ROXI_IMPORT_JSON_DUMPS_H
#define ROXI_IMPORT_JSON_DUMPS_H

#include "roxi/import/format.h"

/* A file is parsed in memory, and takes about ten times its size. */
#define DUMP_JSON_MAX (64u << 20)

extern const struct dump_format dump_format_json;

/* True if a file that begins like this has such dumps. */
bool dump_is_json(const char *begin, size_t len);

#endif
