/* SPDX-License-Identifier: BSD-2-Clause */
/* What converters that use OpenSSL have in common. */
#ifndef EXPR_CRYPTO_H
#define EXPR_CRYPTO_H

#include <openssl/types.h>

/* A digest by its name, for as long as the process lives; NULL: there is none. */
const EVP_MD *crypto_md(const char *name);

#endif
