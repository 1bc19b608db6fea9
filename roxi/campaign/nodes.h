/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the nodes of a cluster that runs in one JVM, from the names of its threads:
 * opensearch[node_t0][flush][T#1] and its kin of node_t1, Broker-0-zb-actors-3 and Broker-1-...;
 * and from their thread groups, for threads whose names have no node.
 *
 * A place for nodes is the beginning of names up to a piece (shape.h), the node's value. In a JVM,
 * a value is a node if another value of the same place shares two rests with it: different texts
 * after the value, as shapes, each with a word of three letters. A place counts if two values are
 * nodes in at least half of the runs that have the place, and if it has at most ROXI_NODES_MAX
 * values in all runs. Words such as reader and writer make no rest, and the number behind a word
 * such as session is no value: those are the threads of a connection, and which connection gets
 * which number is chance. So the numbers of pools are not nodes, because they are at the end
 * (pulsar-io-4-1 and pulsar-web-38-2) or before the same rest (pool-1-thread-1 and
 * pool-2-thread-1). Values are numbers below 1024, words with a digit, single capitals, and words
 * in brackets. Names that the JDK gives to its threads have no nodes. All thread groups are one
 * more place: the value is the group's name, with a digit in it or a single capital at its end, and
 * the rest is the name's shape.
 *
 * A node's name is its value with the words before it, as in node_t0, and what follows without a
 * separator, or has a digit. Words behind it are what the thread does, as in node_t0_Worker.
 *
 * Nodes whose names differ only in case are one node, with the spelling that most threads have.
 *
 * The decision does not depend on the order of the runs. Unlike a template, it can change in either
 * direction when runs are added.
 *
 * Memory: a few hundred bytes for each place, of which at most ROXI_NODE_PLACES are looked at.
 * Time: O(length * pieces) for each name, and O(values^2) for each place and JVM.
 */
#ifndef ROXI_NODES_H
#define ROXI_NODES_H

#include "roxi/campaign/shape.h"

#define ROXI_NODES_MAX 64
#define ROXI_NODE_PLACES 20000

struct roxi_nodes;

struct roxi_nodes *roxi_nodes_new(void);    /* NULL: out of memory */
void roxi_nodes_free(struct roxi_nodes *n); /* n may be NULL */

/* True if this thread group (NULL: unknown) may be a node. */
bool roxi_group_may_be_node(const char *group);

/* Adds a name of the present JVM, which may have been added before, and the thread's group, or
 * NULL. -1: out of memory, as below. */
int roxi_nodes_add(struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                   const char *group);
/* The JVM is complete; the run is. */
int roxi_nodes_end_vm(struct roxi_nodes *n);
void roxi_nodes_end_run(struct roxi_nodes *n);
/* Decides, after the last run. -1: out of memory. */
int roxi_nodes_decide(struct roxi_nodes *n);

/* The piece of the name that is its node's value; ROXI_NO_PIECE: it belongs to no node, or out of
 * memory, which `scratch` shows. *node: the node's name, which lives as long as `n` and `name`: the
 * value with what belongs to it, as in node_t0, or with the word before a number, as in Broker-0.
 */
uint32_t roxi_nodes_find(const struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                         struct ix_out *scratch, struct ix_span *node);
/* Call for a thread whose name has no node. True if its group (NULL: unknown) is a node; *node is
 * the node's name, as above. Out of memory: `scratch` shows it. */
bool roxi_nodes_find_group(const struct roxi_nodes *n, const char *name, const struct roxi_shape *s,
                           const char *group, struct ix_out *scratch, struct ix_span *node);

#endif
