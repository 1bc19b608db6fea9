/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: typed rows in groups, messages, what --help looks like, what completion gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "schema/commandline/options.h"

enum colour { RED, GREEN, BLUE };

struct paint {
    enum colour colour;
    bool dry, glossy;
    size_t coats;
};

struct place {
    const char *room;
    char letter;
};

static int set_letter(void *target, const char *value, struct ix_error *err)
{
    struct place *p = target;
    p->letter = value[0];
    return value[0] && !value[1] ? 0 : ix_fail(err, "'%s' is not one letter", value);
}

static const struct ix_option paint_rows[] = {
    {.type = IX_OPTION_WORD,
     .name = "colour",
     .letter = 'c',
     .words = "red|green|blue",
     .help = "what it looks like",
     .preset = "red",
     .offset = offsetof(struct paint, colour)},
    {.type = IX_OPTION_FLAG,
     .name = "dry",
     .help = "wait until it is dry",
     .offset = offsetof(struct paint, dry)},
    {.type = IX_OPTION_SWITCH,
     .name = "finish",
     .words = "matt|glossy",
     .help = "of the last coat",
     .offset = offsetof(struct paint, glossy)},
    {.type = IX_OPTION_COUNT,
     .name = "coats",
     .value = "N",
     .min = 1,
     .max = 9,
     .help = "a sentence that is longer than what fits into one line of eighty columns, so that it "
             "has to be wrapped",
     .offset = offsetof(struct paint, coats)},
    {.type = IX_OPTION_CHOICE,
     .name = "green",
     .help = "the same as --colour green",
     .offset = offsetof(struct paint, colour),
     .min = GREEN},
};
static const struct ix_option place_rows[] = {
    {.type = IX_OPTION_TEXT,
     .name = "room",
     .value = "NAME",
     .help = "where",
     .offset = offsetof(struct place, room)},
    {.type = IX_OPTION_CALL,
     .name = "letter-of-the-whole-building",
     .value = "L",
     .help = "which",
     .set = set_letter},
};

struct parsed {
    struct paint paint;
    struct place place;
    enum ix_parsed how;
    char **args;
    struct ix_error err;
};

/* Parses the words, the last of which is NULL. */
static struct parsed parse(bool command_follows, char **words)
{
    struct parsed p = {.err.text = ""};
    const struct ix_option_group groups[] = {
        {paint_rows, 5, &p.paint}, {place_rows, 2, &p.place}, {0}};
    const struct ix_command_line line = {
        .program = "decorator",
        .command = "paint",
        .args = "WALL",
        .args_min = 1,
        .args_max = command_follows ? 9 : 1,
        .command_follows = command_follows,
        .about = "Paints a wall.",
        .groups = groups,
    };
    int argc = 0;
    while (words[argc])
        argc++;
    p.how = ix_options_parse(&line, argc, words, &p.args, &p.err);
    return p;
}

#define PARSE(...) parse(false, (char **)(const char *[]){"paint", __VA_ARGS__, NULL})
#define REFUSED(message, ...)                                                                      \
    do {                                                                                           \
        const struct parsed refused = PARSE(__VA_ARGS__);                                          \
        assert_int_equal(refused.how, IX_PARSED_WRONG);                                            \
        assert_string_equal(refused.err.text, message "; try 'decorator paint --help'");           \
    } while (0)

static void rows_of_all_types_fill_their_own_group(void **state)
{
    (void)state;
    const struct parsed p = PARSE("--colour", "blue", "wall", "--dry", "--finish=glossy", "--coats",
                                  "9", "--room", "hall", "--letter-of-the-whole-building", "B");
    assert_int_equal(p.how, IX_PARSED_ARGS);
    assert_int_equal(p.paint.colour, BLUE);
    assert_true(p.paint.dry && p.paint.glossy);
    assert_int_equal(p.paint.coats, 9);
    assert_string_equal(p.place.room, "hall");
    assert_int_equal(p.place.letter, 'B');
    assert_string_equal(p.args[0], "wall");
    assert_null(p.args[1]);
}

static void the_last_of_two_wins_and_letters_work(void **state)
{
    (void)state;
    const struct parsed p = PARSE("-cblue", "-c", "green", "wall");
    assert_int_equal(p.how, IX_PARSED_ARGS);
    assert_int_equal(p.paint.colour, GREEN);
    assert_int_equal(PARSE("-cblue", "--green", "wall").paint.colour, GREEN);
    assert_int_equal(PARSE("--green", "-cblue", "wall").paint.colour, BLUE);
}

static void wrong_use_is_said_in_the_same_words(void **state)
{
    (void)state;
    REFUSED("unknown option '--hue'", "--hue", "wall");
    REFUSED("unknown option '-x'", "-x", "wall");
    REFUSED("unknown option '--=1'", "--=1", "wall");
    REFUSED("unknown option '-x'", "--dry", "-xy", "wall");
    REFUSED("option '-c' needs a value", "wall", "-c");
    REFUSED("option '--help=1' takes no value", "--help=1", "wall");
    REFUSED("option '--room' needs a value", "wall", "--room");
    REFUSED("option '--dry=yes' takes no value", "--dry=yes", "wall");
    REFUSED("option '--green=1' takes no value", "--green=1", "wall");
    REFUSED("option --colour: 'purple' is none of red|green|blue", "--colour", "purple", "wall");
    REFUSED("option --colour: 're' is none of red|green|blue", "--colour", "re", "wall");
    REFUSED("option --colour: '' is none of red|green|blue", "--colour", "", "wall");
    REFUSED("option --coats: '0' is not a number from 1 to 9", "--coats", "0", "wall");
    REFUSED("option --coats: '-1' is not a number from 1 to 9", "--coats", "-1", "wall");
    REFUSED("option --coats: '99999999999999999999' is not a number from 1 to 9", "--coats",
            "99999999999999999999", "wall");
    REFUSED("option --room: the value is empty", "--room", "", "wall");
    REFUSED("option --letter-of-the-whole-building: 'AB' is not one letter",
            "--letter-of-the-whole-building", "AB", "wall");
    REFUSED("expected WALL", "--dry");
    REFUSED("'ceiling' is more than the expected WALL", "wall", "ceiling");
}

