/* What all commands say in the same words. */
#include "server/command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

int ixor_bad_option(int result, char **argv, struct ix_error *err)
{
    /* A long option stands whole in argv; a short one may be inside a word of several. */
    const char *word = optind > 0 ? argv[optind - 1] : "";
    if (result == ':') {
        ix_fail(err, "option '%s' needs a value", word);
    } else if (optopt > 0 && optopt < 128 && !(word[0] == '-' && word[1] == '-')) {
        ix_fail(err, "unknown option '-%c'", optopt);
    } else if (optopt) {
        ix_fail(err, "option '%s' takes no value", word);
    } else {
        ix_fail(err, "unknown or ambiguous option '%s'", word);
    }
    return IXOR_USAGE;
}

int ixor_bad_value(const char *option, struct ix_error *err)
{
    ix_fail_in(err, "option --%s", option);
    return IXOR_USAGE;
}

void ixor_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    flockfile(stderr);
    fputs("ixor: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(args);
}
