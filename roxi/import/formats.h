/* SPDX-License-Identifier: Apache-2.0 */
/* All formats of thread dumps. */
#ifndef ROXI_IMPORT_FORMATS_H
#define ROXI_IMPORT_FORMATS_H

#include "roxi/import/format.h"

/* The format of the file, which is open at its beginning and stays there. */
const struct dump_format *dump_format_of(FILE *in);

#endif
