/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/jvm.h"
#include "agent/base/utf8.h"
#include "agent/record/weak.h"
#include "schema/base/grow.h"
#include "schema/base/library.h"

/* ---- which classes ---- */

static bool begins_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* By its name in the class file. Classes that are made as the program runs have no source. */
static bool is_of_application(const struct ixa_coverage *c, const char *name)
{
    static const char *const platform[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
    for (size_t i = 0; i < sizeof platform / sizeof *platform; i++)
        if (begins_with(name, platform[i]))
            return false;
    return !strstr(name, "$$") && !strstr(name, "$Proxy") &&
           (c->with_libraries || !ix_is_of_library(name));
}

/* Is the main class of a library, as those of servers are? The command is `[MODULE/]CLASS ...`. */
static bool runs_library(jvmtiEnv *ti)
{
    char *command = NULL;
    if ((*ti)->GetSystemProperty(ti, "sun.java.command", &command) != JVMTI_ERROR_NONE || !command)
        return false;
    command[strcspn(command, " ")] = 0;
    const char *slash = strrchr(command, '/');
    const bool runs = ix_is_of_library(slash ? slash + 1 : command);
    ixa_deallocate(ti, command);
    return runs;
}

/* ---- a class's record ---- */

static void release(JNIEnv *jni, struct ixa_probed_class *x)
{
    if (jni) {
        ixa_weak_drop(jni, x->loader);
        ixa_weak_drop(jni, x->class);
    }
    ixa_probed_free(&x->probed);
    free(x->fields);
    free(x->executed);
    *x = (struct ixa_probed_class){0};
}

/* No probe of it will be read. */
static void drop(struct ixa_coverage *c, JNIEnv *jni, struct ixa_probed_class *x)
{
    atomic_fetch_sub(&c->blocks, x->probed.block_count);
    release(jni, x);
}

/* Takes over the record if there is room. */
static bool keep(struct ixa_coverage *c, struct ixa_probed_class *const *list, size_t *count,
                 const struct ixa_probed_class *x, size_t most)
{
    pthread_mutex_lock(&c->lock);
    const bool room = atomic_load(&c->on) && *count < most;
    if (room)
        (*list)[(*count)++] = *x;
    pthread_mutex_unlock(&c->lock);
    return room;
}

/* ---- loading ---- */

/* How many blocks' fields a class has. */
static uint32_t count_fields(jvmtiEnv *ti, jclass class, jfieldID **fields, jint *count)
{
    uint32_t ours = 0;
    if ((*ti)->GetClassFields(ti, class, count, fields) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = *count; i-- > 0;) {
        char *name = NULL;
        const bool is =
            (*ti)->GetFieldName(ti, class, (*fields)[i], &name, NULL, NULL) == JVMTI_ERROR_NONE &&
            name && begins_with(name, IXA_PROBES_FIELD);
        ixa_deallocate(ti, name);
        if (!is)
            break;
        ours++;
    }
    return ours;
}

/* A class keeps its fields when it is redefined, or the JVM refuses. Its new code has no probes. */
static bool keep_fields(jvmtiEnv *ti, jclass redefined, const unsigned char *bytes, jint length,
                        struct ixa_probed *probed)
{
    jfieldID *fields = NULL;
    jint count = 0;
    const uint32_t blocks = count_fields(ti, redefined, &fields, &count);
    ixa_deallocate(ti, fields);
    return blocks && ixa_probes_only_fields(bytes, (size_t)length, blocks, probed) == IXA_PROBED;
}

/* Hands the new class file to the JVM, in memory of its own. */
static bool hand_over(jvmtiEnv *ti, struct ixa_probed *probed, jint *new_length,
                      unsigned char **new_bytes)
{
    unsigned char *copy = NULL;
    if (probed->length <= INT32_MAX &&
        (*ti)->Allocate(ti, (jlong)probed->length, &copy) == JVMTI_ERROR_NONE && copy) {
        memcpy(copy, probed->bytes, probed->length);
        *new_bytes = copy;
        *new_length = (jint)probed->length;
    }
    free(probed->bytes);
    probed->bytes = NULL;
    return copy != NULL;
}

static bool take(uint32_t blocks, _Atomic uint32_t *all)
{
    if (atomic_fetch_add(all, blocks) + blocks <= IXA_COVERAGE_BLOCKS)
        return true;
    atomic_fetch_sub(all, blocks);
    return false;
}

/* Puts probes into the class, of which a record is kept until it is prepared. */
static void probe(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jobject loader, jint length,
                  const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
{
    struct ixa_probed_class x = {0};
    if (atomic_load(&c->blocks) >= IXA_COVERAGE_BLOCKS) {
        atomic_fetch_add(&c->missed, 1);
        return;
    }
    if (ixa_probes_insert(bytes, (size_t)length, IXA_COVERAGE_OF_CLASS, &x.probed) != IXA_PROBED)
        return;
    if (!is_of_application(c, x.probed.name)) { /* not every loader tells the name beforehand */
        release(jni, &x);
        return;
    }
    if (!take(x.probed.block_count, &c->blocks)) {
        atomic_fetch_add(&c->missed, 1);
        release(jni, &x);
        return;
    }
    x.loader = ixa_weak(jni, (*jni)->NewLocalRef(jni, loader));
    if (!x.loader || !hand_over(ti, &x.probed, new_length, new_bytes) ||
        !keep(c, &c->loaded, &c->loaded_count, &x, IXA_COVERAGE_LOADED))
        drop(c, jni, &x);
}

void ixa_coverage_on_load(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass redefined,
                          jobject loader, const char *name, jint length, const unsigned char *bytes,
                          jint *new_length, unsigned char **new_bytes)
{
    if (!atomic_load(&c->on) || !jni || !loader || length <= 0 ||
        (name && !is_of_application(c, name)))
        return;
    struct ixa_probed fields = {0};
    if (!redefined)
        probe(c, ti, jni, loader, length, bytes, new_length, new_bytes);
    else if (keep_fields(ti, redefined, bytes, length, &fields))
        hand_over(ti, &fields, new_length, new_bytes);
    ixa_probed_free(&fields);
}

/* ---- prepared ---- */

/* The last of that name, as for a class that is loaded again. */
static bool take_loaded(struct ixa_coverage *c, const char *name, size_t name_length,
                        struct ixa_probed_class *x)
{
    bool found = false;
    pthread_mutex_lock(&c->lock);
    for (size_t i = c->loaded_count; i-- > 0 && !found;) {
        found = strlen(c->loaded[i].probed.name) == name_length &&
                memcmp(c->loaded[i].probed.name, name, name_length) == 0;
        if (found) {
            *x = c->loaded[i];
            c->loaded[i] = c->loaded[--c->loaded_count];
        }
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

/* The record of a class that is prepared. Two loaders may load classes of one name at the same
 * time: a record of another loader is put back, or lost if that is not possible. */
static bool find_loaded(struct ixa_coverage *c, JNIEnv *jni, jobject loader, const char *name,
                        size_t name_length, struct ixa_probed_class *x)
{
    struct ixa_probed_class others[8];
    size_t count = 0;
    bool found = false;
    while (!found && count < sizeof others / sizeof *others &&
           take_loaded(c, name, name_length, x)) {
        found = (*jni)->IsSameObject(jni, x->loader, loader);
        if (!found)
            others[count++] = *x;
    }
    while (count > 0)
        if (!keep(c, &c->loaded, &c->loaded_count, &others[--count], IXA_COVERAGE_LOADED))
            drop(c, jni, &others[count]);
    return found;
}

static void prepared(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass class,
                     jobject loader)
{
    struct ixa_probed_class x;
    char *signature = NULL;
    if ((*ti)->GetClassSignature(ti, class, &signature, NULL) == JVMTI_ERROR_NONE && signature &&
        *signature == 'L' &&
        find_loaded(c, jni, loader, signature + 1, strlen(signature) - 2, &x)) {
        ixa_weak_drop(jni, x.loader);
        x.loader = NULL;
        x.class = ixa_weak(jni, (*jni)->NewLocalRef(jni, class));
        if (!x.class || !keep(c, &c->fresh, &c->fresh_count, &x, IXA_COVERAGE_FRESH))
            drop(c, jni, &x);
    }
    ixa_deallocate(ti, signature);
}

void ixa_coverage_on_prepare(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass class)
{
    jobject loader = NULL;
    if (!atomic_load(&c->on) || (*ti)->GetClassLoader(ti, class, &loader) != JVMTI_ERROR_NONE ||
        !loader)
        return;
    prepared(c, ti, jni, class, loader);
    (*jni)->DeleteLocalRef(jni, loader);
}

/* ---- the agent's thread: classes ---- */

/* The last one first. */
static bool take_fresh(struct ixa_coverage *c, struct ixa_probed_class *x)
{
    pthread_mutex_lock(&c->lock);
    const bool any = c->fresh_count > 0;
    if (any)
        *x = c->fresh[--c->fresh_count];
    pthread_mutex_unlock(&c->lock);
    return any;
}

/* Learns the fields, which are the class's last ones. */
static bool learn_fields(jvmtiEnv *ti, jclass class, struct ixa_probed_class *x)
{
    jfieldID *fields = NULL;
    jint count = 0;
    const uint32_t blocks = x->probed.block_count;
    bool learnt = count_fields(ti, class, &fields, &count) == blocks;
    if (learnt) {
        x->fields = calloc(blocks, sizeof(jfieldID));
        x->executed = calloc(blocks, sizeof *x->executed);
        x->left = blocks;
        learnt = x->fields && x->executed;
    }
    if (learnt)
        memcpy(x->fields, fields + (uint32_t)count - blocks, blocks * sizeof *x->fields);
    ixa_deallocate(ti, fields);
    return learnt;
}

static void adopt(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni)
{
    struct ixa_probed_class x;
    for (size_t i = 0; i < IXA_COVERAGE_ADOPTS && take_fresh(c, &x); i++) {
        jclass class = (*jni)->NewLocalRef(jni, x.class);
        if (!class || !learn_fields(ti, class, &x) ||
            ix_append(c->classes, c->count, c->cap, x) != 0)
            drop(c, jni, &x);
        if (class)
            (*jni)->DeleteLocalRef(jni, class);
    }
}

/* ---- on and off ---- */

static void release_all(JNIEnv *jni, struct ixa_probed_class *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        release(jni, &list[i]);
    free(list);
}

void ixa_coverage_start(struct ixa_coverage *c, jvmtiEnv *ti)
{
    struct ixa_probed_class *loaded = calloc(IXA_COVERAGE_LOADED, sizeof *loaded);
    struct ixa_probed_class *fresh = calloc(IXA_COVERAGE_FRESH, sizeof *fresh);
    if (!loaded || !fresh) {
        free(loaded);
        free(fresh);
        return;
    }
    c->with_libraries = runs_library(ti);
    c->told = 0;
    atomic_store(&c->missed, 0);
    atomic_store(&c->blocks, 0);
    pthread_mutex_lock(&c->lock);
    c->loaded = loaded;
    c->fresh = fresh;
    atomic_store(&c->on, true);
    pthread_mutex_unlock(&c->lock);
}

void ixa_coverage_stop(struct ixa_coverage *c, JNIEnv *jni)
{
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->on, false);
    struct ixa_probed_class *loaded = c->loaded, *fresh = c->fresh;
    const size_t loaded_count = c->loaded_count, fresh_count = c->fresh_count;
    c->loaded = c->fresh = NULL;
    c->loaded_count = c->fresh_count = 0;
    pthread_mutex_unlock(&c->lock);
    release_all(jni, loaded, loaded_count);
    release_all(jni, fresh, fresh_count);
    release_all(jni, c->classes, c->count);
    ix_out_free(&c->name);
    ix_out_free(&c->descriptor);
    c->classes = NULL;
    c->count = c->cap = c->next = 0;
}

/* ---- looks ---- */

struct look {
    struct ixa_coverage *c;
    JNIEnv *jni;
    struct ixa_names *names;
    struct ix_log_writer *log;
    uint32_t looks, writes; /* how many may still be made */
};

/* -1 when the log failed. */
static int write_block(const struct look *l, jclass class, const struct ixa_probed_class *x,
                       uint32_t block)
{
    const struct ixa_block *b = &x->probed.blocks[block];
    const struct ixa_probed_method *m = &x->probed.methods[b->method];
    const char *name = ixa_utf8(&l->c->name, m->name, strlen(m->name));
    const char *descriptor = ixa_utf8(&l->c->descriptor, m->descriptor, strlen(m->descriptor));
    const uint32_t number = ixa_names_class(l->names, l->jni, class);
    if (!name || !descriptor || !number)
        return -1;
    const uint32_t method = ix_log_method(l->log, number, name, descriptor);
    const uint32_t frame =
        ix_log_frame(l->log, method, b->line ? (int32_t)b->line : IX_LINE_UNKNOWN);
    return ix_log_covered(l->log, &(struct ix_covered){frame, block});
}

static int look_at_class(struct look *l, jclass class, struct ixa_probed_class *x)
{
    int status = 0;
    for (uint32_t i = 0; i < x->probed.block_count && l->writes && status == 0; i++) {
        if (x->executed[i])
            continue;
        l->looks -= l->looks > 0;
        if (!(*l->jni)->GetStaticBooleanField(l->jni, class, x->fields[i]))
            continue;
        x->executed[i] = true;
        x->left--;
        l->writes--;
        status = write_block(l, class, x, i);
    }
    return status;
}

/* A class that was unloaded gives up its place to the last one. */
static int look_at_next(struct look *l)
{
    struct ixa_coverage *c = l->c;
    struct ixa_probed_class *x = &c->classes[c->next];
    if (!x->left) {
        c->next++;
        return 0;
    }
    jclass class = (*l->jni)->NewLocalRef(l->jni, x->class);
    if (!class) {
        drop(c, l->jni, x);
        *x = c->classes[--c->count];
        return 0;
    }
    const int status = look_at_class(l, class, x);
    (*l->jni)->DeleteLocalRef(l->jni, class);
    c->next++;
    return status;
}

/* At most one round. */
static int look_around(struct look *l)
{
    struct ixa_coverage *c = l->c;
    const size_t rounds = c->count;
    int status = 0;
    for (size_t i = 0; i < rounds && l->looks && l->writes && c->count && status == 0; i++) {
        if (c->next >= c->count)
            c->next = 0;
        status = look_at_next(l);
    }
    return status;
}

static int tell_left_out(struct ixa_coverage *c, struct ix_log_writer *log)
{
    char text[64];
    const uint64_t missed = atomic_load(&c->missed);
    if (missed < c->told * 2 || !missed)
        return 0;
    c->told = missed;
    snprintf(text, sizeof text, "in %" PRIu64 " classes or more", missed);
    return ix_log_meta(log, "coverage-left-out", text);
}

int ixa_coverage_write(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, struct ixa_names *names,
                       struct ix_log_writer *log, bool last)
{
    struct look l = {c,
                     jni,
                     names,
                     log,
                     last ? UINT32_MAX : IXA_COVERAGE_LOOKS,
                     last ? UINT32_MAX : IXA_COVERAGE_WRITES};
    adopt(c, ti, jni);
    return tell_left_out(c, log) == 0 ? look_around(&l) : -1;
}
