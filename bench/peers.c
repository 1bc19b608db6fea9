/* SPDX-License-Identifier: Apache-2.0 */
/* Compares Roxi's kernels with other programs for the same distances, on one core and the same
 * pairs, as rows of a table: bench/peers [STACKS].
 *
 * STACKS call stacks (default 1,000) of 24 frames on average (12 to 36), with 75 distinct frames,
 * so that text libraries can get them as letters; all against all, and all results compared.
 *
 * Levenshtein: our own bit-parallel program, one 64-bit word for each column (Myers 1999, "A fast
 * bit-vector algorithm for approximate string matching based on dynamic programming", in the form
 * for global distance of Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and Damerau
 * edit distances"). rapidfuzz does the same for words of up to 64 letters, plus looking up letters
 * in a hash table; Debian has no package of rapidfuzz. Also edlib, which is made for long
 * sequences. Gap: parasail, the fastest of several of its functions, with the query's profile
 * created once where a function uses one. Both libraries only if they were installed when this was
 * built. */
#include "bench/group.h"
#include "peers.h"
#ifdef HAVE_EDLIB
#include <edlib.h>
#endif
#ifdef HAVE_PARASAIL
#include <parasail.h>
#endif

enum { DEPTH = 24, LETTERS = 75, LONGEST = 64 };

struct input {
    struct roxi_group group;
    struct roxi_symbols *symbols;
    char *letters; /* as the group's frames */
    float *ours;   /* distances of a strategy, with which the others are compared */
};

static const char *letters_of(const struct input *in, size_t stack)
{
    return in->letters + in->group.first[stack];
}

static int depth_of(const struct input *in, size_t stack)
{
    return (int)(in->group.first[stack + 1] - in->group.first[stack]);
}

/* Letters from 0 to z: all after '*', which matches any letter in parasail. */
static void spell(struct input *in)
{
    const size_t frames = in->group.first[in->group.stacks];
    in->letters = must(calloc(frames + 1, 1));
    for (size_t i = 0; i < frames; i++)
        in->letters[i] = (char)('0' + roxi_symbols_frame_at(in->symbols, in->group.frames[i]).line);
}

/* ---- rows ---- */

static double ours_took; /* for the strategy's first row */

static void print_row(const struct input *in, const char *distance, const char *who, double seconds,
                      const char *same)
{
    const double pairs = (double)in->group.stacks * (double)in->group.stacks;
    printf("| %s | %s | %.2f | %.2f | %s |\n", distance, who, 1e-6 * pairs / seconds,
           seconds / ours_took, same);
}

static void ours(struct input *in, const char *distance)
{
    for (int whole = 0; whole < 2; whole++) {
        struct measured m = {.kernels = roxi_kernels_best(),
                             .strategy = roxi_strategy_find(distance),
                             .whole = whole,
                             .distances = in->ours};
        double best = 0;
        for (int run = 0; run < 5; run++) {
            measure_group(&in->group, in->symbols, &m);
            best = run == 0 || m.seconds < best ? m.seconds : best;
        }
        if (!whole)
            ours_took = best;
        print_row(in, distance, whole ? "roxi, every pair whole" : "roxi", best, "");
    }
}

/* Computes all of query a's pairs; true if they equal ours. */
typedef bool peer(const struct input *in, size_t a);

static double time_peer(const struct input *in, peer *compute, bool *same)
{
    *same = true;
    const double begin = now();
    for (size_t a = 0; a < in->group.stacks; a++)
        *same &= compute(in, a);
    return now() - begin;
}

static void theirs(const struct input *in, const char *distance, const char *who, peer *compute)
{
    bool same;
    const double seconds = time_peer(in, compute, &same);
    print_row(in, distance, who, seconds, same ? "yes" : "NO");
}

/* ---- Levenshtein ---- */

/* The positive and negative steps between the cells of a column are one bit each. */
static int bit_parallel(const uint64_t *where, int m, const char *y, int n)
{
    if (m == 0)
        return n;
    uint64_t up = ~0ULL, down = 0;
    const uint64_t last = 1ULL << (m - 1);
    int distance = m;
    for (int j = 0; j < n; j++) {
        const uint64_t equal = where[(unsigned char)y[j]];
        const uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
        uint64_t right_up = down | ~(diagonal | up), right_down = up & diagonal;
        distance += (right_up & last) != 0;
        distance -= (right_down & last) != 0;
        right_up = right_up << 1 | 1;
        right_down <<= 1;
        const uint64_t vertical = equal | down;
        up = right_down | ~(vertical | right_up);
        down = right_up & vertical;
    }
    return distance;
}

