/* SPDX-License-Identifier: Apache-2.0 */
/* The data that the page's script draws, as JSON: of each run shown in full what every thread did
 * packet after packet, its findings, and how its call trees differ from those of normal runs. Call
 * stacks, frames and names are numbered once for all runs.
 *
 * {"strings": [text], "frames": [[text, of the platform]], "stacks": [parent, frame, doing, ...],
 *  "methods": [text],
 *  "runs": [{"name", "score", "verdict", "typical", "moments": [packet, ms, ...],
 *            "jvms": [role], "threads": [[jvm, node, template, outside, [gap, packets, stack, ...],
 *            [gap, packets, state, ...]]], "findings": [[text, packet, stack, role, node, thread]],
 * "trees": [{"role", "nodes": [parent, method, here, elsewhere, ...]}]}]}
 *
 * Stack 0 is empty; string 0 is empty. A gap is counted from the end of the thread's previous stack
 * or state, at first from packet 0. States are numbered as `doing` (finding.h, recorded.h); only
 * those that say more than the call stack are included. A tree's node 0 is its root; here and
 * elsewhere are thousandths of a thread at a packet. `threads` is null if there is no room for
 * them. */
#ifndef ROXI_PAGE_DATA_H
#define ROXI_PAGE_DATA_H

#include "roxi/page/distances.h"
#include "roxi/page/recorded.h"
#include "roxi/page/sheet.h"

/* Time lines that are kept: about ten bytes each. */
enum { ROXI_PAGE_SPANS = 900000 };

/* `recorded`: of the runs shown, in that order. Without '<', so that it can stand in a script
 * element. -1: memory ran out. */
int roxi_page_data(FILE *out, const struct roxi_sheet *s, const struct roxi_distances *d,
                   const struct roxi_recorded *recorded);

#endif
