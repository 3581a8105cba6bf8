/* SPDX-License-Identifier: BSD-2-Clause */
/* What many commands need for their arguments and answers. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "cli/command.h"

#include <stdint.h>

struct proxy;
struct server;

/* The server that argument i, "backend/server", names; NULL and err. */
struct server *cli_server(const struct cli_call *call, int i, struct err *err);
/* The frontend that argument i names; NULL and err. */
struct proxy *cli_frontend(const struct cli_call *call, int i, struct err *err);
/* "22m7s", "3d4h", "59s" of milliseconds. */
void cli_say_duration(struct text *out, uint64_t ms);

#endif
