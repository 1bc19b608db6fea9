/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are compared with good ones, for the summary of a CI job, as Markdown. */
#ifndef ROXI_CI_ALARMS_H
#define ROXI_CI_ALARMS_H

#include "roxi/rank/calibrate.h"
#include "roxi/rank/score.h"
#include "schema/base/error.h"

struct roxi_ci_alarms {
    const struct roxi_profiles *profiles;
    const struct roxi_ranking *ranking;
    struct roxi_alarm alarm;
    size_t good;         /* runs that it was learned from */
    size_t checked;      /* runs */
    const size_t *order; /* the unusual ones of them, most unusual first */
    size_t unusual;
};

/* A heading, and a block of code, in which names cannot be markup, with score and reasons of each
 * unusual run; ROXI_CI_SUMMARY_TEXT bytes at most. The caller frees it. NULL: out of memory. */
char *roxi_ci_alarms(const struct roxi_ci_alarms *a, struct ix_error *err);

#endif
