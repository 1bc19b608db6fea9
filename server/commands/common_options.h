/* SPDX-License-Identifier: Apache-2.0 */
/* Option groups that several commands of ixor share, and the common part of parsing them. */
#ifndef IXOR_COMMON_OPTIONS_H
#define IXOR_COMMON_OPTIONS_H

#include "schema/commandline/options.h"
#include "schema/protocol/tls.h"
#include "server/base/units.h"

/* Parses argv as ix_options_parse does. IXOR_OK: go on with *args. Otherwise the command returns
 * what this returns: IXOR_HELPED, --help was printed; or an exit status, with a message. */
int ixor_parse_options(const struct ix_command_line *line, int argc, char **argv, char ***args,
                       struct ix_error *err);
/* Adds to the message how to get help. Returns IXOR_USAGE. */
int ixor_wrong_use(const struct ix_command_line *line, struct ix_error *err);

/* --http */
struct ixor_http_option {
    bool wanted;
    struct ixor_address address;
};
struct ix_option_group ixor_http_group(struct ixor_http_option *o);

/* --tests, --burst-after */
struct ixor_tests_option {
    bool wanted;
    uint64_t burst_after_ns; /* a test that lasts this long gets a burst; 0: none */
};
struct ix_option_group ixor_tests_group(struct ixor_tests_option *o);
/* Refuses --burst-after without --tests: 0, or -1 with a message. */
int ixor_tests_check(const struct ixor_tests_option *o, struct ix_error *err);
#define IXOR_TESTS_DIR "tests" /* in DIR/runs: the tests' logs */

/* --lead, in ns: IXOR_LEAD_AUTO (set it as the default before parsing), or a value that agents
 * accept. */
struct ixor_lead_option {
    uint64_t ns;
};
struct ix_option_group ixor_lead_group(struct ixor_lead_option *o);

/* --tls-cert, --tls-key, --tls-ca */
struct ix_option_group ixor_tls_group(struct ix_tls_files *files);
/* Requires all three or none: 0, or -1 with a message. */
int ixor_tls_files_check(const struct ix_tls_files *files, struct ix_error *err);

/* --agent */
struct ixor_agent_option {
    const char *path; /* NULL: beside ixor */
};
struct ix_option_group ixor_agent_group(struct ixor_agent_option *o);

/* --json, for what is printed at the end. */
struct ixor_json_option {
    bool wanted;
};
struct ix_option_group ixor_json_group(struct ixor_json_option *o);

#endif
