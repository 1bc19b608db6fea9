/* What an execution shows beside how often each of its call stacks was seen: how long it was, how
 * its VMs ended, and what its threads did from packet to packet. All of it is counts, each at a
 * place: a role, or a group (role and thread). Like the counts of call stacks they are sums over
 * the VMs of a role, of packets that count (load.h). */
#ifndef ROXI_ASPECTS_H
#define ROXI_ASPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/error.h"

/* What the keys a and b of an item are; b is 0 where none is named. */
enum roxi_aspect {
    ROXI_STACKS,  /* the profile's items: there are no others of this aspect */
    ROXI_PACKETS, /* of a role; a: enum roxi_packet_key */
    ROXI_ENDS,    /* of a role: how many VMs ended so; a: enum roxi_vm_end */
    ROXI_EARLY,   /* of a role: between a VM's last packet and the last one that any VM of the
                     execution answered; of one that answered none, between first and last of all */
    ROXI_THREADS, /* of a group: how many live threads; a: enum roxi_thread_key */
    ROXI_STATES,  /* of a group: snapshots of threads; a: enum roxi_state */
    ROXI_STAYS,   /* of a group: how often a thread came to a call stack and stayed; a: the stack,
                     b: the whole part of log2 of the number of packets */
    ROXI_MOVES,   /* of a group: how often a thread went on to another call stack, from a packet to
                     the one with the next number; a, b: the stacks. A lost packet, or one that
                     does not count, breaks the chain. */
    ROXI_ASPECTS, /* how many there are */
};

enum roxi_packet_key {
    ROXI_ANSWERED, /* packets, also those that do not count */
    ROXI_LOST,     /* the longest run of numbers between two of them that it did not answer */
    ROXI_COUNTED,  /* packets that count: what states, stays and moves are related to */
};

enum roxi_vm_end {
    ROXI_ORDERLY, /* the catalogue's `ended` (catalogue.sql), in this order, */
    ROXI_VANISHED,
    ROXI_SILENT,
    ROXI_LOG_FAILED,
    ROXI_SERVER_STOPPED,
    ROXI_RUNNING,
    ROXI_IMPORTED,
    ROXI_TORN,       /* and, beside that: its log is torn, */
    ROXI_UNREADABLE, /* or cannot be opened */
};

enum roxi_thread_key {
    ROXI_MOST, /* at one packet */
    ROXI_LAST, /* at the VM's last packet that counts */
};

enum roxi_state {
    ROXI_STATE_RUNNABLE,
    ROXI_STATE_NATIVE,  /* the same, in native code */
    ROXI_STATE_BLOCKED, /* on entering a monitor */
    ROXI_STATE_WAITING, /* for a notify, without a time limit, */
    ROXI_STATE_TIMED,   /* with one */
    ROXI_STATE_PARKED,  /* likewise */
    ROXI_STATE_PARKED_TIMED,
    ROXI_STATE_SLEEPING,
    ROXI_STATE_OTHER,
};

struct roxi_aspect_item {
    enum roxi_aspect aspect;
    uint32_t place; /* a string, if the aspect is of a role; else a group */
    uint32_t a, b;
    uint64_t count; /* 1 or more */
};

/* The word for --aspects; a constant. */
const char *roxi_aspect_name(enum roxi_aspect aspect);
/* Such words, with commas between them, as bits 1 << enum roxi_aspect. -1 with a message. */
int roxi_aspects_parse(const char *list, unsigned *aspects, struct ix_error *err);
/* Of a role, or else of a group. */
bool roxi_aspect_of_role(enum roxi_aspect aspect);
/* By the catalogue's word; ROXI_RUNNING for one that is not known. */
enum roxi_vm_end roxi_vm_end_of(const char *ended);
/* In words, as in "vanished"; a constant. */
const char *roxi_vm_end_words(enum roxi_vm_end end);
const char *roxi_state_words(enum roxi_state state);
/* Of JVMTI's bits. */
enum roxi_state roxi_state_of(uint32_t bits);

/* Sorts items by aspect, place, a and b, and adds up those that have all of these in common;
 * returns how many are left. O(n log n). */
size_t roxi_aspects_settle(struct roxi_aspect_item *items, size_t count);

/* Of settled items: packets of the role that count, 0 if it is not there. O(roles). */
uint64_t roxi_aspects_packets(const struct roxi_aspect_item *items, size_t count, uint32_t role);

#endif
