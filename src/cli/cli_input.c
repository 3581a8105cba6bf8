/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a conversation reads: bytes become lines, and a line may announce a payload, which comes whole
 * (it ends with an empty line) or is taken line by line by a command that runs (CLI_STREAM).
 */
#include "cli/own.h"

#include "base/wipe.h"
#include "cli/modes.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_FIRST = 256 }; /* first allocation for a line */

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
	cli->pluses += cli->prompt && !cli->silent;
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

/* Where the last command begins that has not come wholly. NULL: the first one has not. */
static char *cli_last_command(char *text, size_t len)
{
	char *last = NULL;

	for (size_t i = 0; i < len; i++)
		if (text[i] == '\\')
			i++;
		else if (text[i] == ';')
			last = text + i;
	return last;
}

/* There is room for no more of this line: the commands that have come go first. */
static void cli_begin_part(struct cli *cli)
{
	char *cut = cli->payload ? NULL : cli_last_command(cli->in, cli->in_len);

	if (!cut)
		return;
	for (char *c = cli->in; c < cut; c++)
		if (!*c)
			*c = ' ';
	*cut = 0;
	cli->part = true;
	cli_begin_line(cli, (size_t)(cut + 1 - cli->in));
}

void cli_scan(struct cli *cli)
{
	while (cli->state == CLI_READING && cli->searched < cli->in_len) {
		char *feed = memchr(cli->in + cli->searched, '\n', cli->in_len - cli->searched);

		if (!feed) {
			cli->searched = cli->in_len;
			if (cli->in_len == cli_line_most)
				cli_begin_part(cli);
			return;
		}
		cli_line_complete(cli, feed);
		cli->pluses += cli->payload && cli->prompt && !cli->silent && !cli->stream;
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
	       !cli->next_command && !cli->part;
}

bool cli_takes(const struct cli *cli)
{
	if (cli_is_reading(cli))
		return cli->in_len < cli->in_size;
	if (cli->stream && cli->state != CLI_CLOSED)
		return cli->in_len < cli->in_size;
	return cli->state == CLI_READING || cli->state == CLI_DROPPING || cli_waits_for_key(cli);
}

void cli_refuse_line(struct cli *cli)
{
	wipe_free(cli->in);
	cli->in = NULL;
	cli->in_len = cli->in_size = 0;
	cli->at_feed = false;
	cli->state = CLI_DROPPING;
}

/* A line ends with a line feed, a payload with an empty line. */
static size_t cli_drop(struct cli *cli, const char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len && cli->state == CLI_DROPPING; i++) {
		if (bytes[i] == '\n' && (!cli->payload || cli->at_feed))
			cli->state = CLI_CLOSED;
		if (bytes[i] != '\r')
			cli->at_feed = bytes[i] == '\n';
	}
	return i;
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
	if (cli->state == CLI_DROPPING)
		return cli_drop(cli, bytes, len);
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

void cli_end_line(struct cli *cli)
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
	cli->state = cli->prompt || rest || cli->part ? CLI_READING : CLI_CLOSED;
	cli->part = false;
	cli_scan(cli);
}

/* -- what follows the line ------------------------------------------------------------------- */

bool cli_read(const struct cli_call *call, const char **bytes, size_t *len)
{
	const struct cli *cli = call->cli;

	*bytes = cli->in + cli->line_end;
	*len = cli->next_command || cli->part ? 0 : cli->in_len - cli->line_end;
	return *len || cli->input_ended || cli->next_command || cli->part ||
	       cli->in_len == cli->in_size;
}

void cli_read_taken(struct cli_call *call, size_t n)
{
	struct cli *cli = call->cli;
	size_t rest = wipe_move(cli->in + cli->line_end, n, cli->in_len - cli->line_end);

	cli->in_len = cli->line_end + rest;
}

/* -- payloads that are streams --------------------------------------------------------------- */

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
		return cli->in_len < cli->in_size ? CLI_PAYLOAD_CUT : CLI_PAYLOAD_LONG;
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
		cli->pluses += cli->prompt && !cli->silent;
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

	if (got == CLI_PAYLOAD_CUT || got == CLI_PAYLOAD_LONG) { /* nothing that follows could be understood */
		cli->stream = false;
		cli->input_ended = true;
		cli->line_end = cli->in_len;
	}
	return got;
}

void cli_forget_taken(struct cli *cli)
{
	size_t rest;

	if (!cli->stream || cli->unread == cli->payload)
		return;
	rest = wipe_move(cli->in + cli->payload, cli->unread - cli->payload,
			 cli->in_len - cli->payload);
	cli->in_len = cli->payload + rest;
	cli->unread = cli->payload;
}

void cli_drop_stream(struct cli *cli)
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
