/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains: which of the certificates of a file lead from its leaf to an authority. */
#ifndef TLS_CHAIN_H
#define TLS_CHAIN_H

#include <openssl/x509.h>
#include <stdbool.h>

/* ssl-skip-self-issued-ca: what is sent is tls_chain_without_root of what the file has. */
extern bool tls_chain_skip_root;

/* Of the given certificates, in any order, those that lead from the leaf upwards, without the leaf and
 * without one that is signed by itself: what a client needs that has that authority. What does not lead
 * anywhere is left out. A stack with references of its own, maybe empty; NULL: no memory. */
STACK_OF(X509) *tls_chain_without_root(X509 *leaf, STACK_OF(X509) *given);

#endif
