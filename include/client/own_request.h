/* SPDX-License-Identifier: BSD-2-Clause */
/* A request of the program's own: an exchange (exchange/exchange.h) without a client's
 * connection, of a frontend that is in no configuration. It goes through a backend, or to a host
 * that no line names, by name or by address. Whoever wants the answer embeds the request and
 * takes the answer piece by piece; what is not taken waits in the kernel.
 * doc/internals/client.md. */
#ifndef CLIENT_OWN_REQUEST_H
#define CLIENT_OWN_REQUEST_H

#include "base/kind.h"
#include "base/result.h"
#include "dns/lookup.h"
#include "event/timer.h"
#include "http/message.h"

#include <sys/socket.h>

struct module;
struct own_host;
struct own_stream;
struct proxy;
struct uri;

enum own_fault {
	OWN_UNKNOWN,   /* its name leads to no address: 503 */
	OWN_UNREACHED, /* no connection, no TLS that is good: 503 */
	OWN_BROKEN,    /* its end, or nonsense, in the middle of the answer: 502 */
	OWN_LATE,      /* the server has said nothing, or not all, in time: 504 */
	OWN_UNSAID,    /* the request itself cannot be said: 400 */
};

enum own_step {
	OWN_WAITS,  /* r->ready is called when there is more */
	OWN_HEAD,   /* r->msg is the head of the answer, until the next call for it */
	OWN_PIECE,  /* r->piece is what comes next of its body, until the next call for it */
	OWN_DONE,   /* that was all: it is over */
	OWN_FAILED, /* r->fault says why: it is over */
};

/* Where it goes. Strings stay until the request is over. */
struct own_target {
	struct proxy *backend;      /* it is balanced, kept and tried again by this one's words, and
				     * the rest of the target says nothing; NULL: to the host */
	struct span host;           /* a name or an address, for TLS and for lookups */
	unsigned port;
	bool tls;
	struct sockaddr_storage to; /* to_len: it goes there, whatever the host's address is */
	socklen_t to_len;           /* 0: it goes to the host */
};

/* What is asked. The bytes stay until the request is over. */
struct own_words {
	enum method method; /* that of the head */
	struct span head;   /* HTTP/1.1, with its empty line; its fields say how the end of the body
			     * is told: Content-Length, or Transfer-Encoding: chunked */
	struct span body;   /* its bytes, without that coding */
};

/* How long it may take, in milliseconds; 0: any time. */
struct own_limits {
	unsigned silence_ms; /* most that the server may be silent: for a backend's in place of its
			      * `timeout server`, until one of its rules sets another time; 0: any
			      * time for a host's, that of the backend for its own */
	unsigned whole_ms;   /* most from the begin to the last byte, lookups and tries included */
};

enum { OWN_ADDRS = 8 }; /* of a name, which are tried one after the other */

/* Zeroed, but for owner and ready: it is over, or has not begun. */
struct own_request {
	void *owner;
	/* Wakes whoever goes on with it; does not act on it. */
	void (*ready)(struct own_request *r);
	struct message msg;
	struct span piece;
	enum own_fault fault;
	const char *why; /* of the fault: a sentence without full stop, about "it", the server (of
			  * OWN_UNSAID: about the request); until the next call of any request */

	/* ---- its own ---- */
	struct list node;           /* all that are under way */
	struct own_target target;
	struct own_words words;
	uint8_t state;              /* enum state of own_request.c */
	bool reuses;                /* it may have a connection that served others before */
	bool late;                  /* the timer has fired */
	bool expired;               /* so has `whole' */
	bool has_head;              /* it was told */
	unsigned silence_ms;        /* of struct own_limits */
	unsigned tries;             /* connections that have failed */
	unsigned at, count;         /* of addr */
	struct addr addr[OWN_ADDRS];
	struct dns_lookup lookup;
	struct timer timer;         /* a pause */
	struct timer whole;         /* the end of all */
	struct own_host *host;      /* where it goes at present; NULL: nowhere yet */
	struct own_stream *stream;  /* that asks; NULL: none does */
	KIND_MEMBER
};

/* Begins: the next call of own_request_go makes the first step. */
void own_request_begin(struct own_request *r, const struct own_target *target,
	       const struct own_words *words, struct own_limits limits);
/* Goes on as far as it can. Not from within ready. */
MUST_USE enum own_step own_request_go(struct own_request *r);
/* It is over, wherever it is; again does nothing. Not from within ready. */
void own_request_end(struct own_request *r);
/* The status that stands for a fault. */
unsigned own_status(enum own_fault fault);

/* What an http:// or https:// URL says, for the target (neither backend nor `to`). NULL; or what is
 * wrong with it. */
const char *own_url(struct span url, struct uri *uri, struct own_target *target);

/* The process ends: so do all of them, and what is kept. */
extern const struct module own_request_module;

#endif
