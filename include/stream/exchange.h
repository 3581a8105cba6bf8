/* SPDX-License-Identifier: BSD-2-Clause */
/* An HTTP exchange: one request and its response, what a stream carries in mode http. It holds
 * the two heads, the memory that rules write to, and what the log wants to know at the end. It
 * is taken when the first byte of a request is there and given back when the response has left;
 * between two requests a session has neither stream nor exchange nor buffer. It assumes nothing
 * of HTTP/1: heads come from an end's head_in and leave by its head_out. */
#ifndef STREAM_EXCHANGE_H
#define STREAM_EXCHANGE_H

#include "expr/rule.h"
#include "expr/view.h"
#include "http/message.h"

struct reply;
struct stream;

/* Why the body of the request is waited for before the server is chosen. */
enum { WAIT_BODY_BUFFER = 1 << 0, /* option http-buffer-request, wait-for-body */
       WAIT_BODY_RULE = 1 << 1,   /* a fetch or a balancing looks at it */
};

struct exchange {
	struct stream *stream;
	struct message req, res;        /* complete when http.request, http.response point to them */
	struct arena *arena;            /* of this exchange: what rules, captures and replies write */
	struct view_http http;          /* what fetches, actions and log formats see of it */
	struct rule_place request_place, response_place;
	struct reply *reply;            /* the answer that the program gives itself; NULL: the
					 * server's. exchange_reply sets it */
	uint32_t started_ms;            /* clock_now_ms: first byte of the request */
	uint32_t head_ms;               /* since started_ms: the head was complete; NOT_REACHED */
	uint32_t response_ms;           /* since accept, like stream.connect_ms: response head */
	uint32_t tarpit_until;          /* clock_now_ms; 0: no tarpit */
	bool body_wanted;               /* a rule waits for a body (RULES_WAIT) ... */
	uint32_t body_until;            /* ... until then (clock_now_ms), ... */
	uint64_t body_least;            /* ... or until so many bytes are there; 0: all of it, or a
					 * full buffer; then the rules are run again */
	bool lenient;                   /* strict-mode off: a rewriting that fails is no error */
	bool no_retry;                  /* disable-l7-retry */
	bool client_keeps;              /* the client's connection lives on behind the response */
	bool server_keeps;              /* the server's does */
	bool head_sent;                 /* the response's head has left: no other answer any more */
	bool request_sent;              /* the request's head has left at least once */
	uint8_t attempts;               /* "retry-on": how often the request was sent */
};

/* The stream's; NULL in TCP mode. */
struct exchange *stream_exchange(const struct stream *s);

/* The program answers by itself, from wherever the request is: the steps go on at the reply. The
 * reply lies in the exchange's arena. May be called by actions (they return ACTION_REPLY). */
void exchange_reply(struct exchange *x, struct reply *reply);

#endif
