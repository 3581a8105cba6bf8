/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation: lines are cut into commands at ';' and commands into words; each command
 * is a row that is found by its words and asked for one piece of its answer after the other,
 * when the reader has room for it. The applet end of a stats socket calls this, and so do the
 * unit tests; it never sees a socket.
 *
 * Invariants: at most cli_line_most bytes of input are kept; nothing is kept of the output; while a
 * command runs no input is taken, so that its words stay where they are; an answer ends with
 * an empty line.
 */
#include "cli/cli.h"

#include "base/bug.h"
#include "base/wipe.h"
#include "cli/command.h"
#include "cli/cut.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/session.h"
#include "cli/shared.h"
#include "event/change.h"
#include "expr/view.h"
#include "proxy/tally.h"
#include "share/segment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	LINE_FIRST = 256,       /* first allocation for it */
	ANSWER_END = 192,       /* room for the end of an answer: a sentence, and the prompt */
};

enum cli_state {
	CLI_READING, /* until a line, and the payload that it announces, are complete */
	CLI_BETWEEN, /* the next command of the line is to be started */
	CLI_RUNNING, /* a command has more to say */
	CLI_CLOSED,
};

struct cli {
	enum cli_state state;
	int level, severity;
	unsigned modes;      /* CLI_EXPERT, CLI_EXPERIMENTAL */
	unsigned timeout_ms; /* 0: as configured */
	bool prompt, input_ended, waiting, key_pressed;
	bool applying; /* there is no peer: cli_apply */
	bool talk;     /* the peer is another process of the service */
	bool spoke;    /* the running command has said something */
	unsigned target; /* row that commands without prefix go to; 0: this process */
	int target_pid;

	char *in;         /* input that was not carried out yet */
	size_t in_size, in_len;
	size_t line_start; /* offset of the line that is being read */
	size_t searched;  /* up to here that line has no line feed */
	size_t payload;   /* offset of the payload; 0: the line announced none */
	size_t line_end;  /* offset of what follows the line and its payload */
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

size_t cli_line_most = CLI_LINE_LEAST;
int (*cli_route)(struct cli_call *call, char **text, struct err *err);
const char *(*cli_prompt_text)(const struct cli *cli, char *buf, size_t size);
const struct tables *cli_conversation_tables = &cli_tables;

struct cli *cli_new(int level, int severity)
{
	struct cli *cli = calloc(1, sizeof(*cli));

