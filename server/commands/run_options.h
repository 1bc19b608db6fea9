/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `ixor run`. */
#ifndef IXOR_RUN_OPTIONS_H
#define IXOR_RUN_OPTIONS_H

#include "server/commands/common_options.h"
#include "server/commands/rhythm_options.h"
#include "server/commands/until.h"
#include "server/launch/disturbance.h"

/* Pointers are into argv. */
struct ixor_run_options {
    size_t runs;     /* at most */
    bool runs_given; /* if not, and --until is given, there is no limit worth showing */
    struct ixor_until until;
    struct ixor_disturbance disturb;
    size_t disturb_every; /* every nth run */
    struct ixor_rhythm_choice rhythm;
    uint64_t timeout_ns; /* 0: none */
    struct ixor_lead_option lead;
    const char *out;
    struct ixor_agent_option agent;
    bool show_output, no_coverage;
    struct ixor_tests_option tests;
    const char *junit; /* NULL: the exit status alone decides */
    struct ixor_json_option json;
    struct ixor_http_option http;
    char **command; /* ends with NULL */
};

/* Returns what ixor_parse_options does. */
int ixor_run_options_parse(struct ixor_run_options *o, int argc, char **argv, struct ix_error *err);

#endif
