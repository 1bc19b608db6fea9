/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a JVM that the agent's names need: classes that can be unloaded and redefined,
 * methods whose ids can be reused, counted references and memory, and calls that can fail. */
#ifndef IX_TESTS_JVM_DOUBLE_H
#define IX_TESTS_JVM_DOUBLE_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct double_class {
    const char *signature, *source; /* source NULL: it has none */
    jint redefined;
    bool dead;
};

struct double_method {
    struct double_class *class;
    const char *name, *descriptor;
    jint line; /* of all its code; 0: no table, -1: native */
};

extern struct jvm_double {
    const struct jvmtiInterface_1_ *ti;
    const struct JNINativeInterface_ *jni;
    int locals, weaks, blocks; /* live ones */
    int calls, fail_at;        /* calls that can fail; number of the one that does, from 1 */
    bool null_strings, no_counter;
    int asked, asked_dead; /* GetMethodDeclaringClass */
    int names_read, asked_after_names;
} jvm;

/* A new reference to a class, counted there. */
void *new_ref(struct double_class *class, int *count);

/* Frees a local reference, as the agent does. */
void JNICALL jvm_delete_local(JNIEnv *jni, jobject ref);

/* Resets the JVM to its initial state. */
void jvm_reset(void);

#endif
