/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/upload_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <sys/stat.h>

char last_warning[1024];
uint8_t text[LOG_SIZE];

static void on_warned(void *user, const char *warning)
{
    (void)user;
    snprintf(last_warning, sizeof last_warning, "%s", warning);
}

void upload_serve(void)
{
    const struct ixor_service_events events = {.warned = on_warned};
    const struct ixor_service_options options = {.rhythm = {.every_ns = 1000000000},
                                                 .on_demand = true,
                                                 .upload = {.max_size = 10 * LOG_SIZE}};
    serve_with(in_tempdir("camp"), options, &events, "run0001", NULL);
    last_warning[0] = '\0';
}

int upload_set_up(void **state)
{
    if (nobody_there(state) != 0)
        return -1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 31 + i / 257);
    upload_serve();
    return 0;
}

struct ix_log_offer offer_of(const struct double_agent *agent, uint64_t size)
{
    struct ix_log_offer o = {.state = IX_OFFER_WHOLE, .size = size};
    o.name.pid = agent->hello.pid;
    o.name.started_ns = agent->hello.started_ns;
    memcpy(o.name.host, agent->hello.host, sizeof o.name.host);
    memcpy(o.name.log, agent->hello.log, sizeof o.name.log);
    return o;
}

void offer(struct double_agent *agent, const struct ix_log_offer *o)
{
    const unsigned before = agent->accepts;
    struct ix_out out = {0};
    ix_encode_log_offer(&out, o);
    double_say(agent, &out);
    WAIT(agent->accepts > before || agent->eof);
}

void send_bytes(struct double_agent *agent, uint64_t from, uint64_t to)
{
    while (from < to) {
        const size_t n = to - from < IX_LOG_DATA_MAX ? (size_t)(to - from) : IX_LOG_DATA_MAX;
        struct ix_out out = {0};
        ix_encode_log_data(&out, &(struct ix_log_data){from, text + from, n});
        double_say(agent, &out);
        from += n;
        step();
    }
    WAIT(agent->out.len == 0 || agent->eof);
}

void send_done(struct double_agent *agent, uint64_t size, bool good)
{
    struct ix_log_done done = {.size = size};
    const unsigned before = agent->storeds;
    struct ix_out out = {0};
    ix_digest_of(text, size, done.digest);
    done.digest[0] ^= !good;
    ix_encode_log_done(&out, &done);
    double_say(agent, &out);
    WAIT(agent->storeds > before || agent->eof);
}

const struct ix_vm *vm_of(uint32_t pid)
{
    const struct ixor_vm_list *list = vms();
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].pid == pid)
            return &list->at[i];
    }
    fail_msg("there is no VM %u", pid);
    return NULL;
}

size_t copies(char names[1024])
{
    size_t count = 0, used = 0;
    names[0] = '\0';
    DIR *dir = opendir(in_tempdir("camp/runs/run0001"));
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        count++;
        used += (size_t)snprintf(names + used, 1024 - used, "%s ", e->d_name);
    }
    if (dir)
        closedir(dir);
    return count;
}

long part_size(void)
{
    char names[1024], path[2048];
    struct stat st;
    copies(names);
    char *end = strstr(names, ".part");
    if (!end)
        return -1;
    end[strlen(".part")] = '\0';
    const char *begin = strrchr(names, ' ');
    snprintf(path, sizeof path, "camp/runs/run0001/%s", begin ? begin + 1 : names);
    return stat(in_tempdir(path), &st) == 0 ? st.st_size : -1;
}

void break_after(struct double_agent *agent, uint64_t size)
{
    WAIT(part_size() == (long)size);
    double_close(agent);
    WAIT(current->sessions == 0);
}

void same_bytes(const char *relative, size_t size)
{
    static uint8_t got[LOG_SIZE + 1];
    FILE *f = fopen(in_tempdir(relative), "rb");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got, f), size);
    assert_memory_equal(got, text, size);
    fclose(f);
}
