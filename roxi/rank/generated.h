/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that nobody wrote: a compiler, the JVM or a library generates them. Their names say
 * little to a reader, but most of them tell what they were generated for. */
#ifndef ROXI_GENERATED_H
#define ROXI_GENERATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum roxi_generated {
    ROXI_WRITTEN,  /* not generated, as far as its name tells */
    ROXI_LAMBDA,   /* the body of a lambda, or the class that calls it */
    ROXI_ACCESSOR, /* gives nested classes access to what is private */
    ROXI_PROXY,    /* of java.lang.reflect, Spring, Guice, Byte Buddy or Javassist */
};

/* What a method was generated for, as parts of its names. */
struct roxi_generated_for {
    enum roxi_generated kind;
    size_t class_len; /* the class is so many bytes at the beginning of its class's name; 0: none */
    const char *method; /* NULL: not known */
    size_t method_len;
};

/* Of a method and its class, after the rules for names (campaign/common.rules); the method may be
 * "", where methods are not compared. O(their lengths). */
struct roxi_generated_for roxi_generated_for(const char *class_name, const char *method);
bool roxi_is_generated(const char *class_name, const char *method);

/* "a.B.c", or "a lambda of a.B.c", "an accessor of a.B", "a proxy of a.B.c"; the class alone if the
 * method is ""; if `simple`, without the package. */
void roxi_print_method(FILE *out, const char *class_name, const char *method, bool simple);

#endif
