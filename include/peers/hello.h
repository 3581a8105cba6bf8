/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first lines of a connection between peers: who calls says three lines, who is called answers
 * a status. Pure: bytes in, bytes out. doc/internals/peers.md
 */
#ifndef PEERS_HELLO_H
#define PEERS_HELLO_H

#include "base/result.h"
#include "base/str.h"

enum { HELLO_MOST = 1024, /* bytes of the three lines; longer ones are refused */
       HELLO_STATUS_LEN = 4 };

enum hello_status {
	HELLO_MORE = 0,          /* to be asked again when more has come */
	HELLO_ACCEPTED = 200,
	HELLO_TWICE = 300,       /* a second connection under the local name */
	HELLO_NOT_OURS = 501,    /* not this protocol */
	HELLO_VERSION = 502,     /* not a version that we speak */
	HELLO_NOT_CALLED = 503,  /* another peer was meant */
	HELLO_STRANGER = 504,    /* no peer of the section has that name */
};

struct hello {
	struct span caller; /* its name; lies in the bytes that were read */
	unsigned minor;     /* 1: version 2.1; 0: 2.0, without heartbeats and timed updates */
	size_t len;         /* of the lines: messages follow */
};

/* All bytes that came so far, and the name of the peer that is called. HELLO_ACCEPTED: *hello is
 * set, and whether `caller' is known is left to the one who asks; HELLO_MORE; or why not. */
MUST_USE enum hello_status hello_read(struct span bytes, struct span local, struct hello *hello);
/* Returns bytes; 0: they do not fit. */
size_t hello_write(char *buf, size_t size, struct span called, struct span local, unsigned pid);

/* The number that was answered, as it stands there (100 to 999), and the bytes of the line in *len;
 * 0: more is needed; -1: it is no status. */
MUST_USE int hello_read_status(struct span bytes, size_t *len);
void hello_write_status(char buf[HELLO_STATUS_LEN], enum hello_status status);
/* What a status means, said about the one who answered it. */
const char *hello_explain(int status);

#endif
