/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/kinds.h"

/* Eight outside of calls are a packet, because pools grow and shrink; and with a faster machine a
 * pool has less to do. A JVM that does not end badly where others are typically killed is not
 * unusual. */
const struct roxi_duration_traits roxi_traits[ROXI_DURATION_KINDS] = {
    [ROXI_IN_CALL] = {.name = "call", .of_packet = 1, .of_threads = true},
    [ROXI_OUTSIDE] = {.name = "outside", .of_packet = 8, .of_threads = true, .only_more = true},
    [ROXI_TURNS] = {.name = "turns", .of_packet = 4, .of_threads = true, .only_more = true},
    [ROXI_ANSWERED] = {.name = "answered", .of_packet = 1},
    [ROXI_LOST] = {.name = "lost", .of_packet = 1},
    [ROXI_EARLY] = {.name = "early", .of_packet = 1},
    [ROXI_BAD_END] = {.name = "bad-end", .of_packet = 1, .only_more = true},
    [ROXI_OPENED] = {.name = "opened", .of_packet = 1, .only_more = true},
    [ROXI_SENT_OUT] = {.name = "sent", .of_packet = 4, .only_more = true},
    [ROXI_SENT_BACK] = {.name = "sent-back", .of_packet = 4, .only_more = true},
    [ROXI_OWED] = {.name = "no-answer", .of_packet = 1, .only_more = true, .one_event = true},
    [ROXI_UNREAD] = {.name = "unread", .of_packet = 1, .only_more = true, .one_event = true},
    [ROXI_GARBAGE] = {.name = "garbage", .of_packet = 10, .only_more = true, .told_apart = true},
    [ROXI_COVERED] = {.name = "covered", .of_packet = 1, .only_more = true, .told_apart = true},
    [ROXI_FIRSTS] = {.name = "first-exception", .of_packet = 1, .told_apart = true},
};
