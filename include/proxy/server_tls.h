/* SPDX-License-Identifier: BSD-2-Clause */
/* What server lines say of TLS. */
#ifndef PROXY_SERVER_TLS_H
#define PROXY_SERVER_TLS_H

#include "config/module.h"

struct config;
struct server;

/* Its finish makes server->tls and server->check_tls. */
extern const struct module server_tls_module;

/* Something else than its line wants to speak TLS with the server (a rule of its checks): makes
 * server->check_tls if it is not there. Behind that finish. 0, or -1 after a report. */
int server_tls_need(struct config *cfg, struct server *s);

#endif
