/* SPDX-License-Identifier: BSD-2-Clause */
/* An errand: a request of the program's own, to a server that no configuration line names: HTTP/1 over
 * TCP or TLS, by name or by address. Whoever wants the answer embeds it, and takes the answer piece by
 * piece; what is not taken waits in the kernel. Connections are kept for the next errand to the same
 * host. */
#ifndef ERRAND_ERRAND_H
#define ERRAND_ERRAND_H

#include "base/kind.h"
#include "dns/lookup.h"
#include "event/timer.h"
#include "http/h1.h"

#include <sys/socket.h>

struct buf;
struct conn;
struct uri;

enum errand_fault {
	ERRAND_UNREACHED, /* no address, no connection, no TLS that is good: 503 */
	ERRAND_BROKEN,    /* its end, or nonsense, in the middle of the answer: 502 */
	ERRAND_LATE,      /* the server has said nothing in time: 504 */
};

enum errand_step {
	ERRAND_WAITS,  /* e->ready is called when there is more */
	ERRAND_TURN,   /* it can go on, but others should go first */
	ERRAND_HEAD,   /* e->msg is the head of the answer, until the next call of any errand */
	ERRAND_PIECE,  /* e->piece is what comes next of its body, until the next call for it */
	ERRAND_DONE,   /* that was all: it is over */
	ERRAND_FAILED, /* e->fault says why: it is over */
};

/* Where it goes. Strings stay until the errand is over. */
struct errand_target {
	struct span host;   /* a name or an address, for TLS and for lookups */
	unsigned port;
	bool tls;
	struct sockaddr_storage to; /* to_len: it goes there, whatever the host's address is */
	socklen_t to_len;           /* 0: it goes to the host */
};

enum { ERRAND_ADDRS = 8 }; /* of a name, which are tried one after the other */

/* Zeroed, but for owner and ready: it is over, or has not begun. */
struct errand {
	void *owner;
	/* Wakes whoever goes on with it; does not act on it. */
	void (*ready)(struct errand *e);
	struct message msg;
	struct span piece;
	enum errand_fault fault;
	const char *why; /* of the fault: a sentence without full stop, about "it", the server;
			  * until the next call of any errand */

	/* ---- its own ---- */
	struct list node;         /* all that are under way */
	struct errand_target target;
	struct span text;         /* the request: head and body */
	size_t sent;
	uint8_t state;            /* enum state of errand.c */
	uint8_t method;           /* enum method */
	uint8_t framing;          /* enum body_framing */
	bool kept;                /* the connection has served another errand before */
	bool keeps;               /* it may serve another one behind */
	bool begun;               /* bytes of the answer have come */
	bool whole;               /* all of the body has come */
	bool late;                /* the timer has fired */
	unsigned timeout_ms;      /* most that the server may be silent; 0: any time */
	unsigned tries;           /* connections that have failed */
	unsigned at, count;       /* of addr */
	struct addr addr[ERRAND_ADDRS];
	struct dns_lookup lookup;
	struct conn *conn;        /* NULL: there is none */
	struct buf *in;           /* received; NULL: nothing */
	size_t taken;             /* of it, by the piece at hand */
	struct timer timer;
	uint64_t left;            /* BODY_LENGTH */
	struct h1_chunks chunks;
	KIND_MEMBER
};

/* Begins: the next call of errand_go makes the first step. text: the request as it is to be sent, which
 * stays until the errand is over. timeout_ms: most that the server may be silent; 0: any time. */
void errand_begin(struct errand *e, const struct errand_target *target, enum method method,
		  struct span text, unsigned timeout_ms);
/* Goes on as far as it can. */
enum errand_step errand_go(struct errand *e);
/* It is over, wherever it is; again does nothing. */
void errand_end(struct errand *e);
void errand_end_all(void);
/* The status that stands for a fault. */
unsigned errand_status(enum errand_fault fault);

/* What an http:// or https:// URL says, for the target (not `to`). NULL; or what is wrong with it. */
const char *errand_url(struct span url, struct uri *uri, struct errand_target *target);

#endif
