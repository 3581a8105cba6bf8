/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the stats socket are rows: words, who may, what is done. Files of cli/ bring
 * tables of them; interpreter.c knows none by name. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/err.h"
#include "base/kind.h"
#include "base/str.h"
#include "cli/cli.h"
#include "log/log.h"
#include "net/listener.h"

#include <stdbool.h>

struct cli;
struct cli_command;
struct tables;

/* A command being carried out. */
struct cli_call {
	struct cli *cli;
	const struct cli_command *command;
	const char *text;    /* the command as it came, before it was cut into words */
	char **words;        /* all words, its own first; NULL-terminated, like argv */
	int argc;            /* words behind those of the command */
	char **argv;         /* argv[argc] is NULL; they live until the command has ended */
	unsigned asks;       /* cli_question_command: the row of who is asked */
	bool asks_service;   /* and it is to answer for all */
	const char *payload; /* what came behind "<<", lines ended by \n; NULL: none */
	bool resumed;        /* first call of next since other things may have run */
	struct text *out;    /* where start and next write: at most CLI_PIECE bytes a call */
	void *state;         /* command->state_size zeroed bytes, or NULL */
};

/* Most that one call of start or next may write. */
enum { CLI_PIECE = 8192 };

enum cli_step {
	CLI_END,  /* all was said */
	CLI_MORE, /* call next again when there is room */
	CLI_WAIT, /* nothing to say now: call next again after cli_wake */
};

enum { CLI_EXPERT = 1 << 0,       /* in expert mode only, and not in the list of help */
       CLI_EXPERIMENTAL = 1 << 1, /* in experimental mode only */
       CLI_HIDDEN = 1 << 2,       /* not in the list of help */
       CLI_LAST = 1 << 3,         /* help shows it behind the others, always */
       CLI_LATER = 1 << 4,        /* known, but not supported yet */
       CLI_SHARED = 1 << 5,       /* changes something that all processes have alike: goes through
				   * the ordered log. Has said everything when start returns */
       CLI_GATHER = 1 << 6,       /* shows what each process has of its own: all are asked */
       CLI_NAMED = 1 << 7,        /* and what each says stands below a line with its name */
       CLI_KEY = 1 << 8,          /* while it waits, any input ends it */
       CLI_STREAM = 1 << 9,       /* its payload is taken line by line: cli_payload_line */
       CLI_READS = 1 << 10,       /* it reads what follows its line, as it comes: cli_read */
       CLI_FIRST = 1 << 11,       /* CLI_GATHER with follows: the workers say one line each, which is
				   * shown once, and wait; the first that says more ends it for all */
       CLI_HEADED = 1 << 12,      /* CLI_GATHER: what start says is one line about all processes,
				   * said once in front of what they say */
};

struct cli_command {
	const char *words; /* "show servers state"; the longest row that matches is taken */
	const char *args;  /* as help shows them: "[<backend>]"; NULL: none */
	int level;         /* LEVEL_* that may use it */
	unsigned flags;    /* CLI_* */
	/* Reads the arguments and, when it is short, says everything. 0; or -1 and a sentence in
	 * err that is shown to the user (the command has ended then). NULL: nothing to do. */
	int (*start)(struct cli_call *call, struct err *err);
	/* Says the next piece. Between two calls anything may have happened to the objects that
	 * are shown, if call->resumed says so: keep numbers or scans that survive it, not
	 * pointers. NULL: start has said everything. */
	enum cli_step (*next)(struct cli_call *call);
	/* Gives back what the state holds, also when the peer has gone. May be NULL. */
	void (*end)(struct cli_call *call);
	size_t state_size; /* CLI_STATE says it */
	KIND_ROW_MEMBER
	/* The row of the process (share/segment.h) that has what the arguments speak of: it alone
	 * is asked. 0: this is the place. NULL: always here. */
	unsigned (*owner)(const struct cli_call *call);
	/* CLI_GATHER: does it with these arguments? NULL: always. */
	bool (*gathers)(const struct cli_call *call);
	/* CLI_GATHER: does it go on for ever with these arguments, so that all are asked at once?
	 * NULL: never. */
	bool (*follows)(const struct cli_call *call);
	const char *help; /* one line */
};

/* In a row: its calls have a state of that type, zeroed at first. */
#define CLI_STATE(type) KIND_ROW(type) .state_size = sizeof(type)
/* The state of a call, of the type that its row has said. NULL: it was not made. */
#define CLI_STATE_OF(type, call) KIND_OF_ROW(type, (call)->command, (call)->state)

/* A sentence as an answer, with its severity in front if the user wants that. */
void cli_say(struct cli_call *call, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* CLI_STREAM, during start: was a payload announced? */
bool cli_payload_comes(const struct cli_call *call);
/* CLI_STREAM, during next: the next line of the payload, without its end, which may be written to
 * until next returns. NONE: it has not come yet, and next is called when more comes; END: the
 * payload was complete; CUT: the peer sends no more; LONG: a line that is longer than tune.bufsize,
 * nothing comes behind either. What is not taken when the command ends is read and dropped. */
enum cli_payload { CLI_PAYLOAD_LINE, CLI_PAYLOAD_NONE, CLI_PAYLOAD_END, CLI_PAYLOAD_CUT,
		   CLI_PAYLOAD_LONG };
enum cli_payload cli_payload_line(struct cli_call *call, char **line);

/* CLI_READS, during next: what has come behind the line, and was not taken yet. False: nothing, and
 * next is called when more comes; true with *len 0: nothing comes any more, or the line has further
 * commands, which come first. What is not taken is what the conversation reads next. */
bool cli_read(const struct cli_call *call, const char **bytes, size_t *len);
void cli_read_taken(struct cli_call *call, size_t n);

/* Argument i, or "" where there is none. */
const char *cli_arg(const struct cli_call *call, int i);

/* Tables of struct cli_command (base/tables.h). */
extern struct tables cli_tables;
/* Those of conversations of this process: cli_tables, but for the parent's socket. */
extern const struct tables *cli_conversation_tables;
/* Adds a table, which ends with a row without words and stays for the life of the process. 0; or -1
 * and err: words are there already (unless as CLI_LATER), or there is no room. */
int cli_add_commands(const struct cli_command *table, struct err *err);

#endif
