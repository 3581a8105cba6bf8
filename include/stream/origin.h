/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a stream comes from, and who carries it. A carrier owns connections for life and lends ends
 * to streams; what it says of the client (whose rules and counters, which addresses) is an origin,
 * embedded in an object of the carrier's own. A stream knows its origin and nothing else of its
 * client: neither a listener, nor a socket, nor how many streams the same carrier has at once. */
#ifndef STREAM_ORIGIN_H
#define STREAM_ORIGIN_H

#include "base/list.h"
#include "base/result.h"
#include "expr/vars.h"
#include "net/addr.h"
#include "net/listener.h"
#include "net/proto.h"
#include "proxy/proxy.h"

#include <sys/time.h>

/* To which protocol: as the first bytes tell; else, as the rule says, one of net/proto.h. */
enum { UPGRADED_NOT = PROTO_UNSET, UPGRADED_ANY = PROTO_NONE };

struct buf;
struct carrier_ops;
struct end;
struct proxy;
struct server;
struct vectors;

/* In lines of the cache (64 bytes), those first that every request touches. */
struct origin {
	const struct carrier_ops *carrier;
	struct proxy *frontend;     /* rules, limits, counters, log; one of the program's
				     * own: client/ */
	struct listener *listener;  /* counted there, too; NULL: it has none */
	uint64_t accepted_ms;       /* clock_now_ms; behind a request: of the end of the last one */
	struct timeval accepted;    /* the same by the wall clock */
	uint32_t handshake_ms;      /* since accept: it was */
	unsigned requests;          /* so far */
	struct server *last_server; /* it may have gone: servers_seen tells (proxy/server_add.h) */

	struct addr src;            /* the client; from the PROXY header when there was one */
	struct vars vars;           /* sess, if they are its own */
	struct vars *session_vars;  /* its own, or those of the session whose streams begin at
				     * once */
	struct list idle;           /* connections to servers of its own: exchange/idle.h; next
				     * NULL: there were none yet */
	struct told *told;          /* NULL: nothing was */
	uint32_t servers_seen;      /* servers_gone when last_server was taken */
	bool expects_proxy;         /* tcp-request connection expect-proxy */
	bool expects_cip;           /* expect-netscaler-cip */
	bool has_proxy_header;      /* one was received */
	uint8_t fault;              /* enum conn_fault (net/faults.h) */
	uint8_t upgraded;           /* mode tcp, but HTTP since a rule or a backend wanted it:
				     * UPGRADED_*, or enum proto */
	uint8_t goes_on;            /* behind hand_over: enum proto */
	bool private_servers;       /* a server authenticates connections (NTLM): never shared */
	bool counted_h1;            /* its connection is one of HTTP/1 of the frontend's tally: that
				     * of a session alone */
};

/* What a carrier does for the streams of its origins. Each lend is followed by one ended; a carrier
 * may lend many ends at once. What it tells: that a connection is gone by the readiness of the ends
 * that it has lent (CONN_HUP, CONN_ERROR, then end_ready); that no more is lent, by draining. */
struct carrier_ops {
	const char *name;
	bool is_h1; /* one exchange at a time, over HTTP/1: counted in the frontend's tally */
	/* Makes the end of a stream that begins: one that speaks messages, or a connection; *held
	 * is then what was received on it before (NULL: nothing), for the stream to take over.
	 * False: it cannot, no stream begins. */
	bool (*lend)(struct origin *origin, struct end *end, struct buf **held);
	/* The exchange is complete, and what is below its end may carry another one: takes it back
	 * and keeps it. The stream closes the end itself where there is nothing to be kept. */
	void (*take_back)(struct origin *origin, struct end *end);
	/* The stream has ended, its end is not there any more. The origin may be gone behind
	 * this. */
	void (*ended)(struct origin *origin);
	/* Will nothing more be lent, so that the client is to be told with the next response? */
	bool (*draining)(const struct origin *origin);
	/* The client's first bytes are those of another protocol: what is taken back next goes on
	 * in that, from its first byte. NULL: it cannot. */
	void (*hand_over)(struct origin *origin, enum proto proto);
	/* What came was of a layer below (a record of TLS without data): what is taken back next
	 * waits on, as if no stream had begun. NULL: that does not happen. */
	void (*nothing_came)(struct origin *origin);
	/* Of the program's own requests; else 0 and NULL. It asks again by itself where a
	 * connection that has served others was not there any more: no answer is made up. */
	bool asks_again;
	/* The name that a server is asked for in TLS whose line has no "sni"; unsaid: as struct
	 * tls_target (tls/conn.h) has it. */
	struct span (*server_name)(const struct origin *origin, bool *unsaid);
	/* TLS with the server has failed: why, a sentence. end: of the client. */
	void (*tls_failed)(struct end *end, const char *why);
};

/* What few origins have: out of a PROXY header, or set by rules. */
struct told {
	struct addr dst;         /* has_dst: instead of the socket's */
	/* has_own: addresses of the client's connection, as rules of "tcp-request connection" have
	 * left them; without has_own_dst it is the socket's. Else they are the same as src and
	 * dst. */
	struct addr own_src, own_dst;
	const char *netns;       /* a network namespace; NULL: that of the listener */
	struct vectors *vectors; /* NULL: none, or nobody wants to see them */
	bool has_dst, has_own, has_own_dst;
};

/* Of its PROXY header, version 2: whole ones. */
struct vectors {
	size_t len;
	char bytes[];
};

static inline struct span origin_vectors(const struct origin *o)
{
	return o->told && o->told->vectors ?
		       (struct span){ o->told->vectors->bytes, o->told->vectors->len } :
		       (struct span){ NULL, 0 };
}

/* The destination that was told; NULL: it is the socket's. */
static inline const struct addr *origin_dst(const struct origin *o)
{
	return o->told && o->told->has_dst ? &o->told->dst : NULL;
}

/* Its network namespace; NULL: that in which we run. */
const char *origin_netns(const struct origin *o);
/* What was told, from now on there; NULL: out of memory. */
struct told *origin_told(struct origin *o);

/* Counters of its listener; of nobody where it has none. */
extern struct counters origin_uncounted;
static inline struct counters *origin_counters(const struct origin *o)
{
	return likely(o->listener != NULL) ? &o->listener->tally->counters : &origin_uncounted;
}

/* Do its streams carry exchanges from the beginning? */
MUST_USE bool origin_speaks_http(const struct origin *o);
/* From now on src and dst are no longer those of the connection, which are kept. False: out
 * of memory. */
MUST_USE bool origin_keep_own(struct origin *o);
/* Closes its connections to servers, if it has had any. Installed by exchange/. */
extern void (*origin_ends)(struct origin *o);
/* No stream of it is left: gives back what it holds. The origin itself is its carrier's. */
void origin_free(struct origin *o);

#endif
