/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/status_compare.h"

#include <stdio.h>

#include "server/base/json.h"
#include "server/store/rates.h"
#include "server/store/report.h"

struct side {
    struct ixor_execution_list runs;
    struct ixor_rates rates;
};

static int read_side(struct side *s, const char *dir, struct ix_error *err)
{
    struct ix_catalogue *c = ix_catalogue_open(dir, IX_CATALOGUE_READ, err);
    if (!c)
        return -1;
    int bad = ixor_list_executions(&s->runs, c, err);
    if (!bad)
        bad = ixor_rates_count(&s->rates, s->runs.at, s->runs.count, err);
    ix_catalogue_close(c);
    return bad;
}

static json_t *to_json(const char *const dirs[2], const struct side sides[2])
{
    json_t *array = json_array();
    for (size_t i = 0; i < 2; i++)
        json_array_append_new(
            array, IXOR_JSON_OBJECT({"campaign", ixor_report_text(dirs[i])},
                                    {"failure_rates", ixor_rates_json(&sides[i].rates)}));
    json_t *chances = ixor_rates_chances_json(&sides[0].rates, &sides[1].rates);
    if (json_array_size(array) < 2) {
        json_decref(array);
        array = NULL;
    }
    return IXOR_JSON_OBJECT({"campaigns", array}, {"compared", chances});
}

int ixor_status_compare(const char *const dirs[2], bool json, struct ix_error *err)
{
    struct side sides[2] = {0};
    int bad = 0;
    for (size_t i = 0; i < 2 && !bad; i++)
        bad = read_side(&sides[i], dirs[i], err);
    if (!bad && json)
        bad = ixor_report_print(to_json(dirs, sides), err);
    else if (!bad)
        ixor_rates_compare(stdout, dirs, &sides[0].rates, &sides[1].rates);
    for (size_t i = 0; i < 2; i++) {
        ixor_rates_free(&sides[i].rates);
        ixor_execution_list_free(&sides[i].runs);
    }
    return bad;
}