#define SUGGESTED(message, ...)                                                                    \
    do {                                                                                           \
        const struct parsed refused = PARSE(__VA_ARGS__);                                          \
        assert_int_equal(refused.how, IX_PARSED_WRONG);                                            \
        assert_string_equal(refused.err.text, message " Try 'decorator paint --help'");            \
    } while (0)

static void options_are_not_abbreviated(void **state)
{
    (void)state;
    SUGGESTED("unknown option '--coat'; did you mean '--coats'?", "--coat", "9", "wall");
    SUGGESTED("unknown option '--coat=9'; did you mean '--coats'?", "--coat=9", "wall");
    SUGGESTED("unknown option '--coat'; did you mean '--coats'?", "wall", "--coat");
    SUGGESTED("unknown option '--dr'; did you mean '--dry'?", "wall", "--dr");
    SUGGESTED("unknown option '--dr=1'; did you mean '--dry'?", "--dr=1", "wall");
    SUGGESTED("unknown option '--he'; did you mean '--help'?", "--he", "wall");
    SUGGESTED("unknown option '--co'; did you mean '--colour' or '--coats'?", "--co", "1", "wall");
    SUGGESTED("unknown option '--color'; did you mean '--colour'?", "--color", "red", "wall");
    /* a value that looks like one */
    assert_string_equal(PARSE("--room", "--dr", "wall").place.room, "--dr");
    assert_string_equal(PARSE("--room=--dr", "wall").place.room, "--dr");
}

static void a_command_that_follows_keeps_its_options(void **state)
{
    (void)state;
    const struct parsed p =
        parse(true, (char **)(const char *[]){"paint", "--dry", "make", "--colour", "x", NULL});
    assert_int_equal(p.how, IX_PARSED_ARGS);
    assert_true(p.paint.dry);
    assert_string_equal(p.args[0], "make");
    assert_string_equal(p.args[1], "--colour");
}

/* What is printed for the word; freed by the caller. */
static char *printed_for(const char *word, const char *next)
{
    enum { MOST = 4096 };
    char *text = calloc(1, MOST);
    FILE *file = tmpfile();
    const int before = dup(STDOUT_FILENO);
    assert_non_null(text);
    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    const struct parsed p = PARSE(word, next);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, MOST - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(p.how, IX_PARSED_HELP);
    return text;
}

static void help_is_wrapped_at_80_columns(void **state)
{
    (void)state;
    char *text = printed_for("--help", "--hue");
    assert_string_equal(
        text, "Usage: decorator paint [OPTION...] WALL\n"
              "\n"
              "Paints a wall.\n"
              "\n"
              "  -c, --colour red|green|blue\n"
              "                             what it looks like (default: red)\n"
              "      --dry                  wait until it is dry\n"
              "      --finish matt|glossy   of the last coat\n"
              "      --coats N              a sentence that is longer than what fits into one\n"
              "                             line of eighty columns, so that it has to be\n"
              "                             wrapped\n"
              "      --green                the same as --colour green\n"
              "      --room NAME            where\n"
              "      --letter-of-the-whole-building L\n"
              "                             which\n"
              "  -h, --help                 print this text\n");
    free(text);
}

static void completion_gets_a_line_for_each_row(void **state)
{
    (void)state;
    char *text = printed_for(IX_COMPLETE, NULL);
    assert_string_equal(
        text, "paint\tWALL\t-\n"
              "--colour\tred|green|blue\twhat it looks like\n"
              "-c\tred|green|blue\twhat it looks like\n"
              "--dry\t-\twait until it is dry\n"
              "--finish\tmatt|glossy\tof the last coat\n"
              "--coats\tN\ta sentence that is longer than what fits into one line of eighty "
              "columns, so that it has to be wrapped\n"
              "--green\t-\tthe same as --colour green\n"
              "--room\tNAME\twhere\n"
              "--letter-of-the-whole-building\tL\twhich\n"
              "--help\t-\tprint this text\n"
              "-h\t-\tprint this text\n");
    free(text);
    REFUSED("unknown option '--complete'", IX_COMPLETE, "wall");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_types_fill_their_own_group),
        cmocka_unit_test(the_last_of_two_wins_and_letters_work),
        cmocka_unit_test(wrong_use_is_said_in_the_same_words),
        cmocka_unit_test(options_are_not_abbreviated),
        cmocka_unit_test(a_command_that_follows_keeps_its_options),
        cmocka_unit_test(help_is_wrapped_at_80_columns),
        cmocka_unit_test(completion_gets_a_line_for_each_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
