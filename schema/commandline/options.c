/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/commandline/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/nearest.h"

enum {
    WIDTH = 80,
    HELP_COLUMN = 29, /* where the descriptions begin */
    OPTIONS_MAX = 64, /* of one command; its table is part of the program */
    CODE = 256,       /* of the first long option: beyond all letters */
};

/* ---- values ---- */

int ix_option_word(const char *value, const char *words, struct ix_error *err)
{
    const size_t len = strlen(value);
    int place = 0;
    for (const char *at = words;; at++, place++) {
        const size_t word = strcspn(at, "|");
        if (word == len && len && memcmp(at, value, len) == 0)
            return place;
        at += word;
        if (!*at)
            break;
    }
    return ix_fail(err, "'%s' is none of %s", value, words);
}

int ix_option_count(const char *value, size_t min, size_t max, size_t *out, struct ix_error *err)
{
    char *end;
    errno = 0;
    const unsigned long long parsed = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno || parsed < min || parsed > max)
        return ix_fail(err, "'%s' is not a number from %zu to %zu", value, min, max);
    *out = (size_t)parsed;
    return 0;
}

static int apply(const struct ix_option *row, void *target, const char *value, struct ix_error *err)
{
    void *field = (char *)target + row->offset;
    int place = 0;
    switch (row->type) {
    case IX_OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case IX_OPTION_TEXT:
        *(const char **)field = value;
        return *value ? 0 : ix_fail(err, "the value is empty");
    case IX_OPTION_COUNT:
        return ix_option_count(value, row->min, row->max, field, err);
    case IX_OPTION_WORD:
    case IX_OPTION_SWITCH:
        place = ix_option_word(value, row->words, err);
        if (place < 0)
            return -1;
        if (row->type == IX_OPTION_SWITCH)
            *(bool *)field = place == 1;
        else
            memcpy(field, &place, sizeof place); /* an enum has the size of an int */
        return 0;
    case IX_OPTION_CHOICE:
        place = (int)row->min;
        memcpy(field, &place, sizeof place);
        return 0;
    case IX_OPTION_CALL:
        return row->set(target, value, err);
    }
    return ix_fail(err, "this option has no type");
}

static bool takes_value(const struct ix_option *row)
{
    switch (row->type) {
    case IX_OPTION_FLAG:
    case IX_OPTION_CHOICE:
        return false;
    case IX_OPTION_CALL:
        return row->value != NULL;
    default:
        return true;
    }
}

/* ---- help ---- */