	if (!cli)
		return NULL;
	cli->level = level;
	cli->severity = severity;
	return cli;
}

void cli_on_socket(struct cli *cli, int (*socket)(void *arg))
{
	cli->socket = socket;
}

int cli_socket(const struct cli *cli)
{
	return cli->socket ? cli->socket(cli->wake_arg) : -1;
}

void cli_on_view(struct cli *cli, void (*fill)(void *arg, struct view *view))
{
	cli->view = fill;
}

void cli_view(const struct cli *cli, struct view *view)
{
	memset(view, 0, sizeof(*view));
	if (cli->view)
		cli->view(cli->wake_arg, view);
}

static void cli_end_call(struct cli *cli)
{
	struct cli_call *call = &cli->call;

	if (call->command && call->command->end)
		call->command->end(call);
	free(call->state);
	*call = (struct cli_call){ .cli = cli };
	cli->waiting = cli->key_pressed = false;
}

void cli_free(struct cli **clip)
{
	struct cli *cli = *clip;

	if (!cli)
		return;
	*clip = NULL;
	cli_end_call(cli);
	wipe_free(cli->in);
	free(cli);
}

static void cli_drop_stream(struct cli *cli);
static void cli_forget_taken(struct cli *cli);

/* -- input ----------------------------------------------------------------------------------- */

static bool cli_grow_input(struct cli *cli, size_t wanted)
{
	size_t size = cli->in_size ? cli->in_size : LINE_FIRST;
	char *in;

	if (wanted > cli_line_most)
		wanted = cli_line_most;
	while (size < wanted)
		size *= 2;
	if (size > cli_line_most)
		size = cli_line_most;
	if (size == cli->in_size)
		return true;
	in = wipe_resize(cli->in, cli->in_len, size);
	if (!in)
		return cli->in_size > cli->in_len;
	cli->in = in;
	cli->in_size = size;
	return true;
}

/* "<<" as the last word announces a payload. Cuts it off. */
static bool cli_wants_payload(char *line, size_t len)
{
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	if (len < 2 || memcmp(line + len - 2, "<<", 2) || (len > 2 && !strchr(" \t", line[len - 3])))
		return false;
	line[len - 2] = 0;
	return true;
}

static void cli_begin_line(struct cli *cli, size_t end)
{
	cli->line_end = end;
	cli->next_command = cli->in;
	cli->payload_text = NULL;
	if (cli->payload && !cli->stream)
		cli->payload_text = cli->in + cli->payload;
	cli->payload = 0;
	cli->state = CLI_BETWEEN;
}

/* The last command of the line; NULL: it is not known. */
static const struct cli_command *cli_last_row(const struct cli *cli, const char *line)
{
	const struct cli_command *row = NULL;
	char *copy = strdup(line), *at, *next, *words[CLI_WORDS_MAX + 1];
	int matched;

	if (!copy)
		return NULL;
	for (at = copy; (next = cli_cut_command(at)); at = next)
		;
	if (cli_cut_words(at, words) > 0)
		row = cli_find(cli->talk ? &cli_tables : cli_conversation_tables, words, &matched);
	wipe_free(copy);
	return row;
}

/* The words of the line stay where they are: nothing is moved in front of the payload. */
static void cli_begin_stream(struct cli *cli, size_t payload)
{
	if (!cli_grow_input(cli, cli_line_most) || cli->in_size < cli_line_most)
		return; /* out of memory: as other payloads */
	cli->stream = true;
	cli->pluses += cli->prompt;
	cli->unread = payload;
	cli_begin_line(cli, payload);
	cli->payload = payload;
}

/* The line [line_start, feed) is complete: text of a command line, or a line of the payload. */
static void cli_line_complete(struct cli *cli, char *feed)
{
	char *start = cli->in + cli->line_start;
	size_t len = (size_t)(feed - start), next = (size_t)(feed + 1 - cli->in);
	const struct cli_command *row;

	if (len && start[len - 1] == '\r')
		len--;
	cli->line_start = cli->searched = next;
	if (cli->payload) {
		if (len)
			return;
		*start = 0;
		cli_begin_line(cli, next);
		return;
	}
	start[len] = 0;
	for (size_t i = 0; i < len; i++)
		if (!start[i])
			start[i] = ' ';
	if (!cli_wants_payload(start, len)) {
		row = cli_last_row(cli, start);
		if (row && row->flags & CLI_READS) /* while it runs, words stay where they are */
			cli_grow_input(cli, cli_line_most);
		cli_begin_line(cli, next);
		return;
	}
	row = cli_last_row(cli, start); /* without "<<" */
	cli->payload = next;
	if (row && row->flags & CLI_STREAM)
		cli_begin_stream(cli, next);
}

/* Looks for the end of the line, then of the payload that it announces: an empty line. */
static void cli_scan(struct cli *cli)
{
	while (cli->state == CLI_READING && cli->searched < cli->in_len) {
		char *feed = memchr(cli->in + cli->searched, '\n', cli->in_len - cli->searched);

		if (!feed) {
			cli->searched = cli->in_len;
			return;
		}
		cli_line_complete(cli, feed);
		cli->pluses += cli->payload && cli->prompt && !cli->stream;
	}
}

static bool cli_waits_for_key(const struct cli *cli)
{
	return cli->waiting && cli->call.command && cli->call.command->flags & CLI_KEY;
}

bool cli_busy(const struct cli *cli)
{
	const unsigned peer = CLI_KEY | CLI_READS | CLI_STREAM;

	return cli->waiting && cli->call.command && !(cli->call.command->flags & peer);
}

static bool cli_is_reading(const struct cli *cli)
{
	return cli->state == CLI_RUNNING && cli->call.command && cli->call.command->flags & CLI_READS &&
	       !cli->next_command;
}

bool cli_takes(const struct cli *cli)
{
	if (cli_is_reading(cli))
		return cli->in_len < cli->in_size;
	if (cli->stream && cli->state != CLI_CLOSED)
		return cli->in_len < cli->in_size;
	return cli->state == CLI_READING || cli_waits_for_key(cli);
}

size_t cli_input(struct cli *cli, const char *bytes, size_t len)
{
	size_t room;

	if (cli_waits_for_key(cli) && len) {
		cli->key_pressed = true;
		return len;
	}
	if (!cli_takes(cli) || !len)
		return 0;
	if (!cli->stream && !cli_is_reading(cli) && !cli_grow_input(cli, cli->in_len + len)) {
		cli->state = CLI_CLOSED;
		return 0;
	}
	room = cli->in_size - cli->in_len;
	if (len > room)
		len = room;
	memcpy(cli->in + cli->in_len, bytes, len);
	cli->in_len += len;
	if (!cli->stream)
		cli_scan(cli);
	else if (cli->state == CLI_READING)
		cli_drop_stream(cli);
	return len;
}

void cli_input_end(struct cli *cli)
{
	cli->input_ended = true;
	if (cli->waiting)
		cli->key_pressed = true;
}

/* -- commands -------------------------------------------------------------------------------- */

const char *cli_arg(const struct cli_call *call, int i)
{
	return i < call->argc ? call->argv[i] : "";
}

void cli_say(struct cli_call *call, enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "emerg", "alert", "crit", "err",
					     "warning", "notice", "info", "debug" };
	va_list ap;

