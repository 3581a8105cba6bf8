/* SPDX-License-Identifier: BSD-2-Clause */
/* Certificates made on the spot, for unit tests. */
#ifndef TLS_TEST_CERTS_H
#define TLS_TEST_CERTS_H

#include <openssl/x509.h>

/* "EC" (P-256), "RSA" (2048 bits), "ED25519". */
EVP_PKEY *test_key(const char *kind);
/* A certificate for the names of san ("DNS:a.example,DNS:b.example"; NULL: none), with common name
 * cn; issuer NULL: signed by itself, else by issuer_key. */
X509 *test_cert(EVP_PKEY *key, const char *cn, const char *san, X509 *issuer, EVP_PKEY *issuer_key);
/* PEM, malloc, ended by NUL. pkcs8: key in that form, else in that of its algorithm. */
char *test_pem_cert(X509 *x);
char *test_pem_key(EVP_PKEY *key, int pkcs8);
/* The certificate, its key and who has issued it, in one text; the first is freed. */
char *test_pem_bundle(X509 *x, EVP_PKEY *key, X509 *issuer);
/* Texts behind one another, all freed; the last is NULL. */
char *test_join(char *first, ...);

#endif
