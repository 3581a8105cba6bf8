/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking other processes of the service what they would say to a command. */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "cli/command.h"
#include "event/timer.h"

struct question_socket;

/* One question to one process; lives in the state of a command. */
struct question {
	struct cli_call *call; /* during begin and next */
	struct cli *cli;
	struct question_socket *link; /* NULL: not connected */
	unsigned ticket;       /* 0: not waiting for the connection */
	char *text;            /* to be sent */
	bool opened, ended;
	bool silent;           /* it hangs: nothing more is expected of it */
	bool held;             /* a line feed that may be the end of the answer */
	bool beheaded;         /* its first line is still to come, and is left out */
	unsigned row;
	uint64_t turns;        /* of its loop, when it was last heard of */
	struct timer patience;
	char error[128];
};

/* Asks the process of this row with the rights of this conversation: text is a command without
 * line feed, payload may be NULL. 0, or -1 and err. */
int question_begin(struct question *q, struct cli_call *call, unsigned row, const char *text,
	      const char *payload, struct err *err);
/* The next piece of the answer into call->out; CLI_END: that was all (the empty line at its end is
 * left out). */
enum cli_step question_next(struct question *q, struct cli_call *call);
void question_end(struct question *q);

/* Stands in for a command that another process is to carry out: call->asks. It is sent as
 * call->text, or, if that is NULL, as call->words. */
extern const struct cli_command cli_question_command;
/* Stands in for a row with CLI_GATHER where there are several processes: asks each. */
extern const struct cli_command cli_gather_command, cli_gather_named_command;
/* For one with CLI_HEADED: each begins with a head, and none is passed on. */
extern const struct cli_command cli_gather_headed_command;
/* The same for answers that go on: line by line, as they come, also of processes that begin
 * later. */
extern const struct cli_command cli_follow_command;
/* And for what the first worker tells (CLI_FIRST). */
extern const struct cli_command cli_first_command;

#endif
