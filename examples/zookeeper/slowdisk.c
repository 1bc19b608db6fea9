/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that can become slow: loaded in front of the C library (LD_PRELOAD), it delays fsync and
 * fdatasync of its process, the calls that a transaction log waits for. The Java frames stay what
 * they are.
 *
 * SLOW_DISK names a file. While it is there, each call takes so many milliseconds longer as the
 * file's text says; while it is not, or says no number in 1..60000, none. Whoever runs the process
 * can so make the disk slow at any time; nothing else has to be different in a run without. If a
 * name follows the number, only threads of that name are delayed: servers that share a process can
 * so have disks of their own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_MS 60000
/* The kernel keeps 15 bytes of a thread's name. */
#define NAME_SIZE 16

static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static const char *file;

/* POSIX has dlsym return functions as data; only copying the pointer's bytes is valid C. */
static void find(const char *name, int (**function)(int))
{
    *(void **)function = dlsym(RTLD_NEXT, name);
    if (!*function)
        abort();
}

/* Before main(), so that no other thread exists yet. */
__attribute__((constructor)) static void set_up(void)
{
    find("fsync", &real_fsync);
    find("fdatasync", &real_fdatasync);
    file = getenv("SLOW_DISK");
}

/* Whether the calling thread has the name that the text begins with; no name is everybody's. */
static int is_meant(const char *text)
{
    char own[NAME_SIZE];
    size_t length = strcspn(text, " \n");
    if (!length)
        return 1;
    return !pthread_getname_np(pthread_self(), own, sizeof own) && strlen(own) == length &&
           !strncmp(own, text, length);
}

static long delay_ms(void)
{
    char text[16 + NAME_SIZE];
    int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    char *rest;
    long ms = strtol(text, &rest, 10);
    rest += strspn(rest, " ");
    return ms > 0 && ms <= MOST_MS && is_meant(rest) ? ms : 0;
}

static void delay(void)
{
    long ms = delay_ms();
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (ms && nanosleep(&left, &left) && errno == EINTR)
        ;
}

int fsync(int fd)
{
    delay();
    return real_fsync(fd);
}

int fdatasync(int fd)
{
    delay();
    return real_fdatasync(fd);
}
