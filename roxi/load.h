/* From a campaign's catalogue and trace logs to the profiles of its executions.
 *
 * Of each execution only the packets count that at least min_vms of its VMs answered (THESIS.md,
 * normalisation 3), so logs are read twice unless min_vms is 1; VMs of one role are added. A torn
 * log is read up to its last whole record, with a warning; a VM whose log cannot be opened is left
 * out, with a warning; so is an execution of which nothing is left, but it stays in the list.
 *
 * Memory: the dictionary and the profiles; one log's definitions at a time.
 */
#ifndef ROXI_LOAD_H
#define ROXI_LOAD_H

#include "roxi/log_symbols.h"
#include "roxi/profile.h"

#define ROXI_ALL_VMS 0u /* as min_vms: as many as answered anything in the execution */

struct roxi_load_options {
    uint32_t min_vms;
    const char *rules; /* a file of rules for names; NULL: those built in */
    enum roxi_granularity granularity;
    bool explain; /* print on stderr what became of names */
};

/* All executions in the catalogue's order, at least one. NULL if the campaign or a log is invalid,
 * or if nothing counts in any execution. */
struct roxi_profiles *roxi_load(const char *campaign, const struct roxi_load_options *options,
                                struct ix_error *err);

#endif
