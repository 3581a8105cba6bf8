/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands do to a server, for others that do the same. As the ordered log makes a change. */
#ifndef CLI_SET_SERVER_H
#define CLI_SET_SERVER_H

struct err;
struct server;
struct text;

/* The address of a server, and its port (NULL: it stays), by whom the log says. said: what has
 * changed. 0, or -1 and err. */
int cli_set_addr(struct server *s, const char *text, const char *port, const char *by,
		 struct text *said, struct err *err);
/* 0, or -1 and err. */
int cli_set_maxconn(struct server *s, const char *text, struct err *err);

#endif
