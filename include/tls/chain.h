/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains: which of the certificates of a file lead from its leaf to an authority. */
#ifndef TLS_CHAIN_H
#define TLS_CHAIN_H

#include <openssl/x509.h>
#include <stdbool.h>

/* The chain that a client needs which has the authority: of the given certificates, in any order,
 * those that lead from the leaf upwards. The leaf and a certificate signed by itself are left out,
 * and so is what leads nowhere. A stack with references of its own, maybe empty; NULL: no
 * memory. */
STACK_OF(X509) *tls_chain_without_root(X509 *leaf, STACK_OF(X509) *given);

#endif