static bool by_bits(const struct input *in, size_t a)
{
    uint64_t where[256] = {0};
    const char *x = letters_of(in, a);
    const int m = depth_of(in, a);
    const float *want = in->ours + a * in->group.stacks;
    bool same = true;
    for (int i = 0; i < m; i++)
        where[(unsigned char)x[i]] |= 1ULL << i;
    for (size_t b = 0; b < in->group.stacks; b++)
        same &= (float)bit_parallel(where, m, letters_of(in, b), depth_of(in, b)) == want[b];
    return same;
}

#ifdef HAVE_EDLIB
static bool by_edlib(const struct input *in, size_t a)
{
    const float *want = in->ours + a * in->group.stacks;
    bool same = true;
    for (size_t b = 0; b < in->group.stacks; b++) {
        EdlibAlignResult r = edlibAlign(letters_of(in, a), depth_of(in, a), letters_of(in, b),
                                        depth_of(in, b), edlibDefaultAlignConfig());
        same &= r.status == EDLIB_STATUS_OK && (float)r.editDistance == want[b];
        edlibFreeAlignResult(r);
    }
    return same;
}
#endif

/* ---- gap ---- */

#ifdef HAVE_PARASAIL
static parasail_matrix_t *letters_differ; /* 0 for the same, -1 for others */
static parasail_pfunction_t *with_profile;
static parasail_pcreator_t *make_profile;

static bool same_score(parasail_result_t *r, float want)
{
    const bool same = r && (float)-parasail_result_get_score(r) == want;
    if (r)
        parasail_result_free(r);
    return same;
}

static bool by_profile(const struct input *in, size_t a)
{
    const float *want = in->ours + a * in->group.stacks;
    parasail_profile_t *profile = make_profile(letters_of(in, a), depth_of(in, a), letters_differ);
    bool same = must(profile) != NULL;
    for (size_t b = 0; b < in->group.stacks; b++)
        same &=
            same_score(with_profile(profile, letters_of(in, b), depth_of(in, b), 3, 1), want[b]);
    parasail_profile_free(profile);
    return same;
}

static bool by_diagonal(const struct input *in, size_t a)
{
    const float *want = in->ours + a * in->group.stacks;
    bool same = true;
    for (size_t b = 0; b < in->group.stacks; b++)
        same &=
            same_score(parasail_nw_diag_16(letters_of(in, a), depth_of(in, a), letters_of(in, b),
                                           depth_of(in, b), 3, 1, letters_differ),
                       want[b]);
    return same;
}

static void parasail_rows(const struct input *in)
{
    static const struct {
        const char *name;
        peer *compute;
        parasail_pfunction_t *with_profile;
        parasail_pcreator_t *make_profile;
    } functions[] = {
        {"scan_profile_16", by_profile, parasail_nw_scan_profile_16, parasail_profile_create_16},
        {"striped_profile_16", by_profile, parasail_nw_striped_profile_16,
         parasail_profile_create_16},
        {"striped_profile_sat", by_profile, parasail_nw_striped_profile_sat,
         parasail_profile_create_sat},
        {"diag_16", by_diagonal, NULL, NULL},
    };
    char alphabet[LETTERS + 1] = {0}, who[64] = "";
    for (int i = 0; i < LETTERS; i++)
        alphabet[i] = (char)('0' + i);
    letters_differ = must(parasail_matrix_create_case_sensitive(alphabet, 0, -1));
    double best = 0;
    bool all_same = true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        bool same;
        with_profile = functions[i].with_profile;
        make_profile = functions[i].make_profile;
        const double seconds = time_peer(in, functions[i].compute, &same);
        all_same &= same;
        if (i == 0 || seconds < best) {
            best = seconds;
            snprintf(who, sizeof who, "parasail, nw_%s", functions[i].name);
        }
    }
    print_row(in, "gap", who, best, all_same ? "yes" : "NO");
    parasail_matrix_free(letters_differ);
}
#endif

int main(int argc, char **argv)
{
    const size_t stacks = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    if (argc > 2 || stacks < 2 || stacks > 10000) {
        fputs("usage: peers [STACKS], 2 to 10000\n", stderr);
        return 2;
    }
    _Static_assert(DEPTH / 2 + DEPTH <= LONGEST, "a stack is one word of bits");
    struct input in = {.symbols = must(roxi_symbols_new())};
    make_group(&in.group, in.symbols, stacks, DEPTH, LETTERS);
    spell(&in);
    in.ours = must(calloc(stacks * stacks, sizeof *in.ours));
    ours(&in, "levenshtein");
    theirs(&in, "levenshtein", "bit-parallel, Myers and Hyyro", by_bits);
#ifdef HAVE_EDLIB
    theirs(&in, "levenshtein", "edlib", by_edlib);
#endif
    ours(&in, "gap");
#ifdef HAVE_PARASAIL
    parasail_rows(&in);
#endif
    roxi_group_release(&in.group);
    roxi_symbols_free(in.symbols);
    free(in.letters);
    free(in.ours);
    return 0;
}
