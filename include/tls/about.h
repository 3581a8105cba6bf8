/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS in the output of "-vv". */
#ifndef TLS_ABOUT_H
#define TLS_ABOUT_H

#include <stdio.h>

/* Versions of the library, what it and the kernel can do; in a build without OpenSSL, that. */
void tls_about(FILE *out);

#endif
