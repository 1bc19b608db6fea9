/* From a campaign's catalogue and trace logs to the profiles of its executions.
 *
 * Of each execution only the packets count that at least min_vms of its VMs answered (THESIS.md,
 * normalisation 3); VMs of one role are added. A torn log is read up to its last whole record, with
 * a warning; a VM whose log cannot be opened is left out, with a warning; so is an execution of
 * which nothing is left, but it stays in the list.
 *
 * Logs are read in parallel, each by one thread; which threads there are changes nothing about the
 * result, not even the numbers in the dictionary. A log is decoded once. Unless min_vms is 1 its
 * records are passed over once before, to learn which packets there are.
 *
 * Memory: the profiles and the dictionary, a further dictionary for each thread if there are
 * several, what one log defines for each thread, and 16 bytes for each run of consecutive packets of
 * a log; so what repeats costs nothing, however long logs are.
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
    bool aspects;     /* gather what else executions show (aspects.h) */
    bool explain;     /* print on stderr what became of names; takes one thread */
    unsigned threads; /* 0: as many as there are processors (OMP_NUM_THREADS limits them) */
};

/* The executions of two campaigns with one dictionary, those of `campaign` first; *of_first: how
 * many these are. As roxi_load. */
struct roxi_profiles *roxi_load_both(const char *campaign, const char *baseline,
                                     const struct roxi_load_options *options, size_t *of_first,
                                     struct ix_error *err);

/* All executions in the catalogue's order, at least one. NULL if the campaign or a log is invalid,
 * or if nothing counts in any execution. */
struct roxi_profiles *roxi_load(const char *campaign, const struct roxi_load_options *options,
                                struct ix_error *err);

#endif
