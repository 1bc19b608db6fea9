/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a step of GitHub Actions: the file that the environment variable
 * GITHUB_STEP_SUMMARY names, to which each command of the step may add. */
#ifndef ROXI_STEP_H
#define ROXI_STEP_H

#include <stdio.h>

#include "schema/base/error.h"

struct roxi_step {
    FILE *out; /* NULL: the variable is not set */
    const char *path;
};

/* Before the work starts, so that a wrong path is told at once. 0 or -1. */
int roxi_step_open(struct roxi_step *s, struct ix_error *err);
/* Adds Markdown, behind a blank line, which ends whatever stands before. */
void roxi_step_add(struct roxi_step *s, const char *text);
/* 0, or -1 if writing failed. */
int roxi_step_close(struct roxi_step *s, struct ix_error *err);
/* For errors; after a close it does nothing. */
void roxi_step_abandon(struct roxi_step *s);

#endif
