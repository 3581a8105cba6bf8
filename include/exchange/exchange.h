/* SPDX-License-Identifier: BSD-2-Clause */
/* An HTTP exchange: one request and its response, what a stream carries in mode http. It holds
 * the two heads, the memory that rules write to, and what the log wants to know at the end. It
 * is taken when the first byte of a request is there and given back when the response has left;
 * between two requests a session has neither stream nor exchange nor buffer. It assumes nothing
 * of HTTP/1: heads come from an end's head_in and leave by its head_out. */
#ifndef EXCHANGE_EXCHANGE_H
#define EXCHANGE_EXCHANGE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/result.h"
#include "expr/rule.h"
#include "expr/view.h"
#include "http/message.h"
#include "net/proto.h"
#include "proxy/server.h"
#include "relay/message_end.h"
#include "stream/stream.h"

struct exchange_parts;
struct server_conn;
struct module;
struct reply;

/* What an exchange needs from its response on, or for a request with many fields: clients that make
 * us wait for their requests hold none. */
struct exchange_room;
enum { EXCHANGE_FIELDS = 20 }; /* of a request: so many lie with the exchange */

/* In lines of the cache (64 bytes), those first that every exchange touches. It is zeroed from
 * stream on for each, but for fields. */
struct exchange {
	struct exchange *next;          /* of those that are kept */
	struct exchange_room *room;     /* stays when it is kept; NULL: none was needed */
	struct arena memory;            /* the arena */

	struct stream *stream;
	struct arena *arena;            /* of this exchange: what rules, captures and replies
					 * write */
	struct server_conn *server_conn; /* that lends the server's end; NULL: none does */
	struct reply *reply;            /* the answer that the program gives itself; NULL: the
					 * server's. exchange_reply sets it */
	uint32_t started_ms;            /* clock_now_ms: first byte of the request */
	uint32_t head_ms;               /* since started_ms: exchange_request_complete;
					 * NOT_REACHED */
	uint32_t response_ms;           /* since accept, like stream.connect_ms: response head */
	uint8_t asked;                  /* enum method, as the client said it: what may follow a
					 * response on its connection goes by that; req.method,
					 * which rules may change, is what the server is asked */
	bool client_keeps;              /* the client's connection lives on behind the response */
	bool server_keeps;              /* the server's does */
	bool bare;                      /* a rule has taken the response's body away, and not all of
					 * that has been read away */
	bool rest;                      /* ... but the rest is waited for: exchange/unread.h */
	bool head_sent;                 /* the response's head has left: no other answer any more */
	bool request_sent;              /* the request's head has left at least once */
	bool complete;                  /* the response has left, nothing went wrong on the way */
	bool tunnel;                    /* bytes both ways, to the close */
	bool first;                     /* of its session */
	bool upgraded;                  /* its stream began as one of bytes: stream/upgrade.h */
	bool reused;                    /* the server's connection carried others before */
	bool may_retry;                 /* all of the request is at hand to be sent again */
	bool no_retry;                  /* disable-l7-retry */
	bool pausing;                   /* by the action "pause": until stream_wait_over */
	bool interim;                   /* the server has said 1xx, and the client may have it */
	bool acknowledged;              /* a part of the request was, for the rest to come */
	uint8_t reason, phase;          /* why the program answers: of the stream's end. END_NONE:
					 * it does not, or for no reason of its own (LOCAL) */
	bool service_rules;             /* http-response rules see the service's answer */

	uint32_t body_until;            /* exchange/body_wait.h */
	uint32_t interims, interim_ms;  /* how many 1xx the server has said; clock_now_ms of the
					 * first */
	uint32_t try_us; /* clock_read_us, its low bits, when the request was sent last:
			  * where learn_times says so */

	struct message req, res;        /* complete when http.request, http.response point to them */

	uint64_t bytes_in, bytes_out;   /* of heads: the pumps count bodies */
	uint64_t server_in, server_out; /* the same of this try's server */
	/* A service answers instead of a server: see exchange_serve; NULL: none does. */
	int (*service)(struct exchange *x, struct end *end);
	struct view_http http;          /* what fetches, actions and log formats see of it */

	struct rule_place request_place, response_place;
	const char *service_name;
	const void *service_data;       /* the service's own */
	size_t unread;                  /* bytes of a body that may still be read away:
					 * exchange/unread.h */
	struct exchange_parts *parts;   /* of features: exchange/exchange_part.h; NULL: none */
	bool backend_passed;            /* http-response rules of the backend have let it pass */
	bool body_wanted;               /* exchange/body_wait.h */
	bool hinting;                   /* res is a 103 under way: early-hint */
	bool lenient;                   /* strict-mode off: a rewriting that fails is no error */
	bool unwritten;                 /* a rewriting has failed, and was one */
	bool unfit;                     /* ... of the response: the answer is 500, which nobody
					 * edits */
	uint8_t preface;                /* enum proto: the client's words are how that begins */
	/* Of the request, as long as these suffice. */
	struct field fields[EXCHANGE_FIELDS] __attribute__((aligned(16)));
};

/* Written by tune_http.c. */
struct exchange_tune {
	unsigned max_fields; /* tune.http.maxhdr, without the first line */
	bool any_payload;    /* h1-accept-payload-with-any-method */
};
extern struct exchange_tune exchange_tune;

