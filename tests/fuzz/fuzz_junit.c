/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit's reports: one that is read gives a name that is safe to print, and one that is refused
 * leaves the sum as it was, with a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/units.h"
#include "server/junit/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_read(const struct ixor_junit *sum)
{
    char safe[IXOR_JUNIT_NAME], words[2 * IXOR_JUNIT_NAME + 300];
    ixor_safe_text(sum->first, safe, sizeof safe);
    if (strcmp(safe, sum->first) != 0 || (sum->first[0] && !sum->failed))
        abort();
    ixor_safe_text(sum->first_flaky, safe, sizeof safe);
    if (strcmp(safe, sum->first_flaky) != 0 || (sum->first_flaky[0] && !sum->flaky))
        abort();
    if (sum->flaky > sum->tests || sum->flaky_tries < sum->flaky)
        abort();
    ixor_junit_words(sum, words, sizeof words);
    if (!strstr(words, sum->first) || !strstr(words, sum->first_flaky))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ixor_junit before = {.tests = 3, .failed = 1, .first = "a.B.c"};
    struct ixor_junit sum = {0}, again = before;
    struct ix_error err = {""};
    if (size == 0)
        return 0;
    FILE *report = fmemopen((void *)data, size, "r");
    if (!report)
        abort();
    if (ixor_junit_read(&sum, report, &err) == 0)
        check_read(&sum);
    else if (!err.text[0] || sum.tests || sum.failed || sum.first[0] || sum.flaky || sum.reruns)
        abort();
    rewind(report);
    if (ixor_junit_read(&again, report, &err) != 0 && memcmp(&again, &before, sizeof again) != 0)
        abort();
    if (again.tests != sum.tests + 3 || again.failed != sum.failed + 1 ||
        strcmp(again.first, "a.B.c") != 0 || again.flaky != sum.flaky || again.reruns != sum.reruns)
        abort();
    fclose(report);
    return 0;
}
