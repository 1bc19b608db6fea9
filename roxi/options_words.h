/* An option's value as one of several words. */
#ifndef ROXI_OPTIONS_WORDS_H
#define ROXI_OPTIONS_WORDS_H

#include <stdbool.h>

#include "schema/error.h"

/* The place of `value`, from 0, among words separated by '|'; -1 with a message if it is none. */
int roxi_choose(const char *value, const char *words, struct ix_error *err);
/* The same of two words: is it the second? 0, or -1 with a message. */
int roxi_choose_flag(const char *value, const char *words, bool *flag, struct ix_error *err);

#endif
