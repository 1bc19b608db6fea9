/* SPDX-License-Identifier: Apache-2.0 */
/* What simulate is asked to do (simulate.c describes it). */
#ifndef IX_TESTS_SIMULATE_OPTIONS_H
#define IX_TESTS_SIMULATE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/base/error.h"
#include "server/base/units.h"

enum kind { GOOD, HALF, GARBAGE, SILENT, MUTE, CHATTY, KINDS };

static struct {
    struct ixor_address server;
    size_t sessions, rate, kinds[KINDS];
    unsigned seconds, wait, first;
    bool storm, elsewhere;
    const char *execution, *key;
} option = {
    .sessions = 100, .rate = 1000, .seconds = 10, .wait = 60, .first = 1000, .execution = ""};

static size_t count_of(const char *text)
{
    uint64_t n;
    struct ix_error err;
    if (ixor_parse_count(text, 0, 1000000, &n, &err) == 0)
        return (size_t)n;
    fprintf(stderr, "simulate: %s\n", err.text);
    exit(2);
}

/* Ends the process if they are wrong. */
static void parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"server", required_argument, NULL, 's'},      {"sessions", required_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 't'},     {"storm", no_argument, NULL, 'S'},
        {"rate", required_argument, NULL, 'r'},        {"first", required_argument, NULL, 'f'},
        {"execution", required_argument, NULL, 'x'},   {"half", required_argument, NULL, HALF},
        {"garbage", required_argument, NULL, GARBAGE}, {"silent", required_argument, NULL, SILENT},
        {"mute", required_argument, NULL, MUTE},       {"chatty", required_argument, NULL, CHATTY},
        {"key", required_argument, NULL, 'k'},         {"wait", required_argument, NULL, 'w'},
        {"elsewhere", no_argument, NULL, 'e'},         {0}};
    struct ix_error err = {"--server or --key is missing"};
    const char *server = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 's':
            server = optarg;
            break;
        case 'n':
            option.sessions = count_of(optarg);
            break;
        case 't':
            option.seconds = (unsigned)count_of(optarg);
            break;
        case 'k':
            option.key = optarg;
            break;
        case 'w':
            option.wait = (unsigned)count_of(optarg);
            break;
        case 'e':
            option.elsewhere = true;
            break;
        case 'S':
            option.storm = true;
            break;
        case 'r':
            option.rate = count_of(optarg);
            break;
        case 'f':
            option.first = (unsigned)count_of(optarg);
            break;
        case 'x':
            option.execution = optarg;
            break;
        case '?':
            exit(2);
        default:
            option.kinds[c] = count_of(optarg);
        }
    }
    if (!server || !option.key || ixor_parse_address(server, &option.server, &err) != 0) {
        fprintf(stderr, "simulate: %s\n", err.text);
        exit(2);
    }
}

#endif