	if (call->cli->severity == CLI_SEVERITY_NUMBER)
		text_printf(call->out, "[%d]: ", (int)level);
	else if (call->cli->severity == CLI_SEVERITY_STRING)
		text_printf(call->out, "[%s]: ", names[level]);
	va_start(ap, fmt);
	text_vprintf(call->out, fmt, ap);
	va_end(ap);
	text_char(call->out, '\n');
}

/* May it be used here? 0, or -1 and what to tell. */
static int cli_admit(const struct cli *cli, const struct cli_command *row, struct err *err)
{
	if (cli->level < row->level)
		return err_set(err, "Permission denied");
	if (row->flags & CLI_LATER)
		return err_set(err, "'%s' is not supported yet.", row->words);
	if (row->flags & CLI_EXPERT & ~cli->modes)
		return err_set(err, "This command is restricted to expert mode only.");
	if (row->flags & CLI_EXPERIMENTAL & ~cli->modes)
		return err_set(err, "This command is restricted to experimental mode only.");
	return 0;
}

/* What carries the command out where it belongs: here, in another process, or in all. One that
 * changes something is never carried out inside of the conversation, which is a pump at work. */
static const struct cli_command *cli_place(struct cli *cli, const struct cli_command *row)
{
	struct cli_call *call = &cli->call;
	unsigned owner;

	if (row->flags & CLI_SHARED)
		return &cli_shared_command;
	if (!change_is_shared())
		return row;
	owner = row->owner && !cli->talk ? row->owner(call) : 0;
	if (owner && owner != segment_own_row) {
		call->asks = owner;
		call->text = NULL;
		return &cli_question_command;
	}
	if (row->flags & CLI_GATHER && !cli->talk && row->follows && row->follows(call))
		return row->flags & CLI_FIRST ? &cli_first_command : &cli_follow_command;
	if (row->flags & CLI_GATHER && !cli->talk && (!row->gathers || row->gathers(call)))
		return row->flags & CLI_NAMED ? &cli_gather_named_command : &cli_gather_command;
	return row;
}

/* 0: it has begun, or has even ended; -1: err tells why not. */
static int cli_begin_call(struct cli *cli, struct err *err)
{
	struct cli_call *call = &cli->call;
	const struct cli_command *row = call->command;

	if (cli_admit(cli, row, err))
		return -1;
	if (!cli->applying)
		row = call->command = cli_place(cli, row);
	if (row->state_size) {
		call->state = calloc(1, row->state_size);
		if (!call->state)
			return err_set(err, "Out of memory.");
	}
	return row->start ? row->start(call, err) : 0;
}

