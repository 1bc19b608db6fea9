/* SPDX-License-Identifier: Apache-2.0 */
/* Where exceptions were made: which pairs of a class and a call stack have been met already.
 * Independent of the JVM.
 *
 * Bounded in every respect, so that a program that makes exceptions all the time, or at ever other
 * places, pays little: so many places of a class, so many classes, and so many looks between two
 * packets. All functions may be called on any thread, and none takes a lock. */
#ifndef IX_AGENT_PLACES_H
#define IX_AGENT_PLACES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define IXA_PLACES_CLASSES 512u /* slots, of which three quarters are used */
#define IXA_PLACES_OF_CLASS 32u
#define IXA_PLACES_SLOTS 4096u     /* likewise */
#define IXA_PLACES_LOOKS 200u      /* between two packets, of all classes together */
#define IXA_PLACES_CLASS_LOOKS 20u /* of one, so that no class takes the others' */

struct ixa_places {
    struct {
        _Atomic uint32_t id; /* 0: free */
        _Atomic uint32_t places, looks;
    } classes[IXA_PLACES_CLASSES];
    _Atomic uint64_t seen[IXA_PLACES_SLOTS]; /* 0: free */
    _Atomic uint32_t class_count, seen_count, looks;
};

enum ixa_look {
    IXA_LOOK,       /* where was it made? Call ixa_places_add */
    IXA_NO_LOOK,    /* enough is known of its class */
    IXA_LOOK_LATER, /* too many between two packets, so it may be missed */
};
/* An exception of a class, by an id of it, was made. O(1). */
enum ixa_look ixa_places_look(struct ixa_places *p, uint32_t class_id);
/* At that place, by a hash of it. True: it is new. O(1). */
bool ixa_places_add(struct ixa_places *p, uint32_t class_id, uint64_t place);

/* After a packet: there may be looks again. O(classes). */
void ixa_places_rest(struct ixa_places *p);
/* Nothing is known any more. While others add, some of what they add may be left. O(slots). */
void ixa_places_clear(struct ixa_places *p);

#endif
