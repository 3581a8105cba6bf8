/* SPDX-License-Identifier: BSD-2-Clause */
/* What server lines say of TLS. */
#ifndef PROXY_SERVER_TLS_H
#define PROXY_SERVER_TLS_H

#include "config/module.h"

struct server_part;

/* Its finish makes server->tls and server->check_tls. */
extern const struct module server_tls_module;
extern struct server_part tls_server_part;

#endif
