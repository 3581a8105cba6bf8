/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of a ruleset: from step to step, over the connections that the steps open. Lives from
 * ask_begin to the report. */
#ifndef CHECK_WALK_H
#define CHECK_WALK_H

#include "base/buf.h"
#include "base/str.h"
#include "check/check.h"
#include "check/step.h"
#include "expr/vars.h"

struct h2_call;
struct view;
struct walk_http;

struct walk {
	struct check *check;
	const struct step *step;
	const char *comment;     /* of the comment step in front of the present one */
	bool begun;              /* the present step is under way */
	bool linger;             /* of the connection that is open */
	bool spoke;              /* something was sent over the connection that is open */
	bool tls;                /* it has TLS */
	bool h2;                 /* it speaks HTTP/2 */
	const char *host;        /* the name that the server line has for where it leads to; NULL:
				  * none */
	struct addr to;          /* where it leads to */
	bool ended;              /* nothing more will be received */
	int error;               /* errno when it has ended by an error; 0: by FIN */
	uint8_t method;          /* of the request that was sent: enum method */
	struct buf *in;          /* received since the last send; NULL: nothing */
	struct buf *out;         /* what the present step has written */
	struct span left;        /* what is still to be sent */
	struct vars session_vars, check_vars;
	struct walk_http *http;  /* http.c; NULL: nothing received, or no HTTP */
	struct h2_call *call;    /* the request over HTTP/2; NULL: none */
	/* The result while it is found. */
	enum check_status status;
	int code;
	struct text said;
	char memory[CHECK_SAID_SIZE];
};

/* What expressions of the present step see. */
struct view walk_view(const struct walk *walk);
struct span walk_received(const struct walk *walk);
/* Writes a log format into the walk's second buffer; false: out of memory, the result is set. */
bool walk_format(struct walk *walk, const struct logformat *format, struct text *t);
/* The comment of the present step, or of the comment step in front; NULL: none. */
const char *walk_comment(const struct walk *walk);
/* That behind what is said, if there is one. */
void walk_say_comment(struct walk *walk);
/* Out of memory: nothing that the server could help. */
void walk_set_no_memory(struct walk *walk);
/* The check has failed for this reason; comment: of the present step, to be said behind it. */
void walk_set_failure(struct walk *walk, enum check_status status, const char *said);

/* expect.c: judges what was received. */
enum expect_result expect_bytes(struct walk *walk, const struct step_expect *e, bool last);
/* Two hexadecimal digits a byte, in place. False: other characters, or an odd number. */
bool hex_decode(char *text, size_t *len);

#endif
