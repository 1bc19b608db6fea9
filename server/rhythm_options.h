/* The options of `ixor run` and `ixor serve` that say when packets are sent. */
#ifndef IXOR_RHYTHM_OPTIONS_H
#define IXOR_RHYTHM_OPTIONS_H

#include "server/rhythm.h"

/* As given; NULL: not. */
struct ixor_rhythm_texts {
    const char *every, *jitter, *burst, *seed;
    bool random;
};

/* What help says about them. */
#define IXOR_RHYTHM_HELP                                                               \
    "  --every TIME        take a snapshot this often (100ms)\n"                         \
    "  --jitter TIME|N%    move each by a random time up to this much, either way;\n"   \
    "                      N% of --every, at most 50%\n"                                \
    "  --random            at random moments instead, --every apart on average\n"       \
    "  --burst N@TIME      N snapshots TIME apart, instead of one\n"                    \
    "  --seed N            of what is random; without it another one each time, which\n" \
    "                      is printed\n"

/* Values that getopt_long calls by these letters; `taken` is whether c is one of them. */
#define IXOR_RHYTHM_LONG                                                                   \
    {"every", required_argument, NULL, 'E'}, {"jitter", required_argument, NULL, 'J'},    \
        {"random", no_argument, NULL, 'R'}, {"burst", required_argument, NULL, 'B'},      \
        {"seed", required_argument, NULL, 'S'}
bool ixor_rhythm_option(struct ixor_rhythm_texts *texts, int c, const char *value);

/* IXOR_OK, or IXOR_USAGE with a message. Without a seed one is chosen where one is needed. */
int ixor_rhythm_parse(const struct ixor_rhythm_texts *texts, struct ixor_rhythm_options *o,
                      struct ix_error *err);

/* Says which seed was chosen, if one was. */
void ixor_rhythm_say(const struct ixor_rhythm_texts *texts, const struct ixor_rhythm_options *o);

/* The options that give the same random times again. False: nothing is random, and *text is "". */
#define IXOR_RHYTHM_TEXT 192
bool ixor_rhythm_words(const struct ixor_rhythm_options *o, char text[IXOR_RHYTHM_TEXT]);

#endif
