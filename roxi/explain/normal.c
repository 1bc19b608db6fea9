/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/normal.h"

#include "roxi/rank/likeness.h"

size_t roxi_normal_choose(bool *normal, const struct roxi_profiles *p,
                          const struct roxi_verdict *verdicts, const struct roxi_ranking *r)
{
    const struct roxi_verdict_counts c = roxi_verdicts_count(p, verdicts);
    const bool passed = c.passed >= ROXI_RANK_REFERENCE || roxi_most_failed(c);
    size_t chosen = 0;
    for (size_t i = 0; i < p->count; i++) {
        const bool may = !c.passed || verdicts[i].verdict != IX_VERDICT_FAILED;
        normal[i] = passed ? roxi_run_passed(p, verdicts, i)
                           : may && r && roxi_profile_tells(&p->executions[i]) &&
                                 r->score[i] <= ROXI_WORTH_A_LOOK;
        chosen += normal[i];
    }
    return chosen;
}
