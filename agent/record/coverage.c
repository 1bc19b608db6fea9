/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/jvm.h"
#include "agent/record/looks.h"
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
    static const char *const others[] = {"java/", "javax/",   "jdk/",
                                         "sun/",  "com/sun/", "ixor/junit/" /* this project's */};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins_with(name, others[i]))
            return false;
    return !strstr(name, "$$") && !strstr(name, "$Proxy") &&
           !(c->with_libraries ? ix_is_of_tests(name) : ix_is_of_library(name));
}

/* Sets `program` to the main class if that is of a library, as those of servers are. The command is
 * `[MODULE/]CLASS ...`. */
static void find_program(jvmtiEnv *ti, char *program, size_t size)
{
    char *command = NULL;
    if ((*ti)->GetSystemProperty(ti, "sun.java.command", &command) != JVMTI_ERROR_NONE || !command)
        return;
    command[strcspn(command, " ")] = 0;
    const char *slash = strrchr(command, '/'), *main = slash ? slash + 1 : command;
    if (ix_is_of_library(main))
        snprintf(program, size, "%s", main);
    ixa_deallocate(ti, command);
}

/* So many blocks may have probes with those of the class: a test's libraries, such as Spring, leave
 * room for what is tested. */
static uint32_t most_blocks(const struct ixa_coverage *c, const char *name)
{
    return ix_is_of_library(name) && !ix_is_same_library(c->program, name) ? IXA_COVERAGE_LIBRARIES
                                                                           : IXA_COVERAGE_BLOCKS;
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
    free(x->seen);
    *x = (struct ixa_probed_class){0};
}

/* No probe of it will be read. */
static void drop(struct ixa_coverage *c, JNIEnv *jni, struct ixa_probed_class *x)
{
    atomic_fetch_sub(&c->blocks, x->probed.block_count);
    release(jni, x);
}

/* Could another class be read later? */
static bool has_room(struct ixa_coverage *c)
{
    pthread_mutex_lock(&c->lock);
    const bool room = c->loaded_count < IXA_COVERAGE_LOADED;
    pthread_mutex_unlock(&c->lock);
    return room && atomic_load(&c->blocks) < IXA_COVERAGE_BLOCKS;
}

/* Takes over the record if there is room. */
static bool keep(struct ixa_coverage *c, const struct ixa_probed_class *x)
{
    pthread_mutex_lock(&c->lock);
    const bool on = atomic_load(&c->on), room = on && c->loaded_count < IXA_COVERAGE_LOADED;
    if (room)
        c->loaded[c->loaded_count++] = *x;
    pthread_mutex_unlock(&c->lock);
    if (on && !room)
        atomic_fetch_add(&c->missed, 1);
    return room;
}

/* ---- fields ---- */

/* The block whose field has that name; UINT32_MAX: none has. */
static uint32_t block_of(const char *name)
{
    char *end;
    if (!begins_with(name, IXA_PROBES_FIELD))
        return UINT32_MAX;
    name += strlen(IXA_PROBES_FIELD);
    const unsigned long number = strtoul(name, &end, 10);
    return *name >= '0' && *name <= '9' && !*end && number < UINT32_MAX ? (uint32_t)number
                                                                        : UINT32_MAX;
}

/* How many blocks' fields a class has, wherever another agent's are. Those of the first `most` are
 * told. */
static uint32_t find_fields(jvmtiEnv *ti, jclass class, uint32_t most, jfieldID *found)
{
    jfieldID *fields = NULL;
    jint count = 0;
    uint32_t ours = 0;
    if ((*ti)->GetClassFields(ti, class, &count, &fields) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        char *name = NULL;
        uint32_t block = UINT32_MAX;
        if ((*ti)->GetFieldName(ti, class, fields[i], &name, NULL, NULL) == JVMTI_ERROR_NONE &&
            name)
            block = block_of(name);
        ixa_deallocate(ti, name);
        if (block < most)
            found[block] = fields[i];
        ours += block != UINT32_MAX;
    }
    ixa_deallocate(ti, fields);
    return ours;
}

/* ---- loading ---- */

