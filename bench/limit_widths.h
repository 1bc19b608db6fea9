/* SPDX-License-Identifier: Apache-2.0 */
/* bench/limit.h in all widths for one instruction set, whose name ISA(x) appends to x. */
#define CELL int16_t
#define NAME(x) ISA(x##_16)
#include "bench/limit.h"
#undef CELL
#undef NAME

#define CELL int32_t
#define NAME(x) ISA(x##_32)
#include "bench/limit.h"
#undef CELL
#undef NAME

#define CELL int64_t
#define NAME(x) ISA(x##_64)
#include "bench/limit.h"
#undef CELL
#undef NAME
