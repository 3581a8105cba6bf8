/* SPDX-License-Identifier: BSD-2-Clause */
/* h1-case-adjust: letters of names, and what proxies' options make of them for one stream. */
#ifndef EXCHANGE_H1_CONF_H
#define EXCHANGE_H1_CONF_H

#include "config/module.h"

struct message;
struct stream;

extern const struct module h1_module;

/* h1-case-adjust: before a head leaves to the client, to the server. */
void letters_for_client(const struct stream *s, struct message *response);
void letters_for_server(const struct stream *s, struct message *request);

#endif