/* Cuts the command into words and finds its row. 0, or -1 and err. */
static int cli_understand(struct cli *cli, char *text, struct err *err)
{
	struct cli_call *call = &cli->call;
	int n, matched;

	call->text = text;
	n = cli_cut_words(text, cli->words);
	if (n < 0)
		return err_set(err, "Too many words (at most %d).", CLI_WORDS_MAX);
	call->command = cli_find(cli->talk ? &cli_tables : cli_conversation_tables, cli->words,
				 &matched);
	if (!call->command)
		call->command = &cli_help_unknown;
	call->words = cli->words;
	call->argc = n - matched;
	call->argv = cli->words + matched;
	return 0;
}

/* Starts the next command of the line; an unknown one becomes a call for help. */
static void cli_start(struct cli *cli, struct text *out)
{
	struct cli_call *call = &cli->call;
	char *text = cli->next_command;
	struct err err = { "" };
	size_t before = out->len;
	int rc = 0;

	*call = (struct cli_call){ .cli = cli, .out = out };
	cli->next_command = cli_cut_command(text);
	cli->state = CLI_RUNNING;
	if (!cli->next_command)
		call->payload = cli->payload_text;
	if (cli_route && !cli->talk)
		rc = cli_route(call, &text, &err);
	if (rc == 0)
		rc = cli_understand(cli, text, &err);
	if (rc < 0)
		cli_say(call, LOG_L_ERR, "%s", err.text);
	else if (call->command && cli_begin_call(cli, &err)) {
		cli_say(call, LOG_L_ERR, "%s", err.text);
		cli_end_call(cli);
	}
	cli->spoke = out->len != before;
}

int cli_apply(int level, int severity, char **words, const char *payload, struct text *said,
	      struct err *err)
{
	struct cli cli = { .level = level, .severity = severity, .applying = true,
			   .modes = CLI_EXPERT | CLI_EXPERIMENTAL, .state = CLI_RUNNING };
	struct cli_call *call = &cli.call;
	int n = 0, matched, rc;

	*call = (struct cli_call){ .cli = &cli, .out = said, .words = words, .payload = payload };
	while (words[n])
		n++;
	call->command = cli_find(&cli_tables, words, &matched);
	if (!call->command || !(call->command->flags & CLI_SHARED))
		return err_set(err, "there is no such command here");
	call->argc = n - matched;
	call->argv = words + matched;
	rc = cli_begin_call(&cli, err);
	cli_end_call(&cli);
	return rc;
}

/* The line was carried out: what follows it moves to the front. */
static void cli_end_line(struct cli *cli)
{
	size_t rest = wipe_move(cli->in, cli->line_end, cli->in_len);

	cli->payload = 0;
	cli->in_len = rest;
	cli->line_start = cli->searched = 0;
	cli->payload_text = NULL;
	if (!rest) {
		wipe_free(cli->in);
		cli->in = NULL;
		cli->in_size = 0;
	}
	cli->state = cli->prompt || rest ? CLI_READING : CLI_CLOSED;
	cli_scan(cli);
}

/* The parent's socket leaves the empty line out where nothing was said. */
static void cli_say_end(const struct cli *cli, struct text *out)
{
	char buf[ANSWER_END];

	if (!cli_prompt_text || cli->talk || cli->spoke)
		text_char(out, '\n');
	if (cli->prompt)
		text_str(out, cli_prompt_text ? cli_prompt_text(cli, buf, sizeof(buf)) : "> ");
}

/* The command has said all: an empty line, and the prompt if there is one. */
static void cli_end_answer(struct cli *cli, struct text *out)
{
	cli_end_call(cli);
	if (cli->state == CLI_CLOSED)
		return; /* quit */
	cli_say_end(cli, out);
	if (cli->next_command)
		cli->state = CLI_BETWEEN;
	else if (cli->stream)
		cli_drop_stream(cli);
	else
		cli_end_line(cli);
}

