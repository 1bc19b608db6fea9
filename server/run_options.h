/* The command line of `ixor run`. */
#ifndef IXOR_RUN_OPTIONS_H
#define IXOR_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/error.h"
#include "server/rhythm_options.h"
#include "server/units.h"

/* Pointers are into argv. */
struct ixor_run_options {
    unsigned runs;
    struct ixor_rhythm_options rhythm;
    struct ixor_rhythm_texts rhythm_texts;
    uint64_t timeout_ns, lead_ns;
    const char *out, *agent; /* agent NULL: beside ixor */
    bool show_output, json;
    bool http; /* show it live at http_address */
    struct ixor_address http_address;
    char **command; /* ends with NULL */
};

/* IXOR_OK; IXOR_USAGE with a message; -1: help was asked for and printed. */
int ixor_run_options_parse(struct ixor_run_options *o, int argc, char **argv,
                           struct ix_error *err);

/* A value that `ixor serve` has as well: a lead that is "auto" (IXOR_LEAD_AUTO) or below what agents
 * accept. IXOR_OK or IXOR_USAGE. */
int ixor_parse_lead(const char *text, uint64_t *ns, struct ix_error *err);
/* And where the viewer listens. */
int ixor_parse_http(const char *text, struct ixor_address *address, struct ix_error *err);


#endif
