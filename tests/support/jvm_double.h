/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a JVM that the agent's names and its coverage need: classes that can be unloaded and
 * redefined, loaders, fields, methods whose ids can be reused, counted references and memory, and
 * calls that can fail. Several threads may call it, but only for what has no reused ids. */
#ifndef IX_TESTS_JVM_DOUBLE_H
#define IX_TESTS_JVM_DOUBLE_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct double_class {
    const char *signature, *source; /* source NULL: it has none */
    jint redefined;
    _Atomic bool dead;
};

struct double_field {
    const char *name;
    _Atomic bool set;
};

/* A class that is asked for its loader or its fields. A loader is a class, too. */
struct double_loaded {
    struct double_class class; /* first */
    struct double_class *loader;
    struct double_field *fields;
    jint field_count;
};

struct double_method {
    struct double_class *class;
    const char *name, *descriptor;
    jint line; /* of all its code; 0: no table, -1: native */
};

extern struct jvm_double {
    const struct jvmtiInterface_1_ *ti;
    const struct JNINativeInterface_ *jni;
    _Atomic int locals, weaks, blocks; /* live ones */
    _Atomic int calls;                 /* that can fail */
    int fail_at;                       /* number of the one that does, from 1 */
    bool null_strings, no_counter;
    bool one_hash;         /* all objects have the same */
    const char *command;   /* sun.java.command; NULL: it is not known */
    int asked, asked_dead; /* GetMethodDeclaringClass */
    int names_read, asked_after_names;
} jvm;

/* A new reference to a class, counted there. */
void *new_ref(struct double_class *class, _Atomic int *count);

/* Frees a local reference, as the agent does. */
void JNICALL jvm_delete_local(JNIEnv *jni, jobject ref);

/* Resets the JVM to its initial state. */
void jvm_reset(void);

#endif
