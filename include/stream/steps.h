/* SPDX-License-Identifier: BSD-2-Clause */
/* The step table: what happens to a stream, in order. Rows run when a fact changed; bytes flow
 * below them, in the pumps. */
#ifndef STREAM_STEPS_H
#define STREAM_STEPS_H

#include <stdbool.h>

struct stream;

/* What a step says; STEP_GOTO + n: go on with row n. */
enum step_result { STEP_NEXT, STEP_WAIT, STEP_END, STEP_GOTO = 16 };

struct step {
	const char *name;
	int (*run)(struct stream *s);   /* enum step_result */
	bool (*when)(const struct stream *s); /* NULL: always */
};

enum request_step {
	REQ_APPLET, REQ_HEAD, REQ_FRONTEND_RULES, REQ_UPGRADED_HEAD, REQ_FRONTEND_BODY,
	REQ_FRONTEND_HTTP, REQ_SWITCH, REQ_BACKEND_RULES, REQ_BACKEND_HTTP, REQ_BODY,
	 REQ_TOUCHES, REQ_ASSIGN, REQ_QUEUE, REQ_CONNECT, REQ_CONNECTING, REQ_RETRY, REQ_SERVICE, REQ_OPEN, REQ_FORWARD, REQ_STEPS
};
enum response_step {
	RES_HEAD, RES_RULES, RES_HTTP, RES_REPLY, RES_AFTER, RES_OPEN, RES_FORWARD, RES_STEPS
};

extern const struct step request_steps[REQ_STEPS];
/* The server broke off within its answer: the client is told when it has what came before. What
 * the step returns. */
int steps_server_broken(struct stream *s);

extern const struct step response_steps[RES_STEPS];

#endif
