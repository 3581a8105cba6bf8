/* SPDX-License-Identifier: BSD-2-Clause */
/* Which listener a request would reach. */
#ifndef EXPLAIN_LISTEN_H
#define EXPLAIN_LISTEN_H

struct addr;
struct ask;
struct err;
struct listener;

/* By --to, or by the port and the scheme of the URL. *why: a sentence; *to: the address that the
 * client connects to. NULL and err, which lists what listens. */
struct listener *listener_choose(const struct ask *ask, const char **why, struct addr *to,
				 struct err *err);

#endif
