/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as text, Markdown and JSON. */
#ifndef ROXI_EXPLAIN_WORDS_H
#define ROXI_EXPLAIN_WORDS_H

#include "roxi/base/json.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/explain/finding.h"

/* What there is to say of a run. */
struct roxi_explanation {
    const struct roxi_profiles *profiles;
    const struct roxi_profile *run; /* its history was kept */
    enum ix_verdict verdict;
    double score;
    const char *against; /* the run that it is compared with; NULL: not with one run alone */
    bool all;            /* show all findings; else the first ROXI_FIRST_FINDINGS */
    const char *output;  /* the file with what the run's command printed; NULL: there is none */
    const struct roxi_findings *findings;
};
enum { ROXI_FIRST_FINDINGS = 5 };

/* "only-here", "missing-here", "longer", "shorter", "threads", "answered", "stood-still",
 * "ended-early", "ended-badly", "waited-for", "deadlock", "growth", "exception", "unlike-peers",
 * "threads-ended", "stayed", "unanswered", "unpaired-calls", "called-more-often",
 * "not-called", "ran-more-often", "sent-more", "connections", "no-answer", "unread",
 * "first-exception": a constant. */
const char *roxi_finding_kind(const struct roxi_finding *f);
/* What, without who, since when, or how sure: "513 packets in a.B.c calling d.E.f, typically 1";
 * "there 1" if `normal`, the number of runs that it is compared with, is 1. If `simple`, classes
 * have no packages. */
void roxi_finding_say(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                      size_t normal, bool simple);
/* How sure: "none of 45 normal runs has as many"; of one: "the other run has fewer"; of how a JVM
 * ended: "unlike all 45 normal runs". */
void roxi_finding_say_like(FILE *out, const struct roxi_finding *f, size_t normal);
/* Who: "Orders, thread qtp*-*". */
void roxi_finding_say_place(FILE *out, const struct roxi_symbols *names,
                            const struct roxi_finding *f);
/* Who, in a summary: the role or node alone, and its threads if roxi_finding_say is about them. */
void roxi_finding_say_who(FILE *out, const struct roxi_symbols *names,
                          const struct roxi_finding *f);
/* For a finding that stands alone, also the peer that it is compared with, if it did that one's
 * work: "Client C (compared with Client B of other runs), thread Worker". */
void roxi_finding_say_where(FILE *out, const struct roxi_symbols *names,
                            const struct roxi_finding *f);
/* When: ", since packet 79 (4.1 s)", or nothing if that is not known. */
void roxi_finding_say_when(FILE *out, const struct roxi_profile *run, const struct roxi_finding *f);
/* "waiting for another thread": a constant. */
const char *roxi_doing_word(enum roxi_doing doing);
/* The same of a finding: threads of a deadlock are "blocked". */
const char *roxi_finding_doing(const struct roxi_finding *f);
/* The call stack in lines: the executing frames, down to the one to look at, which is marked '>',
 * and two of its callers; not what calls the application. At most `frames`, ROXI_PATH_LEAST or
 * more, are shown; `narrow`: the place in the file is on a line of its own if both do not fit into
 * 80 columns. -1: memory ran out. */
enum { ROXI_PATH_LEAST = 5, ROXI_PATH_MOST = 8 };
int roxi_finding_show_path(FILE *out, const struct roxi_profiles *p, const struct roxi_finding *f,
                           uint32_t frames, bool narrow);
/* The members of an object that is open: kind, role, node, thread, path, packet, since_ns, here,
 * elsewhere, normal_runs, normal_runs_like_this, share, text. -1: memory ran out. */
int roxi_finding_json(struct roxi_json *j, const struct roxi_profiles *p,
                      const struct roxi_profile *run, const struct roxi_finding *f, size_t normal);
/* "a.B.c(B.java:12)", as Java prints it. */
void roxi_print_frame(FILE *out, const struct roxi_profiles *p, uint32_t frame);

/* In 80 columns, but for names that are longer. Without `all` it is a first screen of at most
 * ROXI_SCREEN_TEXT bytes: if there is too much, fewer frames are shown, and then fewer findings.
 * -1: memory ran out, and nothing is printed. */
int roxi_explain_text(FILE *out, const struct roxi_explanation *x);
int roxi_explain_markdown(FILE *out, const struct roxi_explanation *x);
/* The members of an object that is open: execution, score, verdict, summary, findings. -1: memory
 * ran out. */
int roxi_explain_json(struct roxi_json *j, const struct roxi_explanation *x);

#endif
