/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/jfr.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int dump_is_jfr(const char *path, struct ix_error *err)
{
    char magic[4];
    FILE *in = fopen(path, "re");
    if (!in)
        return ix_fail(err, "cannot read '%s': %s", path, strerror(errno));
    const bool whole = fread(magic, 1, sizeof magic, in) == sizeof magic;
    const int failed = ferror(in) ? errno : 0;
    fclose(in);
    if (failed)
        return ix_fail(err, "cannot read '%s': %s", path, strerror(failed));
    return whole && memcmp(magic, "FLR\0", sizeof magic) == 0;
}

/* ---- JSON strings ---- */

static int hex_digits(FILE *json)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const int c = getc_unlocked(json);
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *found = c > 0 ? strchr(digits, c) : NULL;
        if (!found)
            return -1;
        value = 16 * value + (int)((found - digits) % 16);
    }
    return value;
}

static void put_code(FILE *out, uint32_t code)
{
    if (code < 0x80) {
        putc_unlocked((int)code, out);
    } else if (code < 0x800) {
        putc_unlocked((int)(0xC0 | code >> 6), out);
        putc_unlocked((int)(0x80 | (code & 0x3F)), out);
    } else if (code < 0x10000) {
        putc_unlocked((int)(0xE0 | code >> 12), out);
        putc_unlocked((int)(0x80 | (code >> 6 & 0x3F)), out);
        putc_unlocked((int)(0x80 | (code & 0x3F)), out);
    } else {
        putc_unlocked((int)(0xF0 | code >> 18), out);
        putc_unlocked((int)(0x80 | (code >> 12 & 0x3F)), out);
        putc_unlocked((int)(0x80 | (code >> 6 & 0x3F)), out);
        putc_unlocked((int)(0x80 | (code & 0x3F)), out);
    }
}

/* What follows a backslash and u; two of them are one character above U+FFFF. */
static int copy_code(FILE *json, FILE *out)
{
    const int high = hex_digits(json);
    if (high < 0)
        return -1;
    if (high < 0xD800 || high > 0xDFFF) {
        put_code(out, (uint32_t)high);
        return 0;
    }
    const int backslash = getc_unlocked(json);
    if (backslash != '\\' || getc_unlocked(json) != 'u')
        return -1;
    const int low = hex_digits(json);
    if (high > 0xDBFF || low < 0xDC00 || low > 0xDFFF)
        return -1;
    put_code(out, 0x10000 + (((uint32_t)high & 0x3FF) << 10 | ((uint32_t)low & 0x3FF)));
    return 0;
}

/* Copies a string up to the quotation mark that ends it. */
static int copy_string(FILE *json, FILE *out)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    int c;
    while ((c = getc_unlocked(json)) != EOF && c != '"') {
        if (c != '\\') {
            putc_unlocked(c, out);
            continue;
        }
        c = getc_unlocked(json);
        const char *escape = c > 0 ? strchr(escapes, c) : NULL;
        if (escape)
            putc_unlocked(meanings[escape - escapes], out);
        else if (c != 'u' || copy_code(json, out) != 0)
            return -1;
    }
    return c == '"' ? 0 : -1;
}

int dump_jfr_copy(FILE *json, FILE *out)
{
    /* Within a string these quotation marks would have backslashes. */
    static const char begin[] = "\"result\": \"";
    size_t matched = 0;
    int c;
    while ((c = getc_unlocked(json)) != EOF) {
        if (c != begin[matched])
            matched = 0;
        if (c == begin[matched])
            matched++;
        if (begin[matched])
            continue;
        matched = 0;
        if (copy_string(json, out) != 0)
            return -1;
        putc_unlocked('\n', out);
    }
    return ferror(json) ? -1 : 0;
}

/* ---- the program ---- */

static int no_program(const char *path, struct ix_error *err)
{
    return ix_fail(
        err,
        "'%s' is a recording, and there is no program jfr to read it: set JAVA_HOME to a "
        "JDK, or put its bin on the PATH",
        path);
}

/* Starts jfr with its output in `out`. 0 or an error number. */
static int start(const char *recording, int out, pid_t *pid)
{
    char program[PATH_MAX] = "jfr";
    const char *home = getenv("JAVA_HOME");
    const char *const argv[] = {"jfr",     "print", "--json", "--events", "jdk.ThreadDump",
                                recording, NULL};
    posix_spawn_file_actions_t actions;
    if (home && *home &&
        (size_t)snprintf(program, sizeof program, "%s/bin/jfr", home) >= sizeof program)
        return ENAMETOOLONG;
    int why = posix_spawn_file_actions_init(&actions);
    if (why)
        return why;
    why = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!why)
        why = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!why)
        why = posix_spawnp(pid, program, &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

/* Reads the output, and waits for the end. */
static int finish(const char *path, int from, pid_t pid, FILE *out, struct ix_error *err)
{
    int status = 0;
    FILE *json = fdopen(from, "r");
    const int why = errno, copied = json ? dump_jfr_copy(json, out) : -1;
    if (json)
        fclose(json);
    else
        close(from);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!json)
        return ix_fail(err, "cannot read what jfr prints of '%s': %s", path, strerror(why));
    return copied == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? 0
               : ix_fail(err,
                         "jfr cannot read '%s': try 'jfr print --events jdk.ThreadDump' with it",
                         path);
}

int dump_jfr_print(const char *path, FILE *out, struct ix_error *err)
{
    char real[PATH_MAX];
    int ends[2];
    pid_t pid;
    if (!realpath(path, real) || pipe2(ends, O_CLOEXEC) != 0)
        return ix_fail(err, "cannot read '%s': %s", path, strerror(errno));
    const int why = start(real, ends[1], &pid);
    close(ends[1]);
    if (!why)
        return finish(path, ends[0], pid, out, err);
    close(ends[0]);
    return why == ENOENT || why == ENOTDIR || why == EACCES
               ? no_program(path, err)
               : ix_fail(err, "cannot start jfr: %s", strerror(why));
}
