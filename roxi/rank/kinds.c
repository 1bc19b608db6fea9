/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/kinds.h"

/* Four outside of calls are a packet, because pools grow and shrink; and with a faster machine a
 * pool has less to do. How long a JVM took part, whether it answered and how it ended is its own;
 * one that does not end badly where others are typically killed is not unusual. */
const struct roxi_duration_traits roxi_traits[ROXI_DURATION_KINDS] = {
    [ROXI_IN_CALL] = {"call", 1, .of_threads = true, .work = true},
    [ROXI_OUTSIDE] = {"outside", 4, .of_threads = true, .only_more = true, .work = true},
    [ROXI_TURNS] = {"turns", 4, .of_threads = true, .only_more = true, .work = true},
    [ROXI_ANSWERED] = {"answered", 1},
    [ROXI_LOST] = {"lost", 1},
    [ROXI_EARLY] = {"early", 1},
    [ROXI_BAD_END] = {"bad-end", 1, .only_more = true},
    [ROXI_OPENED] = {"opened", 1, .only_more = true, .work = true},
    [ROXI_SENT_OUT] = {"sent", 4, .only_more = true, .work = true},
    [ROXI_SENT_BACK] = {"sent-back", 4, .only_more = true, .work = true},
    [ROXI_OWED] = {"no-answer", 1, .only_more = true},
    [ROXI_UNREAD] = {"unread", 1, .only_more = true},
    [ROXI_FIRSTS] = {"first-exception", 1},
};
