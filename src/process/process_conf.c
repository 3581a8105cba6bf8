/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the global section that speak of the process. Manual 3.1. */
#include "process/process.h"

#include "config/config.h"
#include "process/workers_conf.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>

/* Of words that are given twice the first counts, as in the reference. */
static void warn_twice(struct statement *st)
{
	stmt_warning(st, st->at - 1, "this was given above: the first counts");
}

static void take_id(struct statement *st, unsigned id, unsigned *field, bool *has)
{
	if (*has) {
		warn_twice(st);
		return;
	}
	*field = id;
	*has = true;
}

static int parse_user(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	const char *name = stmt_need(st, "user name");
	const struct passwd *pw;

	(void)kw;
	if (!name)
		return -1;
	if (st->cfg->elsewhere)
		return stmt_end(st);
	errno = 0;
	pw = getpwnam(name);
	if (!pw)
		return stmt_error(st, st->at - 1, "no user is called '%s'", name);
	take_id(st, pw->pw_uid, &conf->uid, &conf->has_uid);
	return stmt_end(st);
}

static int parse_group(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	const char *name = stmt_need(st, "group name");
	const struct group *gr;

	(void)kw;
	if (!name)
		return -1;
	if (st->cfg->elsewhere)
		return stmt_end(st);
	gr = getgrnam(name);
	if (!gr)
		return stmt_error(st, st->at - 1, "no group is called '%s'", name);
	take_id(st, gr->gr_gid, &conf->gid, &conf->has_gid);
	return stmt_end(st);
}

static int parse_uid(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	int64_t id;

	(void)kw;
	if (stmt_int(st, "user id", 0, UINT32_MAX - 1, &id) < 0)
		return -1;
	take_id(st, (unsigned)id, &conf->uid, &conf->has_uid);
	return stmt_end(st);
}

static int parse_gid(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	int64_t id;

	(void)kw;
	if (stmt_int(st, "group id", 0, UINT32_MAX - 1, &id) < 0)
		return -1;
	take_id(st, (unsigned)id, &conf->gid, &conf->has_gid);
	return stmt_end(st);
}

static int parse_close_spread(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;

	conf->close_spread = UINT_MAX;
	if (!stmt_take(st, "infinite") &&
	    stmt_duration(st, kw->name, 'm', &conf->close_spread) < 0)
		return -1;
	return stmt_end(st);
}

#define ROW(word, arguments, fn, text)                                                         \
	{ .name = word, .scope = SCOPE_GLOBAL, .args = arguments, .parse = fn, .help = text }

