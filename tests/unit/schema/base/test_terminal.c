/* SPDX-License-Identifier: Apache-2.0 */
/* How wide text is on terminals of all widths, and elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "schema/base/terminal.h"

static int terminal, other_end;

static int open_terminal(void **state)
{
    (void)state;
    other_end = posix_openpt(O_RDWR | O_NOCTTY);
    if (other_end < 0 || grantpt(other_end) != 0 || unlockpt(other_end) != 0)
        return -1;
    terminal = open(ptsname(other_end), O_RDWR | O_NOCTTY);
    return terminal < 0;
}

static int close_terminal(void **state)
{
    (void)state;
    unsetenv("COLUMNS");
    close(terminal);
    close(other_end);
    return 0;
}

static void is_wide(unsigned short columns)
{
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

static void narrow_terminals_count(void **state)
{
    (void)state;
    static const struct {
        unsigned short columns;
        size_t screen, line;
    } rows[] = {{0, 80, 79},  {200, 80, 79}, {80, 80, 79}, {79, 79, 78},
                {60, 60, 59}, {40, 40, 39},  {39, 40, 38}, {1, 40, 1}};
    unsetenv("COLUMNS");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_wide(rows[i].columns);
        assert_int_equal(ix_screen_columns(terminal), rows[i].screen);
        assert_int_equal(ix_line_columns(terminal), rows[i].line);
    }
}

static void the_variable_counts_on_a_terminal(void **state)
{
    (void)state;
    is_wide(70);
    setenv("COLUMNS", "60", 1);
    assert_int_equal(ix_screen_columns(terminal), 60);
    assert_int_equal(ix_line_columns(terminal), 69); /* what is wider would wrap */
    setenv("COLUMNS", "10", 1);
    assert_int_equal(ix_screen_columns(terminal), IX_SCREEN_NARROWEST);
    setenv("COLUMNS", "1000", 1);
    assert_int_equal(ix_screen_columns(terminal), IX_SCREEN_COLUMNS);
    static const char *const none[] = {"", "wide", "-5", "0"};
    for (size_t i = 0; i < 4; i++) {
        setenv("COLUMNS", none[i], 1);
        assert_int_equal(ix_screen_columns(terminal), 70);
    }
}

static void elsewhere_nothing_does(void **state)
{
    (void)state;
    const int file = open("/dev/null", O_WRONLY);
    setenv("COLUMNS", "60", 1);
    assert_int_equal(ix_screen_columns(file), IX_SCREEN_COLUMNS);
    assert_int_equal(ix_line_columns(file), IX_SCREEN_COLUMNS - 1);
    close(file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_terminal, close_terminal)
    const struct CMUnitTest tests[] = {
        TEST(narrow_terminals_count),
        TEST(the_variable_counts_on_a_terminal),
        TEST(elsewhere_nothing_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
