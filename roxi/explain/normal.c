/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/normal.h"

#include "roxi/rank/likeness.h"

size_t roxi_normal_choose(bool *normal, const struct roxi_verdict *verdicts, size_t n,
                          const struct roxi_ranking *r)
{
    size_t passed = 0, chosen = 0;
    for (size_t i = 0; i < n; i++)
        passed += verdicts[i].verdict == IX_VERDICT_PASSED;
    for (size_t i = 0; i < n; i++) {
        normal[i] = passed >= ROXI_RANK_REFERENCE ? verdicts[i].verdict == IX_VERDICT_PASSED
                                                  : r && r->score[i] <= ROXI_WORTH_A_LOOK;
        chosen += normal[i];
    }
    return chosen;
}
