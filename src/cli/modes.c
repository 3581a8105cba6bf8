/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands about the conversation itself: prompt, quit, levels, modes, severities, timeout.
 */
#include "base/version.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/modes.h"
#include "cli/tables.h"

/* Words of later versions; as in 2.6 and 2.8 any other one, or none, toggles. "timed" alone brings
 * a prompt, too. */
static int modes_prompt(struct cli_call *call, struct err *err)
{
	enum cli_prompt how = PROMPT_TOGGLED;
	int i;

	(void)err;
	for (i = 0; i < call->argc; i++) {
		if (!strcmp(call->argv[i], "n"))
			how = PROMPT_NONE;
		else if (!strcmp(call->argv[i], "i"))
			how = PROMPT_SILENT;
		else if (!strcmp(call->argv[i], "p"))
			how = PROMPT_SHOWN;
		else if (!strcmp(call->argv[i], "timed")) {
			cli_toggle_time(call->cli);
			how = how == PROMPT_TOGGLED ? PROMPT_SHOWN : how;
		}
	}
	cli_set_prompt(call->cli, how);
	return 0;
}

static int modes_quit(struct cli_call *call, struct err *err)
{
	(void)err;
	cli_quit(call->cli);
	return 0;
}

static int modes_operator(struct cli_call *call, struct err *err)
{
	(void)err;
	cli_lower_level(call->cli, LEVEL_OPERATOR);
	return 0;
}

static int modes_user(struct cli_call *call, struct err *err)
{
	(void)err;
	cli_lower_level(call->cli, LEVEL_USER);
	return 0;
}

static int modes_show_level(struct cli_call *call, struct err *err)
{
	static const char *const names[] = { "none", "user", "operator", "admin" };

	(void)err;
	cli_say(call, LOG_L_INFO, "%s", names[cli_level(call->cli)]);
	return 0;
}

static int modes_version(struct cli_call *call, struct err *err)
{
	(void)err;
	cli_say(call, LOG_L_INFO, "%s", version_for_tools);
	return 0;
}

/* "on" and "off" switch; nothing tells. */
static int modes_mode(struct cli_call *call, unsigned mode, struct err *err)
{
	const char *name = call->command->words, *arg = cli_arg(call, 0);

	if (!*arg)
		cli_say(call, LOG_L_INFO, "%s is %s", name,
			cli_mode(call->cli, mode) ? "ON" : "OFF");
	else if (!strcmp(arg, "on") || !strcmp(arg, "off"))
		cli_set_mode(call->cli, mode, arg[1] == 'n');
	else
		return err_set(err, "'%s' expects 'on' or 'off'.", name);
	return 0;
}

static int modes_expert(struct cli_call *call, struct err *err)
{
	return modes_mode(call, CLI_EXPERT, err);
}

static int modes_experimental(struct cli_call *call, struct err *err)
{
	return modes_mode(call, CLI_EXPERIMENTAL, err);
}

static int modes_severity(struct cli_call *call, struct err *err)
{
	static const char *const names[] = { "none", "number", "string", NULL };

	for (int i = 0; names[i]; i++) {
		if (!strcmp(cli_arg(call, 0), names[i])) {
			cli_set_severity(call->cli, i);
			return 0;
		}
	}
	return err_set(err, "one of 'none', 'number', 'string' is a required argument");
}

static int modes_timeout(struct cli_call *call, struct err *err)
{
	const char *unit = "smhd";
	static const unsigned factor[] = { 1, 60, 3600, 86400 };
	char digits[16];
	size_t len = strspn(cli_arg(call, 1), "0123456789");
	int64_t seconds;
	unsigned f = 1;

	if (strcmp(cli_arg(call, 0), "cli"))
		return err_set(err, "'set timeout' only supports 'cli'.");
	if (!*cli_arg(call, 1))
		return err_set(err, "Expects an integer value.");
	if (len && len < sizeof(digits) && cli_arg(call, 1)[len]) {
		const char *u = strchr(unit, cli_arg(call, 1)[len]);

		if (!u || cli_arg(call, 1)[len + 1])
			return err_set(err, "Invalid timeout value.");
		f = factor[u - unit];
	}
	if (!len || len >= sizeof(digits))
		return err_set(err, "Invalid timeout value.");
	memcpy(digits, cli_arg(call, 1), len);
	digits[len] = 0;
	if (!str_to_int(digits, 1, 24 * 86400 / f, &seconds))
		return err_set(err, "Invalid timeout value.");
	cli_set_timeout(call->cli, (unsigned)seconds * f * 1000);
	return 0;
}

const struct cli_command cli_mode_commands[] = {
	{ .words = "prompt", .args = "[n|i|p|timed]", .level = LEVEL_USER, .flags = CLI_LAST, .start = modes_prompt,
	  .help = "toggle interactive mode with prompt" },
	{ .words = "quit", .level = LEVEL_USER, .flags = CLI_LAST, .start = modes_quit,
	  .help = "disconnect" },
	{ .words = "operator", .level = LEVEL_OPERATOR, .start = modes_operator,
	  .help = "lower the level of the current CLI session to operator" },
	{ .words = "user", .level = LEVEL_USER, .start = modes_user,
	  .help = "lower the level of the current CLI session to user" },
	{ .words = "show cli level", .level = LEVEL_USER, .start = modes_show_level,
	  .help = "display the level of the current CLI session" },
	{ .words = "show version", .level = LEVEL_USER, .start = modes_version,
	  .help = "show version of the current process" },
	{ .words = "expert-mode", .args = "[on|off]", .level = LEVEL_ADMIN, .flags = CLI_HIDDEN,
	  .start = modes_expert, .help = "show or switch the mode of dangerous commands" },
	{ .words = "experimental-mode", .args = "[on|off]", .level = LEVEL_ADMIN,
	  .flags = CLI_HIDDEN, .start = modes_experimental,
	  .help = "show or switch the mode of unfinished commands" },
	{ .words = "set severity-output", .args = "[none|number|string]", .level = LEVEL_USER,
	  .start = modes_severity,
	  .help = "set presence of severity level in feedback information" },
	{ .words = "set timeout", .args = "[cli] <delay>", .level = LEVEL_USER,
	  .start = modes_timeout, .help = "change a timeout setting" },
	{ .words = NULL },
};
