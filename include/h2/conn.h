/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection of HTTP/2 (RFC 9113) over a struct conn: its streams, windows and settings, what
 * leaves next, and what a peer may cost. For whoever carries streams (a carrier of clients, later
 * connections to servers). Each stream is lent as an end that speaks messages. */
#ifndef H2_CONN_H
#define H2_CONN_H

#include "base/result.h"
#include "http/h2_counts.h"
#include "http/h2_frame.h"
#include "relay/end.h"

struct conn;
struct h2_conn;
struct h2_stream;

/* What a connection tells its owner. */
struct h2_owner {
	/* A request has come. The owner lends its end (h2_lend), which is ready to be read. False:
	 * it does not, the peer is told that it was not processed. */
	bool (*opened)(void *owner, struct h2_conn *c, struct h2_stream *st);
	/* The first stream has begun, or the last one has ended. */
	void (*busy)(void *owner, bool busy);
	/* The connection is closed and no stream is left: the owner frees it now. */
	void (*closed)(void *owner);
	/* Client: h2_conn_room has changed by what the peer says; or there is none any more, for one
	 * of the two drains it, or it is gone. Then the connection below may be closed behind this.
	 * NULL: nobody wants to know. */
	void (*room)(void *owner);
	/* Server: a request was no message, and was reset; or the connection ends with an error.
	 * conn: what is below. NULL: nobody wants to know. */
	void (*bad)(void *owner, struct link link);
	/* Server: closes the connection below, on which nothing went wrong; as conn_part
	 * (net/linger.h), and it clears the pointer. NULL: with little patience. */
	void (*part)(void *owner, struct conn **conn, bool may_send);
};

/* What we announce and bear. */
struct h2_limits {
	uint32_t streams;  /* SETTINGS_MAX_CONCURRENT_STREAMS */
	uint32_t window;   /* of a stream, as a rule: SETTINGS_INITIAL_WINDOW_SIZE to clients */
	uint32_t table;    /* SETTINGS_HEADER_TABLE_SIZE */
	uint32_t frame;    /* SETTINGS_MAX_FRAME_SIZE; less than 16384: that */
	uint32_t total;    /* streams after which it drains; 0: none */
	bool no_connect;   /* from clients: no extended CONNECT (RFC 8441) */
	unsigned glitches; /* so many of them end the connection; 0: any number is borne */
};
struct h2_conf {
	/* Of connections from clients, and to servers: set at start (h2/tune.c: tune.h2.*), before
	 * the first. */
	struct h2_limits clients, servers;
	unsigned linger_ms;   /* from an answer to the reset of a request that goes on */
	unsigned settings_ms; /* a peer has to acknowledge our settings in: tests shorten it */
};
extern struct h2_conf h2_conf;

/* Takes over the connection, clears the pointer and says our settings. client: the preface is ours,
 * else it is the peer's. received: bytes that came on it already, a buffer at most. NULL: no
 * memory, nothing was taken over. */
struct h2_conn *h2_conn_new(struct conn **conn, bool client, const struct h2_limits *limits,
			    const struct h2_owner *ops, void *owner, struct span received);
/* By closed alone. */
void h2_conn_free(struct h2_conn **c);
/* No stream begins any more: GOAWAY. It is closed behind the last one. */
void h2_conn_drain(struct h2_conn *c);
/* Client, without streams: says GOAWAY and closes the connection below, now. closed follows. */
void h2_conn_quit(struct h2_conn *c);
/* As h2_conn_drain, but it is announced first: GOAWAY with the highest id, and PING. What the peer
 * has begun until it answers that, or for five seconds, is served. */
void h2_conn_leave(struct h2_conn *c);
MUST_USE bool h2_conn_drains(const struct h2_conn *c); /* or leaves */
/* At the end of the process, behind all streams that have ends: h2_conn_free may be called now. */
void h2_conn_drop(struct h2_conn *c);
/* Closes it now; its streams break off. */
void h2_conn_close(struct h2_conn *c, enum h2_code code);

/* Client: another stream; NULL: no memory, or no room. Its end is lent next; it gets its id with
 * its head, so streams may say theirs in any order. */
struct h2_stream *h2_conn_open(struct h2_conn *c);
/* Client: how many more streams may be opened now: by the peer's settings and limits.streams. One,
 * while its settings are not here. */
unsigned h2_conn_room(const struct h2_conn *c);
/* Makes the end that of the stream. */
void h2_lend(struct h2_stream *st, struct end *end);
/* The exchange is complete: the end is not there any more. */
void h2_take_back(struct end *end);

/* For show. */
struct h2_numbers {
	unsigned streams;   /* open */
	uint64_t opened, refused, reset;
	uint64_t glitches;  /* things that no sensible peer does often */
};
struct h2_numbers h2_conn_numbers(const struct h2_conn *c);
/* What is asked of the connection below. */
struct link h2_conn_link(const struct h2_conn *c);
/* Where it is counted from now on, with all that it has open: whose it is may be known late. counts
 * has to stay longer than the connection. */
void h2_conn_count(struct h2_conn *c, struct h2_counts *counts);

/* Of all in this process. */
struct h2_totals {
	unsigned connections, streams; /* now */
	uint64_t connected, opened, refused, reset, glitches;
	uint32_t grown; /* to servers: bytes by which windows of streams are larger than the least */
	size_t kept;    /* bytes of bodies that came and nobody has taken, now */
};
struct h2_all {
	struct h2_totals clients, servers; /* of connections from clients, and to servers */
	uint32_t long_bytes; /* by which windows of connections have grown: budget.c */
};
extern struct h2_all h2_all;

#endif
