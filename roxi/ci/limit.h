/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROXI_CI_LIMIT_H
#define ROXI_CI_LIMIT_H

/* Bytes of a summary at most: with a blank line before it 4,700, what is read in a few minutes. */
enum { ROXI_CI_SUMMARY_TEXT = 4699 };

#endif
