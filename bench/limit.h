/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of one cell width's kernels (roxi/distance/kernel_template.h) on numbers that stay
 * in registers. CELL is the type, TARGET the instruction set, BYTES the size of its registers,
 * NAME(x) names the functions. Included several times by bench/kernel.c.
 *
 * Does for each cell what a kernel does, and nothing else: no loads, no stores, no row ends, and
 * four to eight independent registers, so that none waits for another's result. The computed values
 * are meaningless. Returns a value that depends on every step. */
#define CELLS (VECTORS * BYTES / sizeof(CELL))

/* Compare, select, three additions, two minima. */
enum { NAME(VECTORS_OF_EDIT) = 8 };
#define VECTORS NAME(VECTORS_OF_EDIT)
TARGET __attribute__((noinline)) static long NAME(edit)(size_t steps, const CELL *k)
{
    CELL cell[CELLS], name = k[0], other = k[1], insert = k[2], delete = k[3];
    for (size_t l = 0; l < CELLS; l++)
        cell[l] = (CELL)(k[4] + (CELL)l);
    for (size_t i = 0; i < steps; i++) {
#pragma omp simd
        for (size_t l = 0; l < CELLS; l++) {
            CELL best = (CELL)(cell[l] + (cell[l] == name ? 0 : other));
            CELL up = (CELL)(cell[l] + insert), side = (CELL)(cell[l] + delete);
            best = up < best ? up : best;
            cell[l] = side < best ? side : best;
        }
    }
    long sum = 0;
    for (size_t l = 0; l < CELLS; l++)
        sum += cell[l];
    return sum;
}
#undef VECTORS

/* Four comparisons and selections, a multiplication, four additions, two minima. */
enum { NAME(VECTORS_OF_GRADED) = 8 };
#define VECTORS NAME(VECTORS_OF_GRADED)
TARGET __attribute__((noinline)) static long NAME(graded)(size_t steps, const CELL *k)
{
    CELL cell[CELLS], name = k[0], right = k[1], insert = k[2], delete = k[3], reward = k[5],
                      descriptor = k[6], method = k[7], class_name = k[8];
    for (size_t l = 0; l < CELLS; l++)
        cell[l] = (CELL)(k[4] + (CELL)l);
    for (size_t i = 0; i < steps; i++) {
#pragma omp simd
        for (size_t l = 0; l < CELLS; l++) {
            CELL grade = cell[l] == name ? reward : 1;
            grade = cell[l] == descriptor ? grade : 10;
            grade = cell[l] == method ? grade : 100;
            grade = cell[l] == class_name ? grade : 1000;
            CELL best = (CELL)(cell[l] + (CELL)(cell[l] + right) * grade);
            CELL up = (CELL)(cell[l] + insert), side = (CELL)(cell[l] + delete);
            best = up < best ? up : best;
            cell[l] = side < best ? side : best;
        }
    }
    long sum = 0;
    for (size_t l = 0; l < CELLS; l++)
        sum += cell[l];
    return sum;
}
#undef VECTORS

/* Compare, select, five additions, four minima. */
enum { NAME(VECTORS_OF_AFFINE) = 4 };
#define VECTORS NAME(VECTORS_OF_AFFINE)
TARGET __attribute__((noinline)) static long NAME(affine)(size_t steps, const CELL *k)
{
    CELL cell[CELLS], down[CELLS], name = k[0], other = k[1], open = k[2], widen = k[3],
                                   side_open = k[5], side_widen = k[6];
    for (size_t l = 0; l < CELLS; l++)
        cell[l] = down[l] = (CELL)(k[4] + (CELL)l);
    for (size_t i = 0; i < steps; i++) {
#pragma omp simd
        for (size_t l = 0; l < CELLS; l++) {
            CELL best = (CELL)(cell[l] + (cell[l] == name ? 0 : other));
            CELL up = (CELL)(down[l] + widen), up_new = (CELL)(cell[l] + open);
            CELL side = (CELL)(down[l] + side_widen), side_new = (CELL)(cell[l] + side_open);
            up = up_new < up ? up_new : up;
            side = side_new < side ? side_new : side;
            best = up < best ? up : best;
            cell[l] = side < best ? side : best;
            down[l] = up;
        }
    }
    long sum = 0;
    for (size_t l = 0; l < CELLS; l++)
        sum += cell[l] + down[l];
    return sum;
}
#undef VECTORS
#undef CELLS

/* Cells a second, the best of several runs of a few milliseconds. */
static double NAME(limit)(const struct roxi_strategy *s)
{
    static const CELL k[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const bool affine = s->kind == ROXI_AFFINE;
    const size_t steps = 200000, cells = (affine      ? NAME(VECTORS_OF_AFFINE)
                                          : s->graded ? NAME(VECTORS_OF_GRADED)
                                                      : NAME(VECTORS_OF_EDIT)) *
                                         BYTES / sizeof(CELL);
    volatile long sink = 0; /* keeps the loops from being optimised away */
    double best = 0;
    for (int run = 0; run < 5; run++) {
        const double begin = now();
        sink += (affine ? NAME(affine) : s->graded ? NAME(graded) : NAME(edit))(steps, k);
        const double rate = (double)steps * (double)cells / (now() - begin);
        best = rate > best ? rate : best;
    }
    (void)sink;
    return best;
}
