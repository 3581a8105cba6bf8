/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS by the kernel: for the files of tls/, and to say whether there is any. */
#ifndef TLS_KERNEL_H
#define TLS_KERNEL_H

#include "base/result.h"

#include <stdbool.h>

struct bio_st;
struct tls_conn;

enum tls_kernel { TLS_KERNEL_HAS, TLS_KERNEL_NO_LIBRARY, TLS_KERNEL_NO_MODULE };

/* Do OpenSSL and the kernel have it? Asks the kernel, which may load its module. */
MUST_USE enum tls_kernel tls_kernel_has(void);
/* Before the handshake: is it to be tried? Then the SSL has a BIO of the socket. */
MUST_USE bool tls_kernel_begin(struct tls_conn *t);
/* Behind the handshake: takes note of what the kernel does; the rest goes through the given BIO. */
void tls_kernel_take(struct tls_conn *t, struct bio_st *own);

#endif
