/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stream carries: bytes (mode tcp) or messages (mode http). A stream has its kind from its
 * start, and another one when bytes turn out to be messages (stream/upgrade.h). A kind brings the
 * two step tables, and answers what depends on it elsewhere in a stream's life. */
#ifndef STREAM_KIND_H
#define STREAM_KIND_H

#include "base/str.h"
#include "stream/steps.h"

struct buf;
struct message;
struct origin;
struct view;

/* When things happened: see stream/view.h. */
struct stream_times {
	uint32_t began_ms;    /* clock_now_ms: its total time counts from here */
	uint32_t begin_ms;    /* since accept: the first byte of its request was there */
	uint32_t request_ms;  /* since accept: all of it was; NOT_REACHED */
	uint32_t response_ms; /* since accept: the head of the response; NOT_REACHED */
	bool sent;            /* the request has left: there is a connection, be it an idle one */
};

struct stream_kind {
	const char *name;
	/* REQ_STEPS and RES_STEPS rows, and step_beyond; what has no run is passed over. */
	const struct step *request, *response;

	/* Which rows a proxy's configuration asks for, as the frontend of such a stream and as the
	 * backend: enum stream_trait, besides those that hold for every kind. */
	unsigned (*traits_of_front)(const struct proxy *px);
	unsigned (*traits_of_back)(const struct proxy *px);

	/* The stream becomes one of this kind: the client's end is there; *held was received on it
	 * already (NULL: nothing). False: no memory, it is what it was. */
	bool (*begin)(struct stream *s, struct buf **held);
	/* It cannot go on: what the step of the request side returns. */
	int (*fail)(struct stream *s, enum reason reason);
	/* Bytes that were to be looked at will not come: the same of either side. */
	int (*cut)(struct stream *s, bool is_response);
	/* A filter, or who was asked at a moment, will not have it go on, for lack of memory with a
	 * reason of RESOURCE; or has answered (LOCAL). What the step of that side returns. */
	int (*filtered)(struct stream *s, enum reason reason, bool is_response);
	/* Filters have changed its bytes: so many more have come than went on (fewer: modulo 2^64).
	 * Said once, when it ends. */
	void (*changed)(struct stream *s, struct stream_bytes more);
	/* Its end was asked for from outside; a side was quiet for too long. True: the steps are to
	 * be run, else they need not, or it has ended. */
	bool (*abandon)(struct stream *s, enum reason reason);
	bool (*quiet)(struct stream *s, enum reason reason);
	/* Does the client wait for nothing any more? */
	bool (*client_left)(const struct stream *s);
	/* A new connection to the server can be used. False: no memory. */
	bool (*connected)(struct stream *s);
	/* The server could not be reached: it is not the one that the client asks for any more. */
	void (*redispatched)(struct stream *s);
	/* What of it balancing is to hash, where the backend asks for a part of messages (lb/).
	 * False: there is none. */
	bool (*balance_key)(struct stream *s, struct span *key);
	/* What may be said along with the handshake to a server of TLS, how much of that it has
	 * read, and whether it may be said again. */
	struct span (*early_words)(struct stream *s);
	void (*early_taken)(struct stream *s, size_t taken);
	bool (*early_repeats)(const struct stream *s);

	/* The request; NULL: there is none (yet). */
	const struct message *(*message)(const struct stream *s);
	void (*times)(const struct stream *s, struct stream_times *times);
	void (*view)(struct stream *s, struct view *view);
	/* From and to the client, besides what the pumps have moved. */
	struct stream_bytes (*bytes)(const struct stream *s);
	/* It ends: was there a lack of memory; has the server said no response, or a wrong one? */
	bool (*was_short)(const struct stream *s);
	bool (*wrong_response)(const struct stream *s);
	/* It has ended: gives back connections that live on, and leaves the client's to whoever
	 * lingers. True: what is left of the client's end is to be reset. */
	bool (*leave)(struct stream *s);
	/* A clean end: is a reset as good for the server? */
	bool (*resets_server)(const struct stream *s);
	/* Behind a step, in builds with the sanitizers: a combination of flags that cannot be ends
	 * the process. NULL: nothing is said of them. */
	void (*flags_hold)(const struct stream *s);
	/* Frees the exchange, if there is one. */
	void (*free)(struct stream *s);
};

/* That of HTTP; that of bytes: stream/bytes.h. Installed by exchange/ before a configuration is
 * read. */
extern const struct stream_kind *stream_of_messages;

#endif
