/* SPDX-License-Identifier: Apache-2.0 */
/* What ixor attach could take for a JVM: run under the name libjvm.so, it says "ready" and lives
 * for a minute. `handler`: it takes SIGQUIT and says "quit", but never listens; `none`: it has no
 * handler. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t quits;

static void on_quit(int number)
{
    (void)number;
    quits = quits + 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "handler") == 0)
        signal(SIGQUIT, on_quit);
    puts("ready");
    fflush(stdout);
    alarm(60);
    for (;;) {
        pause();
        if (quits) {
            puts("quit");
            fflush(stdout);
        }
    }
}
