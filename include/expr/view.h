/* SPDX-License-Identifier: BSD-2-Clause */
/* What fetches, actions and log formats see of a stream: the stream fills it in and is not
 * known here. Fields may be NULL or 0 where there is nothing (yet). */
#ifndef EXPR_VIEW_H
#define EXPR_VIEW_H

#include "base/sample.h"
#include "net/addr.h"
#include "net/link.h"
#include "proxy/timeouts.h"

#include <stdbool.h>
#include <sys/time.h>

struct arena;
struct listener;
struct location;
struct message;
struct proxy;
struct server;
struct vars;

/* Numbers of the stream for the log; filled only when something is logged. -1 in a time:
 * the phase was not reached. */
struct view_log {
	struct timeval accepted;     /* wall clock */
	int64_t wait_ms;             /* Tw: in queues */
	int64_t connect_ms;          /* Tc */
	int64_t idle_ms, request_ms; /* Ti, TR: before the first byte, until the head is there */
	int64_t response_ms;         /* Tr: until the response's head */
	int64_t active_ms;           /* Ta */
	int64_t total_ms;            /* Tt, Td, Tu, Ta */
	int64_t handshake_ms;        /* Th */
	uint64_t bytes_in, bytes_out; /* U: from the client, B: to the client */
	char termination[3];         /* "--", "CD" ...: ends.def; the cookies' letters: view_http */
	const char *reason;          /* sentence of ends.def */
	unsigned active_conns, frontend_conns, backend_conns, server_conns, retries;
	const char *step;            /* %OG: log/profile.h; NULL: unspec */
	uint8_t level;               /* set-log-level: 1 + enum log_level; 0: none was set */
	bool failed;                 /* the reason is an error: ends.def */
	bool redispatched, early;    /* early: option logasap, '+' before the numbers */
	unsigned server_queue, backend_queue; /* positions when it was queued */
	unsigned pid;
	uint64_t request_counter;    /* %rt: grows by one for each stream of this process */
	unsigned worker;             /* whose number that is: its row of the segment */
};

/* What is known of an HTTP exchange, as long as it lasts. Spans are in the received bytes or in
 * the exchange's arena; ptr NULL: not there. */
struct view_http {
	struct message *request, *response; /* heads, complete; NULL: not (yet, or any more) */
	uint16_t status;                    /* sent to the client; 0: none yet */
	uint16_t server_status;             /* received from the server; 0: none yet */
	uint8_t res_major, res_minor;       /* of the response's version; 0: none yet */
	uint8_t server_major;               /* the version of HTTP on the connection to the server; 0: 1 */
	bool uri_cut;                       /* the log shows the target up to tune.http.logurilen */
	bool not_first;                     /* its connection has carried a request before */
	char cookie_code, set_cookie_code;  /* third and fourth letter of %tsc; 0: '-' */
	bool request_body_final, response_body_final; /* all of it, or the buffer is full */
	struct span request_body, response_body; /* payload received and not forwarded yet */
	/* Copied when something asks for them behind the request: log, capture.req.*, txn. */
	struct span method, uri, version;
	const char **request_captures;      /* by the index of the frontend's capture rules: text */
	const char **response_captures;     /* or NULL; the arrays may be NULL, too */
	struct span request_cookie, response_cookie; /* capture cookie: "NAME=value" */
	struct span unique_id;              /* unique-id-format, once made */
	const char *compressed;             /* algorithm by which we compress the response; NULL:
					     * none */
};

/* What rules have set for one stream. 0: nothing. */
struct view_treatment {
	unsigned timeout_ms[TIMEOUTS]; /* set-timeout */
	uint8_t retries;      /* 1 + those of set-retries */
	uint8_t tos;          /* set-bc-tos, set-bc-mark: of packets to the server */
	bool has_tos, has_mark;
	uint32_t mark;
	int priority_class, priority_offset; /* of queues: set-priority-*; ms */
	/* Turns in which the steps ran, and how long, while that is measured (event/profile.h). */
	uint32_t calls;
	uint64_t cpu_ns, lat_ns;
	uint64_t began_ns;    /* the present one; 0: none, or not measured */
	uint64_t asked_ns;    /* when a fetch first asked in it; 0: none has */
};

