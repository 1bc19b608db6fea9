/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/date.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* Takes `count` digits, and the character behind them if it is not 0. -1: they are not there. */
static int take(struct ix_span *text, size_t count, char behind)
{
    int number = 0;
    if (text->len < count + (behind != 0))
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (!isdigit((unsigned char)text->text[i]))
            return -1;
        number = 10 * number + (text->text[i] - '0');
    }
    if (behind && text->text[count] != behind)
        return -1;
    text->text += count + (behind != 0);
    text->len -= count + (behind != 0);
    return number;
}

static int64_t take_fraction(struct ix_span *text)
{
    int64_t ns = 0, unit = 100000000;
    if (!text->len || (*text->text != '.' && *text->text != ','))
        return 0;
    for (;;) {
        text->text++;
        text->len--;
        if (!text->len || !isdigit((unsigned char)*text->text))
            return ns;
        ns += (*text->text - '0') * unit;
        unit /= 10;
    }
}

/* Seconds east of UTC in *zone; false: it is none. */
static bool take_zone(struct ix_span text, int64_t *zone)
{
    *zone = 0;
    if (!text.len || (text.len == 1 && *text.text == 'Z'))
        return true;
    const char sign = *text.text++;
    text.len--;
    if (sign != '+' && sign != '-')
        return false;
    const int hours = take(&text, 2, text.len == 5 ? ':' : 0);
    const int minutes = take(&text, 2, 0);
    *zone = (sign == '-' ? -60 : 60) * (60 * (int64_t)hours + minutes);
    return hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && !text.len;
}

int64_t dump_date_parse(struct ix_span text)
{
    int64_t zone;
    if (text.len < sizeof "2026-11-22 12:00:00" - 1)
        return 0;
    const char between = text.text[10] == 'T' ? 'T' : ' ';
    struct tm tm = {0};
    tm.tm_year = take(&text, 4, '-') - 1900;
    tm.tm_mon = take(&text, 2, '-') - 1;
    tm.tm_mday = take(&text, 2, between);
    tm.tm_hour = take(&text, 2, ':');
    tm.tm_min = take(&text, 2, ':');
    tm.tm_sec = take(&text, 2, 0);
    if (tm.tm_year < 70 || tm.tm_year > 300 || tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 ||
        tm.tm_mday > 31 || tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 ||
        tm.tm_sec < 0 || tm.tm_sec > 60)
        return 0;
    const int64_t ns = take_fraction(&text);
    if (!take_zone(text, &zone))
        return 0;
    return ((int64_t)timegm(&tm) - zone) * 1000000000 + ns;
}
