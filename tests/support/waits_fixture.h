/* SPDX-License-Identifier: Apache-2.0 */
/* A run of several JVMs whose logs a test writes: their threads, sockets and waits, packet by
 * packet. There is one at a time. Uses the test's temporary directory. */
#ifndef IX_TESTS_WAITS_FIXTURE_H
#define IX_TESTS_WAITS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "roxi/campaign/listing.h"
#include "schema/tracelog/thread_state.h"
#include "schema/tracelog/writer.h"
#include "schema/waits/build.h"

enum { JVMS = 4, THREADS = 8 };
enum { RUNS = IX_THREAD_ALIVE | IX_THREAD_RUNNABLE, PARKS = IX_THREAD_ALIVE | IX_THREAD_PARKED };

extern struct world {
    struct roxi_listed_vm vms[JVMS];
    struct ix_log_writer *logs[JVMS];
    struct ix_entry entries[JVMS][THREADS];
    uint32_t threads[JVMS];
    size_t count;
    uint64_t packet;
} world;

/* Adds a JVM. */
struct ix_log_writer *add_jvm(const char *role, const char *host);
/* Adds a thread to the JVM added last, in a method; the thread's number. */
uint32_t thread_in(const char *name, const char *group, uint32_t state, const char *class,
                   const char *method);
/* One that runs in app.Main.run. */
uint32_t thread(const char *name);
/* At the next packet. */
void waits(struct ix_log_writer *w, uint32_t number, enum ix_wait_kind kind, const char *local,
           const char *remote);
void has(struct ix_log_writer *w, enum ix_connection_state state, uint32_t number,
         const char *local, const char *remote);
void exchanged(struct ix_log_writer *w, const char *local, const char *remote, uint64_t sent,
               uint64_t received);
/* All JVMs take a packet. */
void packet(void);
/* So many; at the last one the first JVM's first thread reads from that connection, as it does at
 * the first one. After LONG packets all logs would have the other end. */
enum { LONG = 19 };
void packets_in_read(int packets, const char *local, const char *remote);

/* Two ends of a connection. */
#define HERE "10.0.0.1:4000"
#define THERE "10.0.0.2:80"
/* A client whose thread "asks" reads from a connection, and a server that listens there and has an
 * end with these addresses; the server's log. */
struct ix_log_writer *client_of_server(const char *local, const char *remote);

/* Ends the logs; the run is valid until world_forget. */
struct roxi_listed_execution world_run(void);
void world_forget(void);
/* Ends and forgets the run; what its last packet shows, printed with `print`. The caller frees it.
 */
char *world_last_packet(void (*print)(FILE *out, const struct waits_build *b));
/* The same as roxi waits prints it. */
void expect_waits(const char *want);

#endif
