/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROXI_CAPPED_H
#define ROXI_CAPPED_H

#include <stdint.h>

/* A number as one of 32 bits: UINT32_MAX is that or more. */
static inline uint32_t roxi_capped(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

#endif
