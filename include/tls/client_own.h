/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files client*.c of tls/. */
#ifndef TLS_CLIENT_OWN_H
#define TLS_CLIENT_OWN_H

struct conn;

/* What the verification found wrong; NULL: nothing. */
const char *tls_client_why(const struct conn *conn);

#endif
