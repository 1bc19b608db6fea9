/* SPDX-License-Identifier: Apache-2.0 */
/* Packages of widely used Java libraries: of a program that uses one, most mistakes are not in it.
 */
#ifndef IX_SCHEMA_LIBRARY_H
#define IX_SCHEMA_LIBRARY_H

#include <stdbool.h>

/* Is the class of such a package? Its name has dots, or slashes as in a class file. O(packages). */
bool ix_is_of_library(const char *class_name);
/* Are two classes of the same one, such as of org.apache.kafka, or of io.netty? O(packages). */
bool ix_is_same_library(const char *class_name, const char *other);
/* Is it of what runs tests, or checks their results: JUnit, TestNG, Surefire, Gradle? It is never
 * what is tested. Each is of a library, too. O(packages). */
bool ix_is_of_tests(const char *class_name);
/* Is it a main class of a build tool: Maven, Gradle, Ant, sbt? O(tools). */
bool ix_is_main_of_build(const char *class_name);
/* Is it of such a tool, or of a library that one is made of? O(packages). */
bool ix_is_of_build(const char *class_name);

#endif
