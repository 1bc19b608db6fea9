/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;
static struct sigaction on_int, on_term; /* previous handlers */

static void note(int sig)
{
    (void)sig;
    interrupted = 1;
}

/* A signal that is ignored (nohup, a background job) stays ignored. */
static void catch_one(int sig, struct sigaction *before)
{
    const struct sigaction action = {.sa_handler = note,
                                     .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    if (sigaction(sig, NULL, before) == 0 && before->sa_handler != SIG_IGN)
        sigaction(sig, &action, NULL);
}

void roxi_interrupt_catch(void)
{
    catch_one(SIGINT, &on_int);
    catch_one(SIGTERM, &on_term);
}

void roxi_interrupt_release(void)
{
    sigaction(SIGINT, &on_int, NULL);
    sigaction(SIGTERM, &on_term, NULL);
}

void roxi_interrupt_note(void)
{
    interrupted = 1;
}

bool roxi_interrupted(void)
{
    return interrupted != 0;
}
