/* SPDX-License-Identifier: BSD-2-Clause */
/* What many commands need for their arguments and answers. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "cli/command.h"

struct proxy;
struct server;

/* The server that argument i, "backend/server", names, to be changed: not one of a disabled
 * section. NULL and err. */
struct server *cli_server(const struct cli_call *call, int i, struct err *err);
/* The frontend that argument i names; NULL and err. */
struct proxy *cli_frontend(const struct cli_call *call, int i, struct err *err);

#endif
