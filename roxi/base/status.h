/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statuses of roxi. */
#ifndef ROXI_STATUS_H
#define ROXI_STATUS_H

enum roxi_status {
    ROXI_OK = 0,
    ROXI_FAILED = 1,
    ROXI_USAGE = 2,
    ROXI_UNUSUAL = 3, /* roxi check, roxi ci: succeeded and found such runs; no message */
    ROXI_INTERRUPTED = 130,
};

#endif