/* A class keeps its fields when it is redefined, or the JVM refuses. Its new code has no probes. */
static bool keep_fields(jvmtiEnv *ti, jclass redefined, const unsigned char *bytes, jint length,
                        struct ixa_probed *probed)
{
    const uint32_t blocks = find_fields(ti, redefined, 0, NULL);
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

static bool take(struct ixa_coverage *c, const struct ixa_probed *probed)
{
    const uint32_t blocks = probed->block_count;
    if (atomic_fetch_add(&c->blocks, blocks) + blocks <= most_blocks(c, probed->name))
        return true;
    atomic_fetch_sub(&c->blocks, blocks);
    return false;
}

/* Puts probes into the class, of which a record is kept until it is prepared. */
static void probe(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jobject loader, jint length,
                  const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
{
    struct ixa_probed_class x = {0};
    if (!has_room(c)) {
        atomic_fetch_add(&c->missed, 1);
        return;
    }
    if (ixa_probes_insert(bytes, (size_t)length, IXA_COVERAGE_OF_CLASS, &x.probed) != IXA_PROBED)
        return;
    if (!is_of_application(c, x.probed.name)) { /* not every loader tells the name beforehand */
        release(jni, &x);
        return;
    }
    if (!take(c, &x.probed)) {
        atomic_fetch_add(&c->missed, 1);
        release(jni, &x);
        return;
    }
    x.loader = ixa_weak(jni, (*jni)->NewLocalRef(jni, loader));
    if (!x.loader || (*ti)->GetObjectHashCode(ti, loader, &x.loader_hash) != JVMTI_ERROR_NONE ||
        !hand_over(ti, &x.probed, new_length, new_bytes)) {
        drop(c, jni, &x);
        return;
    }
    atomic_store(&c->probed, true);
    if (!keep(c, &x))
        drop(c, jni, &x);
}

static void redefine(jvmtiEnv *ti, jclass redefined, jint length, const unsigned char *bytes,
                     jint *new_length, unsigned char **new_bytes)
{
    struct ixa_probed fields = {0};
    if (keep_fields(ti, redefined, bytes, length, &fields))
        hand_over(ti, &fields, new_length, new_bytes);
    ixa_probed_free(&fields);
}

void ixa_coverage_on_load(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass redefined,
                          jobject loader, const char *name, jint length, const unsigned char *bytes,
                          jint *new_length, unsigned char **new_bytes)
{
    if (!jni || !loader || length <= 0)
        return;
    if (redefined && atomic_load(&c->probed))
        redefine(ti, redefined, length, bytes, new_length, new_bytes);
    else if (!redefined && atomic_load(&c->on) && (!name || is_of_application(c, name)))
        probe(c, ti, jni, loader, length, bytes, new_length, new_bytes);
}

/* ---- prepared ---- */

/* A class as both events know it. */
struct key {
    const char *name; /* of `length` bytes */
    size_t length;
    jint loader_hash;
};

/* With the lock held. The last one, as for a class that is loaded again; NULL: there is none. */
static struct ixa_probed_class *find_loaded(const struct ixa_coverage *c, const struct key *key)
{
    for (size_t i = c->loaded_count; i-- > 0;) {
        struct ixa_probed_class *x = &c->loaded[i];
        if (x->loader_hash == key->loader_hash && strlen(x->probed.name) == key->length &&
            memcmp(x->probed.name, key->name, key->length) == 0)
            return x;
    }
    return NULL;
}

/* With the lock held. */
static struct ixa_probed_class remove_loaded(struct ixa_coverage *c, struct ixa_probed_class *x)
{
    const struct ixa_probed_class removed = *x;
    memmove(x, x + 1, (size_t)(&c->loaded[--c->loaded_count] - x) * sizeof *x);
    return removed;
}

static bool is_loaded(struct ixa_coverage *c, const struct key *key)
{
    pthread_mutex_lock(&c->lock);
    const bool is = find_loaded(c, key) != NULL;
    pthread_mutex_unlock(&c->lock);
    return is;
}

/* Takes over the reference if the class's record is there, and room for it. */
static bool make_fresh(struct ixa_coverage *c, const struct key *key, jweak class)
{
    pthread_mutex_lock(&c->lock);
    struct ixa_probed_class *x = find_loaded(c, key);
    const bool on = atomic_load(&c->on), room = on && x && c->fresh_count < IXA_COVERAGE_FRESH;
    if (room) {
        const size_t at = (c->fresh_first + c->fresh_count++) % IXA_COVERAGE_FRESH;
        c->fresh[at] = remove_loaded(c, x);
        c->fresh[at].class = class;
    }
    pthread_mutex_unlock(&c->lock);
    if (on && x && !room)
        atomic_fetch_add(&c->missed, 1);
    return room;
}

static void prepared(struct ixa_coverage *c, JNIEnv *jni, jclass class, const struct key *key)
{
    if (!is_loaded(c, key))
        return;
    jweak weak = ixa_weak(jni, (*jni)->NewLocalRef(jni, class));
    if (weak && !make_fresh(c, key, weak))
        ixa_weak_drop(jni, weak);
}

void ixa_coverage_on_prepare(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, jclass class)
{
    jobject loader = NULL;
    char *signature = NULL;
    struct key key;
    if (!atomic_load(&c->on) || (*ti)->GetClassLoader(ti, class, &loader) != JVMTI_ERROR_NONE ||
        !loader)
        return;
    if ((*ti)->GetObjectHashCode(ti, loader, &key.loader_hash) == JVMTI_ERROR_NONE &&
        (*ti)->GetClassSignature(ti, class, &signature, NULL) == JVMTI_ERROR_NONE && signature &&
        strlen(signature) > 2) {
        key.name = signature + 1; /* Lname; */
        key.length = strlen(signature) - 2;
        prepared(c, jni, class, &key);
    }
    ixa_deallocate(ti, signature);
    (*jni)->DeleteLocalRef(jni, loader);
}

/* ---- the agent's thread: classes ---- */

static void drop_loaded(struct ixa_coverage *c, JNIEnv *jni, jweak loader)
{
    struct ixa_probed_class x = {0};
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->loaded_count && !x.loader; i++)
        if (c->loaded[i].loader == loader)
            x = remove_loaded(c, &c->loaded[i]);
    pthread_mutex_unlock(&c->lock);
    if (x.loader)
        drop(c, jni, &x);
}

/* Some classes are never prepared. If there are many, those go whose loaders are gone, and then the
 * oldest ones. */
static void clear_loaded(struct ixa_coverage *c, JNIEnv *jni)
{
    jweak loaders[IXA_COVERAGE_LOADED];
    size_t count, left;
    pthread_mutex_lock(&c->lock);
    count = left = c->loaded_count;
    for (size_t i = 0; i < count; i++)
        loaders[i] = c->loaded[i].loader;
    pthread_mutex_unlock(&c->lock);
    if (count < IXA_COVERAGE_LOADED / 2)
        return;
    for (size_t i = 0; i < count; i++)
        if ((*jni)->IsSameObject(jni, loaders[i], NULL)) {
            drop_loaded(c, jni, loaders[i]);
            loaders[i] = NULL;
            left--;
        }
    for (size_t i = 0; left > IXA_COVERAGE_LOADED * 3 / 4; i++)
        if (loaders[i]) {
            drop_loaded(c, jni, loaders[i]);
            atomic_fetch_add(&c->missed, 1);
            left--;
        }
}

static bool take_fresh(struct ixa_coverage *c, struct ixa_probed_class *x)
{
    pthread_mutex_lock(&c->lock);
    const bool any = c->fresh_count > 0;
    if (any) {
        *x = c->fresh[c->fresh_first];
        c->fresh_first = (c->fresh_first + 1) % IXA_COVERAGE_FRESH;
        c->fresh_count--;
    }
    pthread_mutex_unlock(&c->lock);
    return any;
}

/* False: they are not those of the blocks. */
static bool learn_fields(jvmtiEnv *ti, jclass class, struct ixa_probed_class *x)
{
    const uint32_t blocks = x->probed.block_count;
    x->fields = calloc(blocks, sizeof(jfieldID));
    x->seen = calloc(blocks, sizeof *x->seen);
    if (!x->fields || !x->seen || find_fields(ti, class, blocks, x->fields) != blocks)
        return false;
    for (uint32_t i = 0; i < blocks; i++)
        if (!x->fields[i])
            return false;
    return true;
}

/* Takes over the record. */
static void adopt_class(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni,
                        struct ixa_probed_class *x)
{
    jclass class = (*jni)->NewLocalRef(jni, x->class);
    if (!class || !learn_fields(ti, class, x) || ix_append(c->classes, c->count, c->cap, *x) != 0)
        drop(c, jni, x);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
}

static void adopt(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni, bool last)
{
    struct ixa_probed_class x;
    size_t classes = last ? IXA_COVERAGE_FRESH : IXA_COVERAGE_ADOPTS;
    uint32_t learns = last ? UINT32_MAX : IXA_COVERAGE_LEARNS;
    for (; classes && learns && take_fresh(c, &x); classes--) {
        learns -= learns < x.probed.block_count ? learns : x.probed.block_count;
        adopt_class(c, ti, jni, &x);
    }
}

/* ---- on and off ---- */

int ixa_coverage_start(struct ixa_coverage *c, jvmtiEnv *ti, bool of_tests)
{
    struct ixa_probed_class *loaded = calloc(IXA_COVERAGE_LOADED, sizeof *loaded);
    struct ixa_probed_class *fresh = calloc(IXA_COVERAGE_FRESH, sizeof *fresh);
    if (!loaded || !fresh) {
        free(loaded);
        free(fresh);
        return -1;
    }
    if (!*c->program) /* else a class may be on its way that reads it */
        find_program(ti, c->program, sizeof c->program);
    atomic_store(&c->with_libraries, !of_tests && *c->program);
    c->told = 0;
    atomic_store(&c->missed, 0);
    pthread_mutex_lock(&c->lock);
    c->loaded = loaded;
    c->fresh = fresh;
    atomic_store(&c->on, true);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

void ixa_coverage_anew(struct ixa_coverage *c, jvmtiEnv *ti, JNIEnv *jni)
{
    adopt(c, ti, jni, true);
    c->told = 0;
    for (size_t i = 0; i < c->count; i++) {
        jclass class = (*jni)->NewLocalRef(jni, c->classes[i].class);
        if (!class)
            continue;
        ixa_look_anew(jni, class, &c->classes[i]);
        (*jni)->DeleteLocalRef(jni, class);
    }
}

/* Blocks are given back one by one: a class may be on its way meanwhile, and be dropped later. */
static void drop_all(struct ixa_coverage *c, JNIEnv *jni, struct ixa_probed_class *list,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        drop(c, jni, &list[i]);
    free(list);
}

void ixa_coverage_stop(struct ixa_coverage *c, JNIEnv *jni)
{
    struct ixa_probed_class x;
    atomic_store(&c->on, false);
    while (take_fresh(c, &x))
        drop(c, jni, &x);
    pthread_mutex_lock(&c->lock);
    struct ixa_probed_class *loaded = c->loaded, *fresh = c->fresh;
    const size_t loaded_count = c->loaded_count;
    c->loaded = c->fresh = NULL;
    c->loaded_count = c->fresh_first = c->fresh_count = 0;
    pthread_mutex_unlock(&c->lock);
    drop_all(c, jni, loaded, loaded_count);
    free(fresh);
    drop_all(c, jni, c->classes, c->count);
    ix_out_free(&c->name);
    ix_out_free(&c->descriptor);
    c->classes = NULL;
    c->count = c->cap = c->next = 0;
}

bool ixa_coverage_lasts(const struct ixa_coverage *c)
{
    return atomic_load(&c->probed);
}

/* ---- a packet ---- */

/* A class that was unloaded gives up its place to the last one. */
static int look_at_next(struct ixa_coverage *c, struct ixa_round *l)
{
    struct ixa_probed_class *x = &c->classes[c->next];
    jclass class = (*l->jni)->NewLocalRef(l->jni, x->class);
    if (!class) {
        drop(c, l->jni, x);
        *x = c->classes[--c->count];
        return 0;
    }
    const int status = ixa_look_at(l, class, x);
    (*l->jni)->DeleteLocalRef(l->jni, class);
    c->next++;
    return status;
}

/* At most one round. */
static int look_around(struct ixa_coverage *c, struct ixa_round *l)
{
    const size_t rounds = c->count;
    int status = 0;
    for (size_t i = 0; i < rounds && l->looks && l->writes && c->count && status == 0; i++) {
        if (c->next >= c->count)
            c->next = 0;
        status = look_at_next(c, l);
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
                       struct ix_log_writer *log, uint64_t packet)
{
    struct ixa_round l = {.jni = jni,
                          .names = names,
                          .log = log,
                          .name = &c->name,
                          .descriptor = &c->descriptor,
                          .packet = packet,
                          .looks = packet ? IXA_COVERAGE_LOOKS : UINT32_MAX,
                          .writes = packet ? IXA_COVERAGE_WRITES : UINT32_MAX};
    clear_loaded(c, jni);
    adopt(c, ti, jni, !packet);
    return tell_left_out(c, log) == 0 ? look_around(c, &l) : -1;
}
