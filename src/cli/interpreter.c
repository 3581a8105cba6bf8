/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation: lines are cut into commands at ';' and commands into words; each command is a
 * row that is found by its words and asked for one piece of its answer after the other, when the
 * reader has room for it. The applet end of a stats socket calls this, and so do the unit tests; it
 * never sees a socket.
 *
 * Invariants: at most cli_line_most bytes of input are kept (of a longer line the commands that
 * have come whole are carried out, and make room); nothing is kept of the output; while a command
 * runs no input is taken, so that its words stay where they are; an answer ends with an empty line.
 */
#include "cli/own.h"

#include "base/bug.h"
#include "base/clock.h"
#include "cli/help.h"
#include "cli/modes.h"
#include "cli/question.h"
#include "cli/shared.h"
#include "event/change.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "tally/tally.h"

#include <stdio.h>
#include <stdlib.h>

enum { ANSWER_END = 192 }; /* room for the end of an answer: a sentence, and the prompt */

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
	owner = row->owner && !cli->alone ? row->owner(call) : 0;
	if (owner && owner != segment_own_row) {
		call->asks = owner;
		call->text = NULL;
		return &cli_question_command;
	}
	if (row->flags & CLI_GATHER && !cli->alone && row->follows && row->follows(call))
		return row->flags & CLI_FIRST ? &cli_first_command : &cli_follow_command;
	if (row->flags & CLI_GATHER && !cli->alone && (!row->gathers || row->gathers(call)))
		return row->flags & CLI_NAMED ? &cli_gather_named_command :
		       row->flags & CLI_HEADED ? &cli_gather_headed_command : &cli_gather_command;
	return row;
}

/* What each of several processes would refuse is refused once: the words are read here first. What
 * one of them is asked alone, it alone knows. A head is said here, for all of them. */
static int cli_rehearse(struct cli_call *call, const struct cli_command *row, struct err *err)
{
	char memory[CLI_PIECE + ANSWER_END];
	struct cli_call trial = *call;
	struct text out;
	int rc;

	text_init(&out, memory, sizeof(memory));
	trial.command = row;
	trial.out = &out;
	trial.state = row->state_size ? calloc(1, row->state_size) : NULL;
	if (row->state_size && !trial.state)
		return err_set(err, "Out of memory.");
	rc = row->start ? row->start(&trial, err) : 0;
	if (row->end)
		row->end(&trial);
	free(trial.state);
	if (!rc && row->flags & CLI_HEADED && call->command == &cli_gather_headed_command)
		text_add(call->out, memory, out.len);
	return rc;
}

/* 0: it has begun, or has even ended; -1: err tells why not. */
static int cli_begin_call(struct cli *cli, struct err *err)
{
	struct cli_call *call = &cli->call;
	const struct cli_command *const asked = call->command, *row = asked;

	if (cli_admit(cli, row, err))
		return -1;
	if (!cli->applying)
		row = call->command = cli_place(cli, row);
	if (asked->flags & CLI_GATHER && row != asked && row != &cli_question_command &&
	    cli_rehearse(call, asked, err))
		return -1;
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

/* Nothing between two ';', or behind the last: an answer without text. */
static bool cli_is_empty(const char *text)
{
	return !text[strspn(text, " \t")];
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
	cli->spoke = rc == 0 ? cli_is_empty(text) : call->command != NULL;
	if (rc == 0 && !cli->spoke)
		rc = cli_understand(cli, text, &err);
	if (rc < 0)
		cli_say(call, LOG_L_ERR, "%s", err.text);
	else if (call->command && cli_begin_call(cli, &err)) {
		cli_say(call, LOG_L_ERR, "%s", err.text);
		cli_end_call(cli);
	}
	cli->spoke |= out->len != before;
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

static void cli_say_prompt(const struct cli *cli, struct text *out)
{
	char buf[ANSWER_END];
	unsigned up;

	if (cli->timed) {
		up = (unsigned)((clock_now_ms - global_state->start_ms) / 1000);
		text_printf(out, "[%u:%02u:%02u:%02u]%s", up / 86400, up / 3600 % 24, up / 60 % 60, up % 60,
			    cli_prompt_text ? " " : "");
	}
	text_str(out, cli_prompt_text ? cli_prompt_text(cli, buf, sizeof(buf)) : "> ");
}

/* The parent's socket leaves the empty line out where nothing was said. */
static void cli_say_end(const struct cli *cli, struct text *out)
{
	if (!cli_prompt_text || cli->talk || cli->spoke)
		text_char(out, '\n');
	if (cli->prompt && !cli->silent)
		cli_say_prompt(cli, out);
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
	if (cli->state == CLI_DROPPING && cli->input_ended)
		cli->state = CLI_CLOSED;
	if (cli->state != CLI_READING || cli->pluses)
		return;
	if (cli->in_len == cli_line_most) {
		cli_say(&call, LOG_L_ERR, "Command too long (with its payload more than %zu bytes): it was not "
			"carried out. tune.bufsize sets the limit.", cli_line_most);
		text_char(out, '\n');
		cli_refuse_line(cli);
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
	if (cli->alone)
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