/* One piece more of the running command's answer. false: it waits. */
static bool cli_continue(struct cli *cli, struct text *out)
{
	struct cli_call *call = &cli->call;
	enum cli_step step = CLI_END;
	size_t before = out->len;

	call->out = out;
	if (call->command && call->command->next && cli->state == CLI_RUNNING)
		step = call->command->next(call);
	call->resumed = false;
	cli_forget_taken(cli);
	cli->spoke |= out->len != before;
	cli->waiting = step == CLI_WAIT;
	if (step == CLI_END)
		cli_end_answer(cli, out);
	return !cli->waiting;
}

static size_t cli_room(const struct text *out)
{
	return out->size - 1 - out->len;
}

/* Prompts for the payload; input that will never make a line ends the conversation. */
static void cli_read_on(struct cli *cli, struct text *out)
{
	struct cli_call call = { .cli = cli, .out = out };

	for (; cli->pluses && cli_room(out) > ANSWER_END; cli->pluses--)
		text_str(out, "+ ");
	if (cli->state != CLI_READING || cli->pluses)
		return;
	if (cli->in_len == cli_line_most) {
		cli_say(&call, LOG_L_ERR, "Line too long (with its payload more than %zu bytes): nothing was "
			"done. tune.bufsize sets the limit.", cli_line_most);
		text_char(out, '\n');
		cli->state = CLI_CLOSED;
	} else if (cli->input_ended) {
		cli->state = CLI_CLOSED;
	}
}

size_t cli_output(struct cli *cli, char *buf, size_t size)
{
	struct text out;

	BUG_ON(size < CLI_OUTPUT_MIN);
	text_init(&out, buf, size);
	cli->call.resumed = true;
	if (cli->talk)
		tally_shown_row = (int)segment_own_row; /* "@2 show stat": what worker 2 has
							 * counted */
	while (cli_room(&out) > CLI_PIECE + ANSWER_END) {
		cli_read_on(cli, &out);
		if (cli->pluses)
			continue;
		if (cli->state == CLI_BETWEEN)
			cli_start(cli, &out);
		else if (cli->state != CLI_RUNNING || !cli_continue(cli, &out))
			break;
	}
	BUG_ON(out.cut);
	tally_shown_row = -1;
	cli->call.out = NULL;
	return out.len;
}

bool cli_done(const struct cli *cli)
{
	return cli->state == CLI_CLOSED;
}

bool cli_idle(const struct cli *cli)
{
	return cli->state == CLI_READING && !cli->pluses;
}

/* -- what follows the line ---------------------------------------------------------------------- */

bool cli_read(const struct cli_call *call, const char **bytes, size_t *len)
{
	const struct cli *cli = call->cli;

	*bytes = cli->in + cli->line_end;
	*len = cli->next_command ? 0 : cli->in_len - cli->line_end;
	return *len || cli->input_ended || cli->next_command || cli->in_len == cli->in_size;
}

void cli_read_taken(struct cli_call *call, size_t n)
{
	struct cli *cli = call->cli;
	size_t rest = wipe_move(cli->in + cli->line_end, n, cli->in_len - cli->line_end);

	cli->in_len = cli->line_end + rest;
}

/* -- payloads that are streams ----------------------------------------------------------------- */

bool cli_payload_comes(const struct cli_call *call)
{
	return call->cli->stream && !call->cli->next_command;
}

static enum cli_payload cli_stream_line(struct cli *cli, char **line)
{
	char *start = cli->in + cli->unread, *feed;
	size_t len;

	if (!cli->stream)
		return CLI_PAYLOAD_END;
	feed = memchr(start, '\n', cli->in_len - cli->unread);
	if (!feed && !cli->input_ended && (cli->unread > cli->payload || cli->in_len < cli->in_size))
		return CLI_PAYLOAD_NONE;
	if (!feed)
		return CLI_PAYLOAD_CUT;
	cli->unread = (size_t)(feed + 1 - cli->in);
	len = (size_t)(feed - start);
	if (len && start[len - 1] == '\r')
		len--;
	start[len] = 0;
	for (size_t i = 0; i < len; i++)
		if (!start[i])
			start[i] = ' ';
	*line = start;
	if (len) {
		cli->pluses += cli->prompt;
		return CLI_PAYLOAD_LINE;
	}
	cli->stream = false;
	cli->line_end = cli->unread;
	return CLI_PAYLOAD_END;
}

