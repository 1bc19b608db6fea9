/* SPDX-License-Identifier: Apache-2.0 */
/* What a score is made of, in words. */
#ifndef ROXI_WORDS_H
#define ROXI_WORDS_H

#include <stdio.h>

#include "roxi/rank/score.h"

enum { ROXI_REASONS = 3 };
/* All that is said of a run without any, as of a command that started no JVM. */
#define ROXI_NO_STACKS "it has no call stacks that count"

/* "Client A", or "Cluster, node Node-3". */
void roxi_print_member(FILE *out, const struct roxi_symbols *names, struct roxi_member m);
/* What threads of a template are called: its name, or, if that is empty, "without a name": so are
 * most virtual threads. */
void roxi_print_thread(FILE *out, const struct roxi_symbols *names, uint32_t template);
/* The peer whose work a member did, and as which it was compared (peers.h): "Client B", or of
 * nodes of the same role "node Node-1". */
void roxi_print_peer(FILE *out, const struct roxi_symbols *names, struct roxi_member who,
                     struct roxi_member as);
/* " (compared with Client B of other runs)"; nothing if they are the same. */
void roxi_print_compared(FILE *out, const struct roxi_symbols *names, struct roxi_member who,
                         struct roxi_member as);
/* "a.B.c calling d.E.f", or "a.B.c" if it had called nothing; if `simple`, without packages. Of
 * generated methods what they are for (generated.h): "a lambda of a.B.c calling d.E.f". */
void roxi_print_call(FILE *out, const struct roxi_symbols *names, struct roxi_call call,
                     bool simple);

/* The parts that add most to a run's score, at most ROXI_REASONS of them, as text without line ends
 * or tabs: "Client A: 90 packets in a.b.LeaseClock.run calling a.b.LeaseClock.tick (typically 0);
 * Client B: 31 packets by which it ended early (typically 3)", or ROXI_NO_STACKS. Nothing if
 * the score is 0. */
void roxi_rank_explain(FILE *out, const struct roxi_ranking *r, size_t run);
/* As a list of objects of JSON: kind (the name of its trait, kinds.h, or stay), role, node (null:
 * none), as and as-node if it was compared under another name; class, method, called-class and
 * called, null unless it is a call (of a stay in a class, and of an exception, only class); thread,
 * a template, null unless it is of threads outside of calls or of their turns; packets, typical,
 * part. */
void roxi_rank_explain_json(FILE *out, const struct roxi_ranking *r, size_t run);

#endif
