/* SPDX-License-Identifier: BSD-2-Clause */
/* What a check does: a list of steps over connections that they open. The words tcp-check and
 * http-check write such lists, the other options (smtpchk, redis-check ...) and agents have theirs
 * from stock.c. Made while the configuration is read, never changed afterwards; walk_run.c runs
 * them. */
#ifndef CHECK_STEP_H
#define CHECK_STEP_H

#include "base/str.h"
#include "config/config.h"
#include "net/addr.h"

#include <stdbool.h>
#include <stdint.h>

struct expr;
struct logformat;
struct regex;
struct rule_set;
struct step;
struct walk;

enum step_kind {
	STEP_CONNECT, STEP_SEND, STEP_EXPECT,
	STEP_VARIABLE, /* set-var, set-var-fmt, unset-var */
	STEP_COMMENT,
};

struct step_connect {
	uint16_t port;         /* 0: none given */
	struct expr *port_expr;
	struct addr addr;      /* AF_UNSPEC: none given */
	bool as_server;        /* "default", and connections nobody wrote: as the server line
			        * says */
	bool send_proxy, via_socks4;
	bool linger;           /* ends with FIN instead of RST */
	bool ssl;
	struct span sni;       /* in TLS; empty: none given */
	struct span alpn;      /* in the form of the wire; empty: none given */
	uint8_t proto;         /* enum proto; PROTO_UNSET: none given */
};

struct step_send {
	struct span bytes;     /* or: */
	struct logformat *format;
	bool hex;              /* the format writes digits */
	/* or: puts the bytes into *out; false: walk->said tells what is wrong. */
	bool (*build)(struct walk *walk, const struct step *step, struct text *out);
	const struct request_conf *request; /* of http-check send */
};

enum expect_kind {
	EXPECT_STRING, EXPECT_BINARY, EXPECT_REGEX, EXPECT_BINARY_REGEX, EXPECT_STRING_FORMAT,
	EXPECT_BINARY_FORMAT,
	EXPECT_STATUS, EXPECT_STATUS_REGEX, EXPECT_BODY, EXPECT_BODY_REGEX, EXPECT_BODY_FORMAT,
	EXPECT_HEADER,
	EXPECT_CUSTOM, /* of a stock check: judges by itself */
};

enum expect_result {
	EXPECT_YES, EXPECT_NO,
	EXPECT_WAIT,   /* more bytes may decide */
	EXPECT_REPORT, /* walk->status is the result of the check, walk->said its text */
};

struct step_expect {
	enum expect_kind kind;
	bool negated;
	int min_recv;          /* -1: not given; 0: conclusive at once; bytes before it is */
	bool (*whole)(struct span bytes); /* of a stock check: false: only a part has come. NULL:
					   * min_recv */
	struct span data;      /* STRING, BINARY, BODY */
	struct regex *regex;
	struct logformat *format;
	const struct status_range *ranges; /* STATUS; ends with last 0 */
	const struct header_test *header;
	/* last: no more bytes will come. */
	enum expect_result (*custom)(struct walk *walk, struct span bytes, bool last);
	uint8_t ok, error, timeout; /* enum check_status; CHECK_UNKNOWN: the usual one */
	struct logformat *on_success, *on_error;
	struct expr *code;     /* status-code */
};

struct step {
	struct step *next;
	enum step_kind kind;
	unsigned number;       /* as messages count, from 1; 0: nobody wrote it */
	const char *comment;   /* "comment"; NULL: that of the comment in front, if any */
	struct location loc;
	union {
		struct step_connect connect;
		struct step_send send;
		struct step_expect expect;
		struct rule_set *rules; /* STEP_VARIABLE: one rule */
	};
};

struct step_list {
	struct step *first, *last;
	unsigned count;
};

/* Kinds of checks: which option asked for it. */
enum check_type { CHECK_PLAIN, CHECK_TCP, CHECK_HTTP, CHECK_GRPC, CHECK_SMTP, CHECK_SSL, CHECK_MYSQL,
		  CHECK_PGSQL, CHECK_REDIS, CHECK_LDAP, CHECK_SPOP, CHECK_AGENT,
		  CHECK_UDP,
		  CHECK_EXTERNAL /* a command: no steps */ };

struct ruleset {
	enum check_type type;
	struct step *first;
	bool disable_on_404;
	bool datagrams; /* option udp-check: its socket is one for datagrams */
};

/* Are they over HTTP: requests and responses? */
static inline bool ruleset_is_http(const struct ruleset *rules)
{
	return rules && (rules->type == CHECK_HTTP || rules->type == CHECK_GRPC);
}
/* A zeroed step at the end of the list; number: it counts in messages. */
struct step *step_add(struct arena *arena, struct step_list *list, enum step_kind kind);
/* The first step that is neither variable nor comment; NULL: none. */
const struct step *step_first_real(const struct step *first);
/* Where a ruleset begins, for messages: "at step 2 of tcp-check (expect string 'x')". */
void step_say(const struct step *step, const char *comment, struct text *t);
/* What an expect step looks for, as "(regex)". */
void step_say_content(const struct step_expect *expect, struct text *t);

#endif
