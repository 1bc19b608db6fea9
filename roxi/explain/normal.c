/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/normal.h"

#include "roxi/rank/likeness.h"

size_t roxi_normal_choose(bool *normal, const struct roxi_profiles *p,
                          const struct roxi_verdict *verdicts, const struct roxi_ranking *r)
{
    size_t passed = 0, chosen = 0;
    for (size_t i = 0; i < p->count; i++)
        passed += roxi_run_passed(p, verdicts, i);
    for (size_t i = 0; i < p->count; i++) {
        normal[i] = passed >= ROXI_RANK_REFERENCE ? roxi_run_passed(p, verdicts, i)
                                                  : r && roxi_profile_tells(&p->executions[i]) &&
                                                        r->score[i] <= ROXI_WORTH_A_LOOK;
        chosen += normal[i];
    }
    return chosen;
}