/* Words of `text` from column HELP_COLUMN on; the cursor is at `column`. */
static void print_wrapped(const char *text, int column)
{
    bool first = true;
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column >= HELP_COLUMN && !first && column + 1 + word > WIDTH) {
            putchar('\n');
            column = 0;
            first = true;
        }
        if (column < HELP_COLUMN) {
            printf("%*s", HELP_COLUMN - column, "");
            column = HELP_COLUMN;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        column += printf("%.*s", word, text);
        first = false;
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_row(const struct ix_option *row)
{
    char letter[8] = "    ", *help;
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *value = !takes_value(row) ? "" : row->value ? row->value : row->words;
    int column = printf("  %s--%s%s%s", letter, row->name, *value ? " " : "", value);
    if (column >= HELP_COLUMN) {
        putchar('\n');
        column = 0;
    }
    if (row->preset && asprintf(&help, "%s (default: %s)", row->help, row->preset) >= 0) {
        print_wrapped(help, column);
        free(help);
    } else {
        print_wrapped(row->help, column);
    }
}

static enum ix_parsed printed(struct ix_error *err)
{
    if (fflush(stdout) == 0)
        return IX_PARSED_HELP;
    ix_fail(err, "cannot write to standard output: %s", strerror(errno));
    return IX_PARSED_STUCK;
}

static enum ix_parsed print_help(const struct ix_command_line *line, struct ix_error *err)
{
    static const struct ix_option help = {
        .type = IX_OPTION_FLAG, .name = "help", .letter = 'h', .help = "print this text"};
    printf("Usage: %s %s [OPTION...]%s%s%s\n\n%s\n\n", line->program, line->command,
           line->command_follows ? " --" : "", *line->args ? " " : "", line->args, line->about);
    for (const struct ix_option_group *g = line->groups; g->target; g++) {
        for (size_t i = 0; i < g->count; i++)
            print_row(&g->rows[i]);
    }
    print_row(&help);
    if (line->after)
        printf("\n%s\n", line->after);
    return printed(err);
}

/* ---- completion ---- */

static void list_row(const struct ix_option *row)
{
    const char *value = !takes_value(row) ? "-" : row->words ? row->words : row->value;
    printf("--%s\t%s\t%s\n", row->name, value, row->help);
    if (row->letter)
        printf("-%c\t%s\t%s\n", row->letter, value, row->help);
}

static enum ix_parsed print_list(const struct ix_command_line *line, struct ix_error *err)
{
    const char *args = *line->args ? line->args : "-";
    printf("%s\t%.*s\t-\n", line->command, (int)strcspn(args, "\n"), args);
    for (const struct ix_option_group *g = line->groups; g->target; g++) {
        for (size_t i = 0; i < g->count; i++)
            list_row(&g->rows[i]);
    }
    puts("--help\t-\tprint this text\n-h\t-\tprint this text");
    return printed(err);
}

/* ---- parsing ---- */

struct table {
    const struct ix_option *rows[OPTIONS_MAX];
    void *targets[OPTIONS_MAX];
    size_t count;
    struct option words[OPTIONS_MAX + 2]; /* for getopt_long: and --help, and the end */
    char letters[2 * OPTIONS_MAX + 4];    /* "+:" and 'h' */
};

static int make_table(struct table *t, const struct ix_command_line *line, struct ix_error *err)
{
    char *letter = t->letters;
    if (line->command_follows)
        *letter++ = '+';
    *letter++ = ':';
    for (const struct ix_option_group *g = line->groups; g->target; g++) {
        for (size_t i = 0; i < g->count; i++) {
            const struct ix_option *row = &g->rows[i];
            if (t->count == OPTIONS_MAX)
                return ix_fail(err, "this command has too many options");
            t->rows[t->count] = row;
            t->targets[t->count] = g->target;
            t->words[t->count] =
                (struct option){row->name, takes_value(row) ? required_argument : no_argument, NULL,
                                CODE + (int)t->count};
            t->count++;
            if (!row->letter)
                continue;
            *letter++ = row->letter;
            if (takes_value(row))
                *letter++ = ':';
        }
    }
    *letter = 'h';
    t->words[t->count] = (struct option){"help", no_argument, NULL, 'h'};
    return 0;
}

static size_t find(const struct table *t, int code)
{
    for (size_t i = 0; i < t->count; i++) {
        if (code == CODE + (int)i || (code == t->rows[i]->letter && code))
            return i;
    }
    return t->count;
}

/* ---- wrong options ---- */

/* The length of the name in a word such as "--fo=1"; 0: it is no long option. */
static size_t name_length(const char *word)
{
    return strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
}

/* Is it the whole name of an option, as in "--format=1"? getopt_long also takes its beginning, with
 * which a later version can mean another option. */
static bool is_whole(const struct table *t, const char *word)
{
    const size_t len = name_length(word);
    for (size_t i = 0; i <= t->count; i++)
        if (strlen(t->words[i].name) == len && memcmp(t->words[i].name, word + 2, len) == 0)
            return true;
    return false;
}

/* Adds the long options that begin with the word, or else the one that is most like it. */
static void suggest(const struct table *t, const char *word, struct ix_error *err)
{
    enum { SUGGESTIONS = 3 };
    const char *names[OPTIONS_MAX + 1], *meant[SUGGESTIONS] = {0};
    char name[IX_NEAREST_MAX + 1];
    const size_t len = name_length(word);
    size_t count = 0;
    snprintf(name, sizeof name, "%.*s", (int)len, word + 2);
    for (size_t i = 0; i <= t->count; i++) {
        names[i] = t->words[i].name;
        if (strncmp(names[i], name, len) == 0 && count < SUGGESTIONS)
            meant[count++] = names[i];
    }
    if (!count && (meant[0] = ix_nearest(name, names, t->count + 1)))
        count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct ix_error before = *err;
        ix_fail(err, "%s%s'--%s'%s", before.text, i ? " or " : "; did you mean ", meant[i],
                i + 1 == count ? "?" : "");
    }
}

