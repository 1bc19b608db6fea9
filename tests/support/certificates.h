/* SPDX-License-Identifier: Apache-2.0 */
/* A test certificate authority and certificates signed by it, in files of the temporary
 * directory. */
#ifndef IX_TESTS_CERTIFICATES_H
#define IX_TESTS_CERTIFICATES_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "schema/protocol/tls.h"

struct certified {
    X509 *certificate;
    EVP_PKEY *key;
};

/* Frees the result of certify(). */
void certified_free(struct certified *c);

/* A certificate for a name ("DNS:host", "IP:127.0.0.1") signed by `by`; if `by` is NULL, the
 * authority itself. */
struct certified certify(const char *name, const struct certified *by);

/* Writes certificate, key and authority to files whose names begin with `name`. The paths are valid
 * as long as those of in_tempdir(). */
struct ix_tls_files certified_files(const char *name, const struct certified *c,
                                    const struct certified *authority);

#endif
