/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/coverage_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/coverage/class_file.h"
#include "schema/base/grow.h"
#include "tests/support/class_maker.h"
#include "tests/support/tracelog_fixture.h"

static jvmtiEnv *const ti = &jvm.ti;
static JNIEnv *const jni = &jvm.jni;

struct coverage_world covering;
_Thread_local bool cover_counted;
_Thread_local size_t cover_allocations;
size_t cover_allocation_fails;

/* ---- what it calls ---- */

static bool no_memory(void)
{
    return cover_counted && ++cover_allocations == cover_allocation_fails;
}

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strndup(const char *text, size_t length);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strndup(const char *text, size_t length);

void *__wrap_calloc(size_t count, size_t size)
{
    return no_memory() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return no_memory() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return no_memory() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strndup(const char *text, size_t length)
{
    return no_memory() ? NULL : __real_strndup(text, length);
}

uint32_t __wrap_ixa_names_class(struct ixa_names *n, JNIEnv *j, jclass class);
uint32_t __wrap_ixa_names_class(struct ixa_names *n, JNIEnv *j, jclass class)
{
    char *signature = NULL;
    (void)n;
    (void)j;
    if ((*ti)->GetClassSignature(ti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return ix_log_class(covering.log, "?", "");
    const uint32_t number = ix_log_class(covering.log, signature, "");
    (*ti)->Deallocate(ti, (unsigned char *)signature);
    return number;
}

/* ---- classes ---- */

struct ix_out cover_class_file(const char *name, unsigned blocks)
{
    struct ix_out code = {0}, file = {0};
    for (unsigned i = 1; i < blocks; i++)
        PUT(&code, 0xa7, 0, 3);
    PUT(&code, 0xb1);
    begin_content(code.data, code.len, 0);
    put_end();
    make(&(struct made_class){.name = name, .methods = {{.codes = 1, .content = &content}}});
    ix_put_bytes(&file, made.data, made.len);
    ix_out_free(&code);
    return file;
}

/* What the JVM makes of it: only the names of its fields. */
static struct double_loaded *define(const char *name, struct double_class *loader,
                                    const uint8_t *bytes, size_t length)
{
    struct ixa_class_file file;
    struct double_loaded *l = malloc(sizeof *l);
    char signature[64];
    assert_non_null(l);
    snprintf(signature, sizeof signature, "L%s;", name);
    assert_int_equal(ixa_class_file_read(bytes, length, &file), IXA_CLASS_READ);
    struct ix_in in = ixa_class_file_fields(&file);
    *l = (struct double_loaded){.class.signature = strdup(signature),
                                .loader = loader,
                                .fields = malloc(file.field_count * sizeof *l->fields),
                                .field_count = file.field_count};
    assert_true(l->class.signature && l->fields);
    for (jint i = 0; i < l->field_count; i++) {
        const struct ix_span text = ixa_get_member(&file, &in).name;
        char *copy = malloc(text.len + 1);
        assert_non_null(copy);
        memcpy(copy, text.text, text.len);
        copy[text.len] = 0;
        l->fields[i] = (struct double_field){.name = copy};
    }
    ixa_class_file_free(&file);
    return l;
}

void cover_forget(struct double_loaded *l)
{
    for (jint i = 0; i < l->field_count; i++)
        free((char *)l->fields[i].name);
    free(l->fields);
    free((char *)l->class.signature);
    free(l);
}

struct double_loaded *cover_load_file(const char *name, const char *told,
                                      struct double_class *loader, const struct ix_out *file,
                                      struct double_loaded *redefined)
{
    jint length = 0;
    unsigned char *bytes = NULL;
    jobject loader_ref = loader ? new_ref(loader, &jvm.locals) : NULL;
    jclass class_ref = redefined ? new_ref(&redefined->class, &jvm.locals) : NULL;
    cover_counted = true;
    ixa_coverage_on_load(&covering.c, ti, jni, class_ref, loader_ref, told, (jint)file->len,
                         file->data, &length, &bytes);
    cover_counted = false;
    struct double_loaded *l = bytes ? define(name, loader, bytes, (size_t)length)
                                    : define(name, loader, file->data, file->len);
    if (bytes) {
        jvm.blocks--;
        free(bytes);
    }
    if (loader_ref)
        jvm_delete_local(jni, loader_ref);
    if (class_ref)
        jvm_delete_local(jni, class_ref);
    return l;
}

struct double_loaded *cover_remember(struct double_loaded *l)
{
    assert_int_equal(ix_append(covering.classes, covering.count, covering.cap, l), 0);
    return l;
}

struct double_loaded *cover_load_as(const char *name, const char *told, struct double_class *loader,
                                    unsigned blocks)
{
    struct ix_out file = cover_class_file(name, blocks);
    struct double_loaded *l = cover_load_file(name, told, loader, &file, NULL);
    ix_out_free(&file);
    return cover_remember(l);
}

struct double_loaded *cover_load(const char *name, struct double_class *loader, unsigned blocks)
{
    return cover_load_as(name, name, loader, blocks);
}

void cover_prepare(struct double_loaded *l)
{
    jclass class = new_ref(&l->class, &jvm.locals);
    cover_counted = true;
    ixa_coverage_on_prepare(&covering.c, ti, jni, class);
    cover_counted = false;
    jvm_delete_local(jni, class);
}

unsigned cover_probes(const struct double_loaded *l)
{
    unsigned count = 0;
    for (jint i = 0; i < l->field_count; i++)
        count += strncmp(l->fields[i].name, "$ixor", 5) == 0;
    return count;
}

void cover_execute(struct double_loaded *l, unsigned block)
{
    char name[24];
    snprintf(name, sizeof name, "$ixor%u", block);
    for (jint i = 0; i < l->field_count; i++)
        if (strcmp(l->fields[i].name, name) == 0)
            l->fields[i].set = true;
}

void cover_execute_all(struct double_loaded *l)
{
    for (jint i = 0; i < l->field_count; i++)
        l->fields[i].set = true;
}

/* ---- the agent's thread ---- */

int cover_set_up(void **state)
{
    static const char *const names[] = {"Lone/Loader;", "Lother/Loader;", "Lthird/Loader;"};
    (void)state;
    jvm_reset();
    memset(&covering, 0, sizeof covering);
    cover_allocations = cover_allocation_fails = 0;
    pthread_mutex_init(&covering.c.lock, NULL);
    for (int i = 0; i < 3; i++)
        covering.loaders[i] = (struct double_class){.signature = names[i]};
    return 0;
}

int cover_clean_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < covering.count; i++)
        cover_forget(covering.classes[i]);
    free(covering.classes);
    ix_out_free(&content);
    ix_out_free(&made);
    return 0;
}

void cover_nothing_is_held(void)
{
    assert_int_equal(jvm.locals, 0);
    assert_int_equal(jvm.blocks, 0);
}

void cover_start(void)
{
    assert_int_equal(ixa_coverage_start(&covering.c, ti, false), 0);
    cover_nothing_is_held();
}

void cover_stop(void)
{
    ixa_coverage_stop(&covering.c, jni);
    cover_nothing_is_held();
    assert_int_equal(jvm.weaks, 0);
    assert_int_equal(covering.c.blocks, 0);
}

static struct told read_packet(struct ix_out *bytes)
{
    struct told t = {0};
    struct ix_snapshot s;
    struct ix_log_reader *r = read_bytes(bytes);
    assert_int_equal(ix_log_next(r, &s, NULL), 1);
    const struct ix_facts facts = ix_log_facts(r);
    for (size_t i = 0; i < facts.covered_count; i++) {
        const struct ix_frame frame = ix_log_frame_at(r, facts.covered[i].frame);
        const struct ix_method m = ix_log_method_at(r, frame.method);
        assert_string_equal(m.name, "m");
        assert_string_equal(m.descriptor, "()V");
        assert_int_equal(frame.line, IX_LINE_UNKNOWN);
        snprintf(t.class, sizeof t.class, "%s", ix_log_class_at(r, m.class_number).name);
        if (facts.covered[i].block < 8)
            t.blocks[facts.covered[i].block]++;
    }
    t.count = facts.covered_count;
    for (size_t i = 0; i < facts.pause_count; i++) {
        const struct ix_pause *pause = &facts.pauses[i];
        assert_int_equal(ix_log_frame_at(r, pause->frame).line, IX_LINE_UNKNOWN);
        if (pause->block < 8 && pause->packets)
            t.paused[pause->block] = pause->packets;
        else if (pause->block < 8)
            t.again[pause->block]++;
    }
    t.pauses = facts.pause_count;
    ix_log_reader_close(r);
    return t;
}

int cover_try_packet(bool last, struct told *told)
{
    int fd;
    *told = (struct told){0};
    covering.log = memory_writer(&fd);
    cover_counted = true;
    covering.packet += !last;
    const int status =
        ixa_coverage_write(&covering.c, ti, jni, NULL, covering.log, last ? 0 : covering.packet);
    cover_counted = false;
    if (status != 0) {
        ix_log_writer_close(covering.log);
        close(fd);
        return -1;
    }
    assert_int_equal(ix_log_snapshot(covering.log, &(struct ix_snapshot){.packet = 1}), 0);
    struct ix_out bytes = finish(covering.log, fd);
    *told = read_packet(&bytes);
    ix_out_free(&bytes);
    return 0;
}

struct told cover_packet(bool last)
{
    struct told told;
    assert_int_equal(cover_try_packet(last, &told), 0);
    cover_nothing_is_held();
    return told;
}
