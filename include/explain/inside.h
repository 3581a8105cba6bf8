/* SPDX-License-Identifier: BSD-2-Clause */
/* A client and a server inside the program: connections without sockets (net/conn.h, conn_inside).
 * The client says what it was given, through TLS where the bind line wants that; the server says
 * its answer when all that comes to it has come. */
#ifndef EXPLAIN_INSIDE_H
#define EXPLAIN_INSIDE_H

#include "base/str.h"

#include <stdbool.h>

struct conn;
struct stream;

struct bytes {
	char *ptr;
	size_t len, size;
};
/* Out of memory ends the process. */
void bytes_add(struct bytes *b, const void *data, size_t len);
void bytes_str(struct bytes *b, const char *text);

/* What both sides are to say, and what they have heard. */
struct inside {
	struct span before;    /* the client's first words, in front of TLS: a PROXY header */
	struct span request;   /* the client's */
	struct span request_h2; /* the same as HTTP/2: in clear at once, by TLS where the program
				 * agrees; ptr NULL: it speaks HTTP/1 */
	bool h2;               /* it was said so */
	struct span answer;    /* the server's */
	bool closes;           /* both close behind that: bytes */
	bool upgrades;         /* the same behind an answer with status 101 */
	bool (*refuses)(const struct stream *s); /* this server cannot be reached; NULL: all can */
	struct bytes heard, got; /* by the client; by the server */
	bool connected;        /* a server was connected to */
	bool answered;
	bool client_closed, client_reset;
	/* TLS of the client. */
	const char *sni;
	const char *own;       /* file of its certificate and key; NULL: it has none */
	bool tls;
	const char *tls_version, *tls_cipher, *tls_failed;
	const char *certificate; /* the subject of the one that it was shown */
};

/* The client's connection; it may be read at once. tls: it begins a handshake. NULL: no memory, or
 * no TLS in this build. */
struct conn *inside_open(struct inside *in);
/* Both sides go on as far as they can. Has something moved? */
bool inside_turn(void);
/* The server answers now, or the client closes. False: neither is to be done any more. */
bool inside_answer(void);
void inside_end(void);

/* Bytes of a ClientHello that asks for this name. Empty: no TLS in this build. */
void inside_hello(const char *sni, const char *alpn, struct bytes *to);

#endif
