/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {
    [IX_KEY_CAMPAIGN] = "campaign", [IX_KEY_AGENT] = "agent", [IX_KEY_CONTROL] = "control"};

int ix_key_make(struct ix_key *key, struct ix_error *err)
{
    if (getrandom(key->bytes, IX_KEY_SIZE, 0) != (ssize_t)IX_KEY_SIZE)
        return ix_fail(err, "the kernel gives no random numbers: %s", strerror(errno));
    return 0;
}

/* HMAC is a good derivation for a key that is random already (RFC 5869, section 3.3). */
int ix_key_derive(const struct ix_key *campaign, enum ix_key_kind kind, struct ix_key *key,
                  struct ix_error *err)
{
    char label[32];
    unsigned size = IX_KEY_SIZE;
    const int len = snprintf(label, sizeof label, "ixor %s key 1", names[kind]);
    if (HMAC(EVP_sha256(), campaign->bytes, IX_KEY_SIZE, (const uint8_t *)label, (size_t)len,
             key->bytes, &size) == NULL)
        return ix_fail(err, "cannot derive the %s key: out of memory", names[kind]);
    return 0;
}

void ix_key_text(enum ix_key_kind kind, const struct ix_key *key, char text[IX_KEY_TEXT])
{
    int len = snprintf(text, IX_KEY_TEXT, "ixor-%s-", names[kind]);
    for (size_t i = 0; i < IX_KEY_SIZE; i++)
        len += snprintf(text + len, IX_KEY_TEXT - (size_t)len, "%02x", key->bytes[i]);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The kind that a text claims to be. */
static enum ix_key_kind kind_of(const char *text, const char **digits)
{
    char begin[IX_KEY_TEXT];
    for (enum ix_key_kind k = IX_KEY_CAMPAIGN; k <= IX_KEY_CONTROL; k++) {
        const int len = snprintf(begin, sizeof begin, "ixor-%s-", names[k]);
        if (strncmp(text, begin, (size_t)len) == 0) {
            *digits = text + len;
            return k;
        }
    }
    return IX_KEY_NONE;
}

int ix_key_parse(enum ix_key_kind kind, const char *text, struct ix_key *key, struct ix_error *err)
{
    const char *digits = NULL;
    const enum ix_key_kind is = kind_of(text, &digits);
    if (is == IX_KEY_CAMPAIGN && kind == IX_KEY_AGENT)
        return ix_fail(err, "is the key of a whole campaign; a JVM gets that in the file agent.key "
                            "beside it, which can do less");
    if (is != IX_KEY_NONE && is != kind)
        return ix_fail(err, "is the %s key; expected the %s key", names[is], names[kind]);
    if (is == IX_KEY_NONE || strlen(digits) != 2u * IX_KEY_SIZE)
        return ix_fail(err, "is not a valid %s key; expected ixor-%s- and %u hexadecimal digits",
                       names[kind], names[kind], 2 * IX_KEY_SIZE);
    for (size_t i = 0; i < IX_KEY_SIZE; i++) {
        const int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            return ix_fail(err, "is not a valid %s key: a character is not a hexadecimal digit",
                           names[kind]);
        key->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

/* ---- files ---- */

static int check_file(enum ix_key_kind kind, int fd, const char *path, struct ix_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return ix_fail(err, "the key '%s': %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return ix_fail(err, "the key '%s' is not a file", path);
    if (info.st_uid != geteuid() && info.st_uid != 0)
        return ix_fail(err,
                       "the key '%s' belongs to user number %lu, who could change it; it must "
                       "belong to you or to root",
                       path, (unsigned long)info.st_uid);
    if (info.st_mode & (S_IRWXG | S_IRWXO))
        return ix_fail(err,
                       "the key '%s' is open to other users (mode %04o); close it with chmod "
                       "600; if somebody may have seen it, %s",
                       path, (unsigned)info.st_mode & 07777,
                       kind == IX_KEY_CAMPAIGN ? "delete it instead, and a new one is made"
                                               : "begin a new campaign");
    return 0;
}

int ix_key_read(enum ix_key_kind kind, const char *path, struct ix_key *key, struct ix_error *err)
{
    char text[IX_KEY_TEXT + 2]; /* one more than a key and its newline shows that it is too long */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        const int missing = errno == ENOENT;
        ix_fail(err, "the key '%s': %s", path, strerror(errno));
        return missing ? 1 : -1;
    }
    int status = check_file(kind, fd, path, err);
    if (status == 0) {
        const ssize_t n = read(fd, text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        if (n > 0 && text[n - 1] == '\n')
            text[n - 1] = '\0';
        status = n < 0 ? ix_fail(err, "the key '%s': %s", path, strerror(errno))
                       : ix_key_parse(kind, text, key, err);
        if (n >= 0 && status != 0)
            ix_fail_in(err, "the file '%s'", path);
    }
    close(fd);
    return status;
}

int ix_key_write(enum ix_key_kind kind, const char *path, const struct ix_key *key,
                 struct ix_error *err)
{
    char text[IX_KEY_TEXT], line[IX_KEY_TEXT + 1], being[PATH_MAX];
    ix_key_text(kind, key, text);
    const int size = snprintf(line, sizeof line, "%s\n", text);
    if (snprintf(being, sizeof being, "%s.XXXXXX", path) >= (int)sizeof being)
        return ix_fail(err, "the key '%.60s...': its name is too long", path);
    const int fd = mkostemp(being, O_CLOEXEC); /* makes it 0600 */
    bool good = fd >= 0 && write(fd, line, (size_t)size) == size && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    good = good && rename(being, path) == 0;
    if (good)
        return 0;
    ix_fail(err, "cannot write the key '%s': %s", path, strerror(errno));
    if (fd >= 0)
        unlink(being);
    return -1;
}
