/* SPDX-License-Identifier: Apache-2.0 */
/* Durations of a run's JVMs, and other numbers that count like them (kinds.h): how long they took
 * part, and what their logs tell beside call stacks. */
#include <string.h>

#include "roxi/rank/durations_building.h"

/* Packets that a JVM answers at least if it does not just live for a moment. */
enum { REGULAR_PACKETS = 10 };

/* A JVM that vanished before its first packet did not just end early if in most runs its role
 * answers many. */
static uint64_t bad_ends(const struct roxi_building *b, const struct roxi_participation *role)
{
    if (role->bad_ends || role->answered || !role->vanished)
        return role->bad_ends;
    return roxi_lengths_usual(&b->lengths, role->role) >= REGULAR_PACKETS ? role->vanished : 0;
}

/* Where others go on for longer than usual, a JVM that ended in an orderly way is not early for all
 * of that. */
static uint64_t early(const struct roxi_building *b, const struct roxi_participation *role)
{
    const double lacks = roxi_lengths_usual(&b->lengths, role->role) - (double)role->answered;
    if (role->bad_ends || role->vanished || (double)role->early <= lacks)
        return role->early;
    return lacks > 0 ? (uint64_t)lacks : 0;
}

static int add_participation(struct roxi_building *b, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->role_count; i++) {
        const struct roxi_participation *role = &x->roles[i];
        const uint64_t packets[ROXI_DURATION_KINDS] = {[ROXI_ANSWERED] = role->answered,
                                                       [ROXI_LOST] = role->lost,
                                                       [ROXI_EARLY] = early(b, role),
                                                       [ROXI_BAD_END] = bad_ends(b, role) *
                                                                        ROXI_BAD_END_PACKETS};
        const uint32_t member = roxi_building_member(b, role->role, 0);
        if (member == ROXI_NONE)
            return -1;
        for (uint32_t kind = ROXI_ANSWERED; kind <= ROXI_BAD_END; kind++) {
            const bool unknown = kind == ROXI_EARLY && role->too_short;
            if ((packets[kind] || unknown) &&
                roxi_building_add(b, member, kind, unknown ? 0 : packets[kind]) != 0)
                return -1;
        }
    }
    return 0;
}

/* Who has opened a connection asks, and the other one answers: that has the last word while there
 * is nothing to ask. */
static uint32_t longest_owed(const struct roxi_use *u, uint32_t role)
{
    uint32_t longest = 0;
    for (size_t i = 0; i < u->talk_count; i++)
        if (u->talks[i].peer == role && !u->talks[i].accepted && u->talks[i].waits > longest)
            longest = u->talks[i].waits;
    return longest;
}

static int add_talks(struct roxi_building *b, const struct roxi_profile *x)
{
    const struct roxi_use *u = &x->use;
    for (size_t i = 0; i < x->role_count; i++) {
        const uint32_t role = x->roles[i].role, member = roxi_building_member(b, role, 0);
        uint64_t sent[2] = {0, 0}, opened = 0;
        uint32_t unread = 0;
        for (size_t k = 0; k < u->talk_count; k++) {
            const struct roxi_talk *talk = &u->talks[k];
            if (talk->role != role)
                continue;
            sent[talk->accepted] += talk->sent;
            opened += talk->accepted ? 0 : talk->connections;
            unread = talk->unread > unread ? talk->unread : unread;
        }
        const uint64_t packets[ROXI_DURATION_KINDS] = {
            [ROXI_OPENED] = opened,
            [ROXI_SENT_OUT] = roxi_building_packets(ROXI_SENT_OUT, sent[0]),
            [ROXI_SENT_BACK] = roxi_building_packets(ROXI_SENT_BACK, sent[1]),
            [ROXI_OWED] = longest_owed(u, role),
            [ROXI_UNREAD] = unread};
        for (uint32_t kind = ROXI_OPENED; kind <= ROXI_UNREAD; kind++)
            if (member == ROXI_NONE ||
                (packets[kind] && roxi_building_add(b, member, kind, packets[kind]) != 0))
                return -1;
    }
    return 0;
}

/* Garbage collection makes them run, and when that is, is chance. */
static bool runs_by_chance(const char *thread)
{
    return strcmp(thread, "Common-Cleaner") == 0 || strcmp(thread, "Finalizer") == 0 ||
           strcmp(thread, "Reference Handler") == 0;
}

static int add_turns(struct roxi_building *b, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->use.most_count; i++) {
        const struct roxi_most *most = &x->use.most[i];
        if (!most->turns)
            continue;
        const struct roxi_place place = roxi_profiles_place(b->d->profiles, most->group);
        if (runs_by_chance(roxi_symbols_text(b->symbols, place.template)))
            continue;
        const uint32_t member = roxi_building_member(b, place.role, place.node);
        if (member == ROXI_NONE ||
            roxi_building_add_key(b, member, &b->d->calls, roxi_pair(ROXI_OF_TURNS, place.template),
                                  ROXI_DURATION_KINDS,
                                  roxi_building_packets(ROXI_TURNS, most->turns)) != 0)
            return -1;
    }
    return 0;
}

static int add_garbage(struct roxi_building *b, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->use.process_count; i++) {
        const struct roxi_process_use *process = &x->use.processes[i];
        const uint32_t member = roxi_building_member(b, process->role, 0);
        const uint64_t ms = process->collecting_ns / 1000000;
        if (member == ROXI_NONE ||
            (ms && roxi_building_add(b, member, ROXI_GARBAGE,
                                     roxi_building_packets(ROXI_GARBAGE, ms)) != 0))
            return -1;
    }
    return 0;
}

static int add_covered(struct roxi_building *b, const struct roxi_profile *x)
{
    const struct roxi_use *u = &x->use;
    for (size_t i = 0, to; i < u->covered_count; i = to) {
        const uint32_t role = u->covered[i].role, member = roxi_building_member(b, role, 0);
        double classes;
        to = roxi_rare_classes(&b->rare, b->d->profiles, x, i, &classes);
        const uint64_t packets = (uint64_t)(ROXI_COVERED_PACKETS * classes + 0.5);
        if (to == i || member == ROXI_NONE ||
            (packets && roxi_building_add(b, member, ROXI_COVERED, packets) != 0))
            return -1;
    }
    return 0;
}

static int add_firsts(struct roxi_building *b, const struct roxi_profile *x)
{
    const struct roxi_use *u = &x->use;
    const uint32_t nobody = u->first_count ? roxi_building_member(b, 0, 0) : 0;
    int result = nobody == ROXI_NONE ? -1 : 0;
    for (size_t i = 0; i < u->first_count && result == 0; i++)
        result = roxi_building_add(b, nobody, u->firsts[i].class_name + ROXI_CLASSES, 1);
    return result;
}

int roxi_building_add_jvms(struct roxi_building *b, const struct roxi_profile *x)
{
    static int (*const steps[])(struct roxi_building *, const struct roxi_profile *) = {
        add_participation, add_turns, add_talks, add_garbage, add_covered, add_firsts};
    int result = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && result == 0; i++)
        result = steps[i](b, x);
    return result;
}
