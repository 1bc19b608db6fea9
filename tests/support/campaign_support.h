/* SPDX-License-Identifier: Apache-2.0 */
/* Campaigns of logs that a test has written, in "c" in the temporary directory. */
#ifndef TESTS_UNIT_CAMPAIGN_SUPPORT_H
#define TESTS_UNIT_CAMPAIGN_SUPPORT_H

#include "schema/catalogue/catalogue.h"
#include "tests/support/tempdir.h"

/* Adds the run `name`. Each of its JVMs is `words` strings, and NULL ends the list: role, log and,
 * if there are three, how it ended; otherwise it was imported. */
void add_vms(const char *name, const char *const *vms, size_t words);

#endif
