/* SPDX-License-Identifier: BSD-2-Clause */
/* Running one check: opening connections, the plain check, the end with a result. */
#ifndef CHECK_ASK_H
#define CHECK_ASK_H

#include "check/check.h"
#include "net/proto.h"

/* pp2-never-send-local: PROXY headers of version 2 name the addresses of the check's own
 * connection. */
extern bool ask_speaks_for_itself;

/* Begins the check now. */
void ask_begin(struct check *check);
/* Breaks it off without a result. */
void ask_stop(struct check *check);
/* Its time is over. */
void ask_timeout(struct check *check);
/* The usual address of the check. */
struct addr ask_address(const struct check *check);
/* What comes before a check's own bytes. */
enum { ASK_PROXY = 1 << 0,  /* a PROXY header */
       ASK_SOCKS4 = 1 << 1, /* a SOCKS4 proxy is on the way */
       ASK_TLS = 1 << 2 };  /* a handshake, with check->target */
/* What the server line wants of that in its checks; puts names for TLS into check->target. */
unsigned ask_usual_way(struct check *check);
/* What checks of HTTP are to speak, by the server line; PROTO_UNSET: what ALPN says. */
enum proto ask_proto(const struct check *check);
/* What is offered by ALPN to somebody who is to speak that, in the form of the wire; empty: as the
 * traffic does. */
struct span ask_offers(const struct check *check, enum proto proto);

/* For walk_run.c: opens a connection. False: it could not begin; error and cause of the state are
 * set, and the result is *status. Else walk_go comes when it stands, walk_failed when not. */
bool ask_open(struct check *check, const struct addr *to, unsigned how,
	      enum check_status *status);
/* The PROXY header (version 2) in front of each datagram of the check. 0: there is none. */
size_t ask_datagram_header(const struct check *check, char *header, size_t size);
/* Closes it, with FIN or RST. */
void ask_close(struct check *check, bool linger);
/* The result: changes the health, sets the time of the next. The connection is closed already. */
void ask_report(struct check *check, enum check_status status);

#endif