/* The stream's; NULL in TCP mode. */
struct exchange *stream_exchange(const struct stream *s);

/* The program answers by itself, from wherever the request is: the steps go on at the reply. The
 * reply lies in the exchange's arena; NULL, or one of which a part is missing there: there was no
 * memory, the answer is 500. May be called by actions (they return ACTION_REPLY). */
void exchange_reply(struct exchange *x, struct reply *reply);

/* A service answers instead of a server, from wherever the request is: an end inside the program,
 * which open makes of the server's end (0; -1: no memory). It gets the request and speaks a
 * response. name: for the log, "<STATS>". For rules, which say RULES_REPLY or ACTION_REPLY, and
 * may set service_rules. */
void exchange_serve(struct exchange *x, const char *name,
		    int (*open)(struct exchange *x, struct end *end), const void *data);

/* ---- for the files of exchange/ ---------------------------------------------------------- */

/* All that was waited for of the request is here: the head, a body that somebody wants to see, the
 * delay of an inspection. Up to here it is time of the request, from here on of the queue. */
static inline void exchange_request_complete(struct exchange *x)
{
	x->head_ms = (uint32_t)clock_now_ms - x->started_ms;
}

/* Makes one for the stream, whose client end is a connection; held: bytes received on it already.
 * False: no memory. */
MUST_USE bool exchange_new(struct stream *s, struct buf **held);
void exchange_free(struct stream *s);
/* There is room for a response. False: no memory. */
MUST_USE bool exchange_make_room(struct exchange *x);
/* The head has more fields than msg has room for: message_more_fields (http/message.h). */
MUST_USE bool exchange_more_fields(struct message *msg);
/* Empties res, for a head that we make. */
void exchange_init_response(struct exchange *x);
/* Before the first stream: some carry exchanges from now on, and heads with more fields than msg
 * has room for find it here. */
void exchange_start(void);
/* Gives most of those back that wait for the next request. */
void exchanges_trim(void);
/* The connection at the server's end is there, new or idle before: it speaks HTTP. large: its
 * last answer was. False: no memory. */
MUST_USE bool exchange_attach_server(struct stream *s, bool large);
/* A new connection to the server can be used: the same, and it may be kept later. False: no
 * memory. */
MUST_USE bool exchange_connected(struct stream *s);
/* Answers with the error that belongs to the reason, which will be that of the stream's end; when
 * an answer is under way already, or makes no sense, the stream ends. What the step of either
 * side returns. */
MUST_USE COLD int exchange_fail(struct stream *s, enum reason reason);
MUST_USE COLD int exchange_fail_with(struct stream *s, enum reason reason, unsigned status);
MUST_USE COLD int exchange_fail_response(struct stream *s, enum reason reason, unsigned status);
/* For those who learn from the responses of the server, if anybody does (proxy/learn.h). */
void exchange_observe(const struct stream *s, enum observed what);
/* Sends the request once more, to the same or another server, if retry-on names the condition
 * (RETRY_*) and it can be. True: the steps go on there. */
MUST_USE bool exchange_retry(struct stream *s, unsigned condition);
/* The server's connection is closed before the exchange ends. */
void exchange_forget_server(struct stream *s);
/* Nobody will ask for the request's head any more. False: no memory for what is left to be sent of
 * it. */
MUST_USE bool exchange_drop_request(struct exchange *x);

/* The request's head, as it leaves for the server, into the server's end. False: it does not fit,
 * or no memory. */
MUST_USE bool exchange_write_request(struct stream *s);

/* Options of frontend and backend together. */
uint64_t exchange_options(const struct stream *s);
/* Does the backend keep connections to its servers? */
MUST_USE bool exchange_keeps_server(const struct stream *s);
/* Options http-drop-request-trailers, http-drop-response-trailers: who reads them in takes them for
 * fields that rules have seen. from: the end that the message comes from. */
COLD void exchange_drop_trailers(struct end *from, struct message *msg);
/* Why rules have failed. */
MUST_USE enum reason exchange_rules_failure(const struct exchange *x);

/* Steps: src/exchange/exchange_request.c, exchange_connect.c, exchange_response.c. */
MUST_USE int exchange_request_head(struct stream *s);
/* The client speaks HTTP/2: there was no exchange. */
MUST_USE int exchange_hand_over(struct stream *s, enum proto proto);
MUST_USE int exchange_wait_body(struct stream *s);
MUST_USE int exchange_frontend_rules(struct stream *s);
MUST_USE int exchange_backend_rules(struct stream *s);
MUST_USE int exchange_connect(struct stream *s);
MUST_USE int exchange_open_service(struct stream *s);
MUST_USE int exchange_request_open(struct stream *s);
MUST_USE int exchange_request_forward(struct stream *s);
MUST_USE int exchange_response_head(struct stream *s);
MUST_USE int exchange_response_rules(struct stream *s);
MUST_USE int exchange_reply_head(struct stream *s);
MUST_USE int exchange_after_rules(struct stream *s);
MUST_USE int exchange_response_open(struct stream *s);
MUST_USE int exchange_response_forward(struct stream *s);
/* The response has left completely: the stream ends. STEP_END. */
MUST_USE int exchange_done(struct stream *s);

extern const struct module exchange_module;

#endif
