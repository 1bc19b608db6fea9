/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROXI_RADIX_H
#define ROXI_RADIX_H

#include <stddef.h>

/* Sorts `count` elements of `size` bytes, which begin with a uint32_t, ascending by that; equal
 * ones keep their order. `work` has room for as many elements. A radix sort, the last digit first
 * (Knuth, The Art of Computer Programming 3, 5.2.5): O(count), which is for many sorts of a hundred
 * elements and more; not more than a few KiB of stack. */
void roxi_sort_by_number(void *list, size_t count, size_t size, void *work);

#endif
