/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parent's socket: show proc, reload, and commands for the processes, "@1 show info". Those go
 * over talks; this process has no streams. Called by run.c and by conversations of the parent.
 */
#include "process/parent_cli.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/tables.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/conversation.h"
#include "cli/help.h"
#include "cli/modes.h"
#include "cli/program.h"
#include "cli/question.h"
#include "cli/stats_conf.h"
#include "cli/tables.h"
#include "config/config.h"
#include "event/loop.h"
#include "event/timer.h"
#include "net/bind_conf.h"
#include "process/parent_cli_conf.h"
#include "process/reload.h"
#include "process/self.h"
#include "process/workers.h"
#include "share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct config *config; /* NULL: no -S */

/* -- which process --------------------------------------------------------------------------- */

static bool is_worker(const struct segment_row *row)
{
	return atomic_load(&row->taken) && atomic_load(&row->pid) > 0;
}

static bool is_present(const struct segment_row *row)
{
	return is_worker(row) && atomic_load(&row->generation) == process_self.generation;
}

static unsigned find_row(bool (*matches)(const struct segment_row *row, int64_t n), int64_t n)
{
	unsigned i;

	for (i = 1; i < segment_rows(segment); i++)
		if (matches(segment_row(segment, i), n))
			return i;
	return 0;
}

static bool has_pid(const struct segment_row *row, int64_t pid)
{
	return is_worker(row) && atomic_load(&row->pid) == pid;
}

static bool has_number(const struct segment_row *row, int64_t number)
{
	return is_present(row) && atomic_load(&row->number) == number;
}

static bool has_any(const struct segment_row *row, int64_t n)
{
	(void)n;
	return is_present(row);
}

static bool has_thread(const struct segment_row *row, int64_t n)
{
	(void)n;
	return is_present(row) && atomic_load(&row->flags) & ROW_THREAD;
}

/* Processes as the file of the workers counts them, which is not ours where a reload has failed:
 * with "nbproc" each worker is one; without it all are threads of process 1, for which one
 * answers. */
static bool one_process(void)
{
	return find_row(has_thread, 0) != 0;
}

/* Whom a command goes to. row 0: nobody, or the parent. service: it answers for all workers. */
struct target {
	unsigned row;
	bool service;
};

/* "1": a process of the present generation; "!123": any worker, by its pid. */
static struct target find_target(const char *name)
{
	bool by_pid = *name == '!', service = !by_pid && one_process();
	int64_t n;

	if (!str_to_int(name + by_pid, 1, service ? 1 : INT32_MAX, &n))
		return (struct target){ 0 };
	return (struct target){ find_row(by_pid ? has_pid : service ? has_any : has_number, n), service };
}

static int ask_target(struct cli_call *call, struct target target, const char *text)
{
	call->command = &cli_question_command;
	call->asks = target.row;
	call->asks_service = target.service;
	call->text = text;
	return 1;
}

/* That of the commands without a prefix. The worker that answers for all may be another one by
 * now. */
static struct target kept_target(const struct cli *cli)
{
	struct target target = { cli_target(cli), cli_target_is_service(cli) };

	if (target.service)
		target.row = find_row(has_any, 0);
	return target;
}

static void keep_target(struct cli *cli, struct target target)
{
	int pid = target.row ? (int)atomic_load(&segment_row(segment, target.row)->pid) : 0;

	cli_set_target(cli, target.row, target.service, pid);
}

/* Commands about the conversation, which is the parent's, and nothing at all. */
static bool is_own(const char *text)
{
	size_t len = strcspn(text, " \t");

	return !text[strspn(text, " \t")] || (len == 6 && !memcmp(text, "prompt", len)) ||
	       (len == 4 && !memcmp(text, "quit", len));
}

/* "@1 show info", "@1" for all that follow, "@" and "@master" for the parent. */
static int route(struct cli_call *call, char **text, struct err *err)
{
	char *at = *text + strspn(*text, " \t"), *rest;
	struct target target = kept_target(call->cli);
	size_t len;

	if (*at != '@') {
		if (target.row && !is_own(at))
			return ask_target(call, target, at);
		*text = at;
		return 0;
	}
	len = strcspn(at, " \t");
	rest = at + len + strspn(at + len, " \t");
	at[len] = 0;
	target = (struct target){ 0 };
	if (at[1] && strcmp(at, "@master")) {
		target = find_target(at + 1);
		if (!target.row) {
			cli_quit(call->cli);
			return err_set(err, "Can't find the target PID matching the prefix '%s'", at);
		}
	}
	*text = rest;
	if (*rest)
		return target.row ? ask_target(call, target, rest) : 0;
	keep_target(call->cli, target);
	return 1; /* nothing to say */
}