enum cli_payload cli_payload_line(struct cli_call *call, char **line)
{
	struct cli *cli = call->cli;
	enum cli_payload got = cli_stream_line(cli, line);

	if (got == CLI_PAYLOAD_CUT) { /* nothing that follows could be understood */
		cli->stream = false;
		cli->input_ended = true;
		cli->line_end = cli->in_len;
	}
	return got;
}

/* Lines that were taken make room. */
static void cli_forget_taken(struct cli *cli)
{
	size_t rest;

	if (!cli->stream || cli->unread == cli->payload)
		return;
	rest = wipe_move(cli->in + cli->payload, cli->unread - cli->payload,
			 cli->in_len - cli->payload);
	cli->in_len = cli->payload + rest;
	cli->unread = cli->payload;
}

/* The command has ended without it: it is read to its end. */
static void cli_drop_stream(struct cli *cli)
{
	struct cli_call call = { .cli = cli };
	enum cli_payload got;
	char *line;

	cli->state = CLI_READING;
	do {
		got = cli_payload_line(&call, &line);
	} while (got == CLI_PAYLOAD_LINE);
	if (got == CLI_PAYLOAD_NONE)
		cli_forget_taken(cli);
	else
		cli_end_line(cli);
}

/* -- what commands do to the conversation ---------------------------------------------------- */

bool cli_is_clean(const struct cli *cli)
{
	return cli_idle(cli) && !cli->in_len && !cli->input_ended && !cli->target;
}

void cli_to_text(const struct cli *cli, char *buf, size_t size)
{
	snprintf(buf, size, "%d %d %u %u %d %d", cli->level, cli->severity, cli->modes, cli->timeout_ms,
		 cli->prompt, cli->talk);
}

struct cli *cli_from_text(const char *text)
{
	int level, severity, prompt, talk;
	unsigned modes, timeout_ms;
	struct cli *cli;

	if (sscanf(text, "%d %d %u %u %d %d", &level, &severity, &modes, &timeout_ms, &prompt,
		   &talk) != 6)
		return NULL;
	cli = cli_new(level, severity);
	if (!cli)
		return NULL;
	cli->modes = modes;
	cli->timeout_ms = timeout_ms;
	cli->prompt = prompt;
	cli->talk = talk;
	return cli;
}

int cli_level(const struct cli *cli)
{
	return cli->level;
}

void cli_lower_level(struct cli *cli, int level)
{
	if (level < cli->level)
		cli->level = level;
	cli->modes = 0;
}

bool cli_mode(const struct cli *cli, unsigned mode)
{
	return cli->modes & mode;
}

void cli_set_mode(struct cli *cli, unsigned mode, bool on)
{
	cli->modes = on ? cli->modes | mode : cli->modes & ~mode;
}

int cli_severity(const struct cli *cli)
{
	return cli->severity;
}

void cli_set_severity(struct cli *cli, int severity)
{
	cli->severity = severity;
}

void cli_set_timeout(struct cli *cli, unsigned ms)
{
	cli->timeout_ms = ms;
}

unsigned cli_timeout(const struct cli *cli)
{
	return cli->timeout_ms;
}

void cli_toggle_prompt(struct cli *cli)
{
	if (!cli->talk) /* who asks waits for the end of it */
		cli->prompt = !cli->prompt;
}

void cli_quit(struct cli *cli)
{
	cli->state = CLI_CLOSED;
}

void cli_set_target(struct cli *cli, unsigned row, int pid)
{
	cli->target = row;
	cli->target_pid = pid;
}

unsigned cli_target(const struct cli *cli)
{
	return cli->target;
}

int cli_target_pid(const struct cli *cli)
{
	return cli->target_pid;
}

void cli_make_talk(struct cli *cli)
{
	cli->talk = true;
}

void cli_on_wake(struct cli *cli, void (*wake)(void *arg), void *arg)
{
	cli->wake = wake;
	cli->wake_arg = arg;
}

void cli_wake(struct cli *cli)
{
	if (cli->wake)
		cli->wake(cli->wake_arg);
}

bool cli_key_pressed(const struct cli *cli)
{
	return cli->key_pressed;
}