static const struct keyword process_keywords[] = {
	{ .name = "daemon", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "", .parse = set_flag,
	  .offset = offsetof(struct process_conf, daemon), .dflt = "off",
	  .help = "go to the background once everything is bound" },
	{ .name = "insecure-fork-wanted", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct process_conf, insecure_fork),
	  .dflt = "off", .help = "let the running process make others, as with -dI" },
	{ .name = "insecure-syscalls-wanted", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct process_conf, insecure_syscalls),
	  .dflt = "off", .help = "let the running process make any system call" },
	{ .name = "set-dumpable", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct process_conf, dumpable), .dflt = "off",
	  .help = "leave a core file when the process dies, whatever the user's limits" },
	{ .name = "setcap", .scope = SCOPE_GLOBAL, .args = "<name>[,<name>...]",
	  .parse = caps_parse, .offset = offsetof(struct process_conf, setcap),
	  .dflt = "what the configuration needs", .help = "capabilities that outlive the change of user" },
	{ .name = "pidfile", .scope = SCOPE_GLOBAL, .flags = KW_FIRST, .args = "<file>",
	  .parse = set_string, .offset = offsetof(struct process_conf, pidfile),
	  .help = "write the process id there" },
	{ .name = "chroot", .scope = SCOPE_GLOBAL, .flags = KW_FIRST, .args = "<directory>",
	  .parse = set_string, .offset = offsetof(struct process_conf, chroot),
	  .help = "change the root directory after start" },
	{ .name = "hard-stop-after", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct process_conf, hard_stop_after),
	  .dflt = "never", .help = "longest time that a soft stop may take" },
	{ .name = "grace", .scope = SCOPE_GLOBAL, .args = "<time>", .parse = set_duration,
	  .offset = offsetof(struct process_conf, grace), .dflt = "0",
	  .help = "time between SIGUSR1, from which on 'stopping' is true, and the soft stop" },
	ROW("close-spread-time", "{ <time> | infinite }", parse_close_spread,
	    "over which time a soft stop closes idle connections"),
	ROW("user", "<name>", parse_user, "serve as this user"),
	ROW("group", "<name>", parse_group, "serve as this group"),
	ROW("uid", "<number>", parse_uid, "serve as this user id"),
	ROW("gid", "<number>", parse_gid, "serve as this group id"),
	{ .name = "master-worker", .scope = SCOPE_GLOBAL, .flags = KW_NO,
	  .args = "[no-exit-on-failure]", .parse = workers_parse_master, .dflt = "off",
	  .help = "a parent watches over workers and reloads, as with -W" },
	{ .name = "mworker-max-reloads", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = set_unsigned, .offset = offsetof(struct process_conf, max_reloads), .min = 0,
	  .max = INT32_MAX, .dflt = "no limit",
	  .help = "how many reloads a worker that does not finish survives" },
	{ .name = "nbproc", .scope = SCOPE_GLOBAL, .args = "{ <number> | auto }",
	  .parse = workers_parse_nbproc, .dflt = "1",
	  .help = "number of processes that serve; auto: one a processor" },
	{ .name = "nbthread", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = workers_parse_nbthread, .dflt = "1",
	  .help = "for existing files: that many processes, which have one thread each" },
	{ .name = "thread-hard-limit", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = set_unsigned, .offset = offsetof(struct process_conf, thread_limit), .min = 1,
	  .max = INT32_MAX, .dflt = "none", .help = "most workers that nbthread or nbproc auto "
						    "give" },
	{ .name = "thread", .scope = SCOPE_BIND | SCOPE_DGRAM, .args = "[1/]<thread-set>",
	  .parse = workers_parse_bind_thread, .dflt = "all",
	  .help = "for existing files: accepted; all workers serve each line" },
	{ .name = "shards", .scope = SCOPE_BIND, .args = "{ <number> | by-thread | by-group }",
	  .parse = workers_parse_bind_shards, .dflt = "1",
	  .help = "for existing files: accepted; all workers accept from one socket" },
	{ .name = "process", .scope = SCOPE_BIND, .args = "<process-set>[/<thread-set>]",
	  .parse = workers_parse_bind_process, .dflt = "all",
	  .help = "for existing files: accepted; all workers serve each line" },
	{ .name = "bind-process", .scope = SCOPE_PROXY, .args = "<process-set>...",
	  .parse = workers_parse_section, .dflt = "all",
	  .help = "for existing files: accepted with a warning; all workers serve each section" },
	{ .name = "numa-cpu-mapping", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct process_conf, numa), .dflt = "on",
	  .help = "a single process stays on the processors of one memory node" },
	{ .name = "cpu-map", .scope = SCOPE_GLOBAL,
	  .args = "[auto:]<process-set>[/<thread-set>] <cpu-set>...", .parse = workers_parse_cpu_map,
	  .dflt = "any processor", .help = "on which processors a worker runs" },
	{ .name = NULL },
};

static void process_init(struct config *cfg, void *data)
{
	(void)cfg;
	((struct process_conf *)data)->numa = true;
}

const struct module process_module = {
	.name = "process",
	.keywords = process_keywords,
	.data_size = sizeof(struct process_conf),
	.init = process_init,
	.finish = workers_finish,
};
