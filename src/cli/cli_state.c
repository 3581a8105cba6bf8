/* SPDX-License-Identifier: BSD-2-Clause */
/* How a conversation begins and ends, and what commands, the parent and the applet ask of it, set
 * in it and say. */
#include "cli/own.h"

#include "base/wipe.h"
#include "cli/command.h"
#include "cli/modes.h"
#include "expr/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void cli_end_call(struct cli *cli)
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

bool cli_idle(const struct cli *cli)
{
	return cli->state == CLI_READING && !cli->pluses;
}

bool cli_is_clean(const struct cli *cli)
{
	return cli_idle(cli) && !cli->in_len && !cli->input_ended && !cli->target;
}

void cli_to_text(const struct cli *cli, char *buf, size_t size)
{
	snprintf(buf, size, "%d %d %u %u %d %d", cli->level, cli->severity, cli->modes, cli->timeout_ms,
		 cli->prompt + cli->silent + 4 * cli->timed, cli->talk);
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
	cli->prompt = prompt & 3;
	cli->silent = (prompt & 3) == 2;
	cli->timed = prompt & 4;
	cli->talk = cli->alone = talk;
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

void cli_set_prompt(struct cli *cli, enum cli_prompt how)
{
	if (cli->talk) /* who asks waits for the end of it */
		return;
	cli->prompt = how == PROMPT_TOGGLED ? !cli->prompt : how != PROMPT_NONE;
	cli->silent = how == PROMPT_SILENT;
}

void cli_toggle_time(struct cli *cli)
{
	cli->timed = !cli->timed;
}

void cli_quit(struct cli *cli)
{
	cli->state = CLI_CLOSED;
}

void cli_set_target(struct cli *cli, unsigned row, bool service, int pid)
{
	cli->target = row;
	cli->target_is_service = service;
	cli->target_pid = pid;
}

unsigned cli_target(const struct cli *cli)
{
	return cli->target;
}

bool cli_target_is_service(const struct cli *cli)
{
	return cli->target_is_service;
}

int cli_target_pid(const struct cli *cli)
{
	return cli->target_pid;
}

void cli_make_talk(struct cli *cli, bool alone)
{
	cli->talk = true;
	cli->alone = alone;
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
