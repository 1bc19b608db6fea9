/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `ixor run` and `ixor serve` that say when packets are sent. */
#ifndef IXOR_RHYTHM_OPTIONS_H
#define IXOR_RHYTHM_OPTIONS_H

#include "schema/commandline/options.h"
#include "server/sampling/rhythm.h"

struct ixor_rhythm_choice {
    struct ixor_rhythm_options options;
    double jitter_percent; /* of every_ns, whose option may come later; 0: none */
    bool seeded;           /* the user gave a seed */
    bool pauses;           /* of JVMs: they use the seed, too */
    bool of_tests;         /* each run is a JUnit test */
};

/* Sets the defaults, but for --every. */
struct ix_option_group ixor_rhythm_group(struct ixor_rhythm_choice *r);
/* After parsing: works out --every and the jitter, checks r->options, and chooses a seed where one
 * is needed and was not given. IXOR_OK, or IXOR_USAGE or IXOR_FAILED with a message. */
int ixor_rhythm_finish(struct ixor_rhythm_choice *r, struct ix_error *err);

/* Prints which seed was chosen, if one was. */
void ixor_rhythm_notice(const struct ixor_rhythm_choice *r);

#endif