/* The timeout in force for a stream, ms: what a rule has set (t, which may be NULL), else what the
 * configuration says. */
static inline unsigned timeout_in_force(const struct view_treatment *t,
					const struct timeouts *configured, enum timeout which)
{
	return t && t->timeout_ms[which] ? t->timeout_ms[which] :
					   timeout_configured(configured, which);
}

struct view {
	const struct proxy *frontend, *backend; /* backend NULL until chosen */
	const struct listener *listener;
	struct server *server;
	const struct server *dispatch;  /* where the stream goes instead; NULL: to no such */
	struct link client_link, server_link; /* what is asked of the connections; of a server's:
					       * there is none before it is connected */
	const struct addr *src;         /* client */
	const struct addr *session_src, *session_dst; /* of the connection, before rules of the
						       * stream; the latter NULL: the socket's */
	const struct addr *dst;         /* address that the client connected to; NULL: not
					 * asked for yet, use view_dst */
	const struct addr *server_src, *server_dst; /* of our connection to the server */
	bool (*find_dst)(const struct view *view, struct addr *addr);
	struct span request, response;  /* bytes received and not forwarded yet */
	bool has_proxy_header;          /* the addresses came by the PROXY protocol */
	uint8_t client_fault, server_fault; /* enum conn_fault (net/faults.h) */
	bool server_tls_failed;         /* the last handshake with a server: its connection is
					 * gone */
	unsigned long server_tls_error; /* of that: tls_link_error */
	struct span vectors;            /* of the PROXY header (net/proxyproto.h) */
	struct span unique_id;          /* unique-id-format, once made; in mode http in view_http */
	bool request_final, response_final; /* no more will come, or the buffer is full */
	uint64_t id;                    /* unique in this process */
	struct arena *arena;            /* memory of the exchange */
	const char ***captures;         /* of content rules in mode tcp, where http is NULL; they
					 * lie in the arena; NULL: there are none */
	struct view_treatment *treatment; /* NULL: nothing was set; fetches write asked_ns alone */
	const struct view_log *log;     /* only where a log format runs */
	void (*find_log)(const struct view *view, struct view_log *log); /* elsewhere */
	struct vars *session_vars;      /* sess: expr/vars.h; may be NULL */
	struct vars *stream_vars;       /* txn, req, res */
	bool patient;                   /* whoever runs rules on it can wait and ask the same
					 * condition again */
	bool asks;                      /* a condition of such a rule is being asked: rules.c */
	bool server_reused;             /* its connection has carried others before */
	bool responding;                /* res exists, req no longer */
	const char *service;            /* "<STATS>": it answers instead of a server; or NULL */
	struct vars *check_vars;        /* check: of a health check that runs; else NULL */
	struct view_http *http;         /* NULL: none under way, mode tcp */
	const struct location *last_rule; /* that has ended a list of rules; NULL: none */
	void *origin, *stream;          /* for actions of stream/; stream NULL: there is none */
};

/* The address that the client connected to; of our connection to the server: ours, and the
 * server's, whose port may follow the one that the client used. They lie in the view, or are
 * written to *memory. NULL: not known. */
const struct addr *view_dst(const struct view *view, struct addr *memory);
const struct addr *view_server_src(const struct view *view, struct addr *memory);
const struct addr *view_server_dst(const struct view *view, struct addr *memory);

/* The numbers for the log: those of the view, or as they are now, in *memory. NULL: there are none.
 */
const struct view_log *view_numbers(const struct view *view, struct view_log *memory);
/* Made of them: when the first byte of the request was there; Tq, Td and Tu, in ms, -1 for what was
 * not reached; is it an error that option dontlog-normal leaves in the log? */
struct timeval view_request_date(const struct view_log *log);
int64_t view_until_head_ms(const struct view_log *log);
int64_t view_data_ms(const struct view *view, const struct view_log *log);
int64_t view_user_ms(const struct view_log *log);
bool view_notable(const struct view *view, const struct view_log *log);

#endif
