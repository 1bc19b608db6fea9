/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/certificates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>

#include "tests/support/tempdir.h"

void certified_free(struct certified *c)
{
    X509_free(c->certificate);
    EVP_PKEY_free(c->key);
}

static void extend(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    assert_non_null(e);
    assert_int_equal(X509_add_ext(certificate, e, -1), 1);
    X509_EXTENSION_free(e);
}

struct certified certify(const char *name, const struct certified *by)
{
    static long serial;
    struct certified c = {X509_new(), EVP_EC_gen("P-256")};
    assert_true(c.certificate && c.key);
    X509_NAME *subject = X509_get_subject_name(c.certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_version(c.certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(c.certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(c.certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(c.certificate), 3600);
    X509_set_pubkey(c.certificate, c.key);
    X509_set_issuer_name(c.certificate, by ? X509_get_subject_name(by->certificate) : subject);
    if (by)
        extend(c.certificate, NID_subject_alt_name, name);
    else
        extend(c.certificate, NID_basic_constraints, "critical,CA:TRUE");
    assert_true(X509_sign(c.certificate, by ? by->key : c.key, EVP_sha256()) > 0);
    return c;
}

struct ix_tls_files certified_files(const char *name, const struct certified *c,
                                    const struct certified *authority)
{
    char file[64];
    struct ix_tls_files files;
    snprintf(file, sizeof file, "%s.pem", name);
    files.certificate = in_tempdir(file);
    snprintf(file, sizeof file, "%s.key", name);
    files.key = in_tempdir(file);
    snprintf(file, sizeof file, "%s.ca", name);
    files.authorities = in_tempdir(file);
    FILE *certificate = fopen(files.certificate, "w"), *key = fopen(files.key, "w");
    FILE *authorities = fopen(files.authorities, "w");
    assert_true(certificate && key && authorities);
    assert_int_equal(PEM_write_X509(certificate, c->certificate), 1);
    assert_int_equal(PEM_write_PrivateKey(key, c->key, NULL, NULL, 0, NULL, NULL), 1);
    assert_int_equal(PEM_write_X509(authorities, authority->certificate), 1);
    fclose(certificate);
    fclose(key);
    fclose(authorities);
    return files;
}