static void refuse_unknown(const struct table *t, const char *word, struct ix_error *err)
{
    ix_fail(err, "unknown option '%s'", word);
    if (name_length(word))
        suggest(t, word, err);
}

/* What getopt_long did not like. */
static void refuse(const struct table *t, int result, char **argv, struct ix_error *err)
{
    /* A long option is a complete word of argv; a short one may be inside a word of several, which
     * is not done yet. No short option is -h but that of --help, which is known. */
    const char *word = optind > 0 ? argv[optind - 1] : "";
    const bool is_long = !optopt || optopt >= CODE || optopt == 'h';
    if (is_long && !is_whole(t, word))
        refuse_unknown(t, word, err);
    else if (result == ':')
        ix_fail(err, "option '%s' needs a value", word);
    else if (!is_long && optopt > 0 && optopt < 128)
        ix_fail(err, "unknown option '-%c'", optopt);
    else if (!is_long)
        ix_fail(err, "unknown option '%s'", word);
    else
        ix_fail(err, "option '%s' takes no value", word);
}

/* The word of the long option that getopt_long has just taken; its value can be the next word. */
static const char *taken(char **argv)
{
    return argv[optind - (optarg == argv[optind - 1] ? 2 : 1)];
}

void ix_option_hint(const char *program, const char *command, struct ix_error *err)
{
    const struct ix_error what = *err;
    const size_t len = strlen(what.text);
    const bool asks = len && what.text[len - 1] == '?';
    ix_fail(err, "%s%s '%s %s --help'", what.text, asks ? " Try" : "; try", program, command);
}

size_t ix_count_args(char *const *args)
{
    size_t count = 0;
    while (args[count])
        count++;
    return count;
}

static enum ix_parsed wrong(const struct ix_command_line *line, struct ix_error *err)
{
    ix_option_hint(line->program, line->command, err);
    return IX_PARSED_WRONG;
}

static enum ix_parsed count_args(const struct ix_command_line *line, size_t count, char **args,
                                 struct ix_error *err)
{
    if (count < line->args_min) {
        ix_fail(err, "expected %s", line->args);
        return wrong(line, err);
    }
    if (count > line->args_max) {
        if (line->args_max)
            ix_fail(err, "'%s' is more than the expected %s", args[line->args_max], line->args);
        else
            ix_fail(err, "'%s' is not expected", args[0]);
        return wrong(line, err);
    }
    return IX_PARSED_ARGS;
}

enum ix_parsed ix_options_parse(const struct ix_command_line *line, int argc, char **argv,
                                char ***args, struct ix_error *err)
{
    struct table t = {.count = 0};
    if (argc == 2 && strcmp(argv[1], IX_COMPLETE) == 0)
        return print_list(line, err);
    if (make_table(&t, line, err) != 0)
        return IX_PARSED_STUCK;
    opterr = 0;
    optind = 0; /* GNU: start again, whatever was parsed before */
    for (int code, word = -1; (code = getopt_long(argc, argv, t.letters, t.words, &word)) != -1;
         word = -1) {
        const size_t i = find(&t, code);
        if (word >= 0 && !is_whole(&t, taken(argv))) {
            refuse_unknown(&t, taken(argv), err);
            return wrong(line, err);
        }
        if (code == 'h' && i == t.count)
            return print_help(line, err);
        if (i == t.count) {
            refuse(&t, code, argv, err);
            return wrong(line, err);
        }
        if (apply(t.rows[i], t.targets[i], optarg, err) != 0) {
            ix_fail_in(err, "option --%s", t.rows[i]->name);
            return wrong(line, err);
        }
    }
    *args = argv + optind;
    return count_args(line, (size_t)(argc - optind), *args, err);
}
