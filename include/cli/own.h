/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversation, for the files that make it: interpreter.c, cli_input.c and cli_state.c alone. */
#ifndef CLI_OWN_H
#define CLI_OWN_H

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/cut.h"

#include <stdbool.h>
#include <stddef.h>

struct view;

enum cli_state {
	CLI_READING, /* until a line, and the payload that it announces, are complete */
	CLI_BETWEEN, /* the next command of the line is to be started */
	CLI_RUNNING, /* a command has more to say */
	CLI_DROPPING, /* the line was refused: read to its end, so that the peer reads why */
	CLI_CLOSED,
};

struct cli {
	enum cli_state state;
	int level, severity;
	unsigned modes;      /* CLI_EXPERT, CLI_EXPERIMENTAL */
	unsigned timeout_ms; /* 0: as configured */
	bool prompt, input_ended, waiting, key_pressed;
	bool silent; /* prompt, but none is shown: the connection just stays */
	bool timed;  /* the prompt tells for how long this process has served */
	bool applying; /* there is no peer: cli_apply */
	bool talk;     /* the peer is another process of the service */
	bool alone;    /* which wants to know of this one alone */
	bool spoke;    /* the running command has said something, or ends with an empty line anyway */
	unsigned target; /* row that commands without prefix go to; 0: this process */
	bool target_is_service; /* and that answers for all */
	int target_pid;

	char *in;         /* input that was not carried out yet */
	size_t in_size, in_len;
	size_t line_start; /* offset of the line that is being read */
	size_t searched;  /* up to here that line has no line feed */
	size_t payload;   /* offset of the payload; 0: the line announced none */
	size_t line_end;  /* offset of what follows the line and its payload */
	bool part;        /* the line has further commands, which did not fit */
	bool at_feed;     /* CLI_DROPPING: the last byte was a line feed */
	size_t pluses;    /* payload prompts that are to be shown */
	bool stream;      /* CLI_STREAM: the payload is being taken from here on ... */
	size_t unread;    /* ... of which this is the first line that was not taken */
	char *next_command; /* in the line; NULL: it was the last */
	char *payload_text; /* NULL: none */

	char *words[CLI_WORDS_MAX + 1];
	struct cli_call call;

	void (*wake)(void *arg);
	void *wake_arg;
	int (*socket)(void *arg); /* NULL: nothing can be passed */
	void (*view)(void *arg, struct view *view); /* NULL: there is no stream */
};

/* cli_state.c: the command has ended, or has never begun: gives back what its state holds. */
void cli_end_call(struct cli *cli);

/* Looks through what has come for the end of the line, then of the payload that it announces. */
void cli_scan(struct cli *cli);

/* The line was carried out: what follows it moves to the front, and is looked through. */
void cli_end_line(struct cli *cli);

/* What is there, and what comes of the line and its payload, is dropped; then it is done. */
void cli_refuse_line(struct cli *cli);

/* Lines of a payload that were taken make room for others. */
void cli_forget_taken(struct cli *cli);

/* The command has ended without the payload that comes: that is read to its end. */
void cli_drop_stream(struct cli *cli);

#endif