static const char *prompt_text(const struct cli *cli, char *buf, size_t size)
{
	const char *modes = cli_mode(cli, CLI_EXPERT) ?
				    cli_mode(cli, CLI_EXPERIMENTAL) ? "(xe)" : "(e)" :
			    cli_mode(cli, CLI_EXPERIMENTAL) ? "(x)" : "";

	if (cli_target(cli))
		snprintf(buf, size, "%d%s> ", cli_target_pid(cli), modes);
	else
		snprintf(buf, size, "master%s%s> ", modes,
			 reload_info.last_failed ? "[ReloadFailed]" : "");
	return buf;
}

/* -- show proc ------------------------------------------------------------------------------- */

struct proc_state {
	unsigned row;
	enum { PROC_NOW, PROC_OLD, PROC_END } part;
	bool headed;
};

static void say_process(struct text *out, pid_t pid, const char *type, const char *reloads,
			uint64_t started_ms, const char *version)
{
	uint64_t up = started_ms && started_ms <= clock_now_ms ? (clock_now_ms - started_ms) / 1000 : 0;
	char uptime[32];

	snprintf(uptime, sizeof(uptime), "%ud%02uh%02um%02us", (unsigned)(up / 86400),
		 (unsigned)(up / 3600 % 24), (unsigned)(up / 60 % 60), (unsigned)(up % 60));
	text_printf(out, "%-15d %-15s %-15s %-15s %s\n", (int)pid, type, reloads, uptime, version);
}

static int proc_start(struct cli_call *call, struct err *err)
{
	struct proc_state *state = CLI_STATE_OF(struct proc_state, call);
	char reloads[40];

	(void)err;
	text_printf(call->out, "%-15s %-15s %-15s %-15s %s\n", "#<PID>", "<type>", "<reloads>",
		    "<uptime>", "<version>");
	snprintf(reloads, sizeof(reloads), "%u [failed: %u]", reload_info.reloads, reload_info.failed);
	say_process(call->out, getpid(), "master", reloads, reload_info.started_ms,
		    version_for_tools);
	text_str(call->out, "# workers\n");
	state->row = 1;
	return 0;
}

static void say_worker(struct cli_call *call, struct proc_state *state, unsigned n)
{
	const struct segment_row *row = segment_row(segment, n);
	const struct worker *w = worker_of_pid(atomic_load(&row->pid));
	uint32_t generation = atomic_load(&row->generation);
	char reloads[16], version[sizeof(row->version)];

	if (!is_worker(row) || (generation == process_self.generation) != (state->part == PROC_NOW))
		return;
	if (state->part == PROC_OLD && !state->headed) {
		text_str(call->out, "# old workers\n");
		state->headed = true;
	}
	snprintf(reloads, sizeof(reloads), "%u", w ? reload_info.reloads - w->reloads : 0);
	snprintf(version, sizeof(version), "%.*s", (int)sizeof(version) - 1, row->version);
	say_process(call->out, atomic_load(&row->pid), "worker", reloads,
		    atomic_load(&row->started_ms), version);
}

static enum cli_step proc_next(struct cli_call *call)
{
	struct proc_state *state = CLI_STATE_OF(struct proc_state, call);

	if (state->row < segment_rows(segment)) {
		say_worker(call, state, state->row++);
		return CLI_MORE;
	}
	state->row = 1;
	return ++state->part == PROC_END ? CLI_END : CLI_MORE;
}

/* -- reload ---------------------------------------------------------------------------------- */

static int reload_start(struct cli_call *call, struct err *err)
{
	int fd = cli_socket(call->cli);

	fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return err_set(err, "Cannot keep the connection: %s", strerror(errno));
	reload_request(fd);
	cli_quit(call->cli);
	return 0;
}

static const struct cli_command parent_commands[] = {
	{ .words = "@<relative pid>", .level = LEVEL_USER,
	  .help = "send a command to the <relative pid> process" },
	{ .words = "@!<pid>", .level = LEVEL_USER, .help = "send a command to the <pid> process" },
	{ .words = "@master", .level = LEVEL_USER,
	  .help = "send a command to the master process" },
	{ .words = "show proc", .level = LEVEL_USER, .start = proc_start, .next = proc_next,
	  CLI_STATE(struct proc_state), .help = "show processes status" },
	{ .words = "reload", .level = LEVEL_OPERATOR, .start = reload_start,
	  .help = "reload the configuration, or a new program" },
	{ .words = NULL },
};

