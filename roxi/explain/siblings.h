/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that tell the same of several templates of threads become one, which says how many. */
#ifndef ROXI_SIBLINGS_H
#define ROXI_SIBLINGS_H

#include "roxi/explain/finding.h"

/* Of findings for which `are` holds the stronger one is left, with the shares of all. It must be
 * symmetric. O(findings^2). */
void roxi_merge_siblings(struct roxi_findings *all,
                         bool (*are)(const struct roxi_finding *x, const struct roxi_finding *y));

#endif
