#include "roxi/command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "roxi/text_escape.h"

int roxi_bad_option(int result, char **argv, struct ix_error *err)
{
    /* For a long option, optopt is 0 if it is unknown or ambiguous, and its code if it lacks a
     * value or has one it cannot take; the word itself is the one getopt_long has just passed. */
    const char *word = optind > 0 ? argv[optind - 1] : "";
    bool is_long = word[0] == '-' && word[1] == '-';
    if (result == ':' && !is_long && optopt > 0 && optopt < 128)
        ix_fail(err, "option '-%c' needs a value", optopt);
    else if (result == ':')
        ix_fail(err, "option '%s' needs a value", word);
    else if (!is_long && optopt > 0 && optopt < 128)
        ix_fail(err, "there is no option '-%c'", optopt);
    else if (optopt)
        ix_fail(err, "option '%s' takes no value", word);
    else
        ix_fail(err, "there is no option '%s', or it is cut short ambiguously", word);
    return ROXI_USAGE;
}

void roxi_warn(const char *format, ...)
{
    struct ix_error shown;
    va_list args;
    va_start(args, format);
    vsnprintf(shown.text, sizeof shown.text, format, args);
    va_end(args);
    fputs("roxi: ", stderr);
    text_print(stderr, shown.text);
    fputc('\n', stderr);
}