static const struct tables parent_tables = TABLES("command", struct cli_command,
	cli_mode_commands,
	parent_commands,
	cli_startup_commands,
	cli_help_commands);

/* -- penstock help --------------------------------------------------------------------------- */

/* "@1", "@!4711": an address, and maybe a command behind it. */
static bool help_addressed(FILE *out, const char *const *words, int count, const char *title)
{
	const struct cli_command *row;

	for (row = parent_commands; *row->words == '@'; row++) {
		cli_help_row(out, row, &row->words, 0, title);
		title = NULL;
	}
	if (count > 1)
		cli_help_words(out, words + 1, count - 1, true);
	return true;
}

bool parent_cli_help(FILE *out, const char *const *words, int count, bool any)
{
	static const char text[] =
		"\ncommands of the parent's socket (-S), with the level that they "
		"need:\n";
	const char *title = text + !any;
	const struct cli_command *row;
	bool found = false;

	if (words[0][0] == '@')
		return help_addressed(out, words, count, title);
	for (row = parent_commands; row->words; row++)
		if (*row->words != '@')
			found |= cli_help_row(out, row, words, count, found ? NULL : title);
	return found;
}

/* -- the socket ------------------------------------------------------------------------------ */

enum { RETRY_MS = 200 };

static struct timer retry; /* out of descriptors: the sockets are not watched until it fires */

static int watch_socket(struct parent_cli *conf)
{
	struct listener *l;
	int rc = 0;

	list_for_each(l, &conf->bind->listeners, node)
		if (!l->src.registered && loop_add(&l->src, EPOLLIN) < 0)
			rc = -1;
	return rc;
}

static void look_again(struct timer *timer)
{
	if (watch_socket(config_data(config, &parent_cli_module)) < 0)
		timer_set(timer, clock_now_ms + RETRY_MS);
}

static void look_away(void)
{
	struct parent_cli *conf = config_data(config, &parent_cli_module);
	struct listener *l;

	list_for_each(l, &conf->bind->listeners, node)
		if (l->src.registered)
			loop_remove(&l->src);
}

void parent_cli_wait(bool wait)
{
	if (!config) /* no -S */
		return;
	timer_cancel(&retry);
	if (wait)
		look_away();
	else
		look_again(&retry);
}

/* Not by the way of net/accept.c, where workers share what they accept from. */
static void knocked(struct source *src, uint32_t events)
{
	const struct listener *l = container_of(src, struct listener, src);
	int fd = accept4(src->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd >= 0)
		conversation_open(fd, cli_new(cli_socket_of(l->bind)->level,
					   cli_socket_of(l->bind)->severity_output));
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
		look_away();
		timer_set(&retry, clock_now_ms + RETRY_MS);
	}
}

int parent_cli_open(struct config *cfg, struct err *err)
{
	struct parent_cli *conf = config_data(cfg, &parent_cli_module);
	const struct listen_options opt = { .default_backlog = 64 };
	struct listener *l;

	if (!conf->bind)
		return 0;
	list_for_each(l, &conf->bind->listeners, node) {
		l->src.ready = knocked;
		if (l->src.fd < 0 && listener_open(l, &opt, err) < 0)
			return err_prefix(err, "-S");
	}
	return 0;
}

int parent_cli_start(struct config *cfg, struct err *err)
{
	struct parent_cli *conf = config_data(cfg, &parent_cli_module);

	cli_route = route;
	cli_prompt_text = prompt_text;
	cli_conversation_tables = &parent_tables;
	if (!conf->bind)
		return 0;
	config = cfg;
	timer_init(&retry, look_again);
	return watch_socket(conf) < 0 ?
		       err_set(err, "-S: the poller does not take the socket") : 0;
}

void parent_cli_drop(struct config *cfg)
{
	struct parent_cli *conf = config_data(cfg, &parent_cli_module);
	struct listener *l;

	cli_route = NULL;
	cli_prompt_text = NULL;
	cli_conversation_tables = &cli_tables;
	conversations_drop();
	if (!conf->bind)
		return;
	timer_cancel(&retry);
	list_for_each(l, &conf->bind->listeners, node)
		if (l->src.fd >= 0) {
			close(l->src.fd);
			l->src.registered = false;
			l->src.fd = -1;
		}
}
