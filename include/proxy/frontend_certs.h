/* SPDX-License-Identifier: BSD-2-Clause */
/* The word ssl-f-use: certificates of a frontend, for all its bind lines with TLS. */
#ifndef PROXY_FRONTEND_CERTS_H
#define PROXY_FRONTEND_CERTS_H

#include "config/module.h"

/* Its finish gives the certificates to the bind lines: it stands before tls_bind_module. */
extern const struct module frontend_certs_module;

#endif
