/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of tests (option runs=tests): the native methods with which ixor-junit.jar says that a test
 * begins and ends (java/src/ixor/junit/Agent.java). Between tests the JVM takes part in no run.
 *
 * A test's thread waits for the server, but never long: IXA_TEST_BEGIN_MS at the beginning of a
 * test, and not at all if the test before could not be recorded either; IXA_TEST_END_MS at its end.
 * Tests that run at the same time are not recorded: the first one's run ends when the second
 * begins. */
#ifndef IX_AGENT_TESTS_H
#define IX_AGENT_TESTS_H

#include <jvmti.h>

#include "agent/settings/identity.h"

#define IXA_TEST_BEGIN_MS 2000u /* a server that starts together with the tests may take that */
#define IXA_TEST_END_MS 1000u   /* as the JVM's end waits */

/* What begin answers; Agent.java has the same numbers. */
enum ixa_begun {
    IXA_BEGUN,       /* the test is a run from now on */
    IXA_NOT_ASKED,   /* the agent's options lack runs=tests */
    IXA_PARALLEL,    /* another test has begun and not ended */
    IXA_NOT_REACHED, /* there is no server, or no log; the agent has said why */
};

/* Call before ixa_life_set, with the settings that all tests share. */
void ixa_tests_prepare(const struct ixa_settings *settings);
/* Call at VMInit. If the environment names ixor-junit.jar (IXOR_JUNIT_JAR, from `ixor run
 * --tests`), appends it to the class path of a JVM on whose class path JUnit's launcher is; one
 * without it runs no tests, and nothing is said about that. */
void ixa_tests_add_jar(jvmtiEnv *ti, JNIEnv *jni);
/* Call at VMDeath: says so if tests were to be recorded and none has begun. */
void ixa_tests_end(void);

#endif
