/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the JVM's own classes without JNI's FindClass. On a thread without Java frames,
 * FindClass asks the system class loader. That may be the application's
 * (-Djava.system.class.loader), whose code would then run on the caller's thread.
 *
 * All functions return a local reference, or NULL with no exception pending. They run no Java
 * code. */
#ifndef IX_AGENT_BOOT_H
#define IX_AGENT_BOOT_H

#include <jvmti.h>

jclass ixa_boot_thread(jvmtiEnv *ti, JNIEnv *jni); /* java.lang.Thread */
jclass ixa_boot_class(jvmtiEnv *ti, JNIEnv *jni);  /* java.lang.Class */
/* A loaded class of the bootstrap loader, by its signature ("La/b/C;"). Searches all loaded
 * classes: about a millisecond. */
jclass ixa_boot_named(jvmtiEnv *ti, JNIEnv *jni, const char *signature);
/* The class of the object, or that superclass of it, with this signature. */
jclass ixa_boot_ancestor(jvmtiEnv *ti, JNIEnv *jni, jobject object, const char *signature);

#endif
