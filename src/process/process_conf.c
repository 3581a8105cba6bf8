/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the global section that speak of the process. Manual 3.1. */
#include "process/process.h"

#include "config/config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>

static int parse_user(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	const char *name = stmt_need(st, "user name");
	const struct passwd *pw;

	(void)kw;
	if (!name)
		return -1;
	errno = 0;
	pw = getpwnam(name);
	if (!pw)
		return stmt_error(st, st->at - 1, "no user is called '%s'", name);
	conf->uid = pw->pw_uid;
	conf->has_uid = true;
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
	gr = getgrnam(name);
	if (!gr)
		return stmt_error(st, st->at - 1, "no group is called '%s'", name);
	conf->gid = gr->gr_gid;
	conf->has_gid = true;
	return stmt_end(st);
}

static int parse_uid(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	int64_t id;

	(void)kw;
	if (stmt_int(st, "user id", 0, UINT32_MAX - 1, &id) < 0)
		return -1;
	conf->uid = (uid_t)id;
	conf->has_uid = true;
	return stmt_end(st);
}

static int parse_gid(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	int64_t id;

	(void)kw;
	if (stmt_int(st, "group id", 0, UINT32_MAX - 1, &id) < 0)
		return -1;
	conf->gid = (gid_t)id;
	conf->has_gid = true;
	return stmt_end(st);
}

/* A process is one thread. A file that asks for more describes a service that works all the same,
 * with less of the machine: that is said. */
static int parse_threads(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t n;

	(void)object;
	if (stmt_int(st, "number", 1, 64, &n) < 0)
		return -1;
	if (n > 1)
		stmt_warning(st, st->at - 1, "%s %lld: one thread serves, several workers are not "
			     "supported yet", kw->name, (long long)n);
	return stmt_end(st);
}

/* One worker is what there is. */
static int parse_one(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t n;

	(void)object;
	if (stmt_int(st, "number", 1, 4096, &n) < 0)
		return -1;
	if (n > 1)
		return stmt_error(st, st->at - 1, "%s above 1 is not supported yet", kw->name);
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
	{ .name = "pidfile", .scope = SCOPE_GLOBAL, .args = "<file>", .parse = set_string,
	  .offset = offsetof(struct process_conf, pidfile),
	  .help = "write the process id there" },
	{ .name = "chroot", .scope = SCOPE_GLOBAL, .args = "<directory>", .parse = set_string,
	  .offset = offsetof(struct process_conf, chroot),
	  .help = "change the root directory after start" },
	{ .name = "hard-stop-after", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct process_conf, hard_stop_after),
	  .dflt = "never", .help = "longest time that a soft stop may take" },
	ROW("user", "<name>", parse_user, "serve as this user"),
	ROW("group", "<name>", parse_group, "serve as this group"),
	ROW("uid", "<number>", parse_uid, "serve as this user id"),
	ROW("gid", "<number>", parse_gid, "serve as this group id"),
	ROW("nbproc", "<number>", parse_one, "number of processes"),
	ROW("nbthread", "<number>", parse_threads, "number of threads"),
	{ .name = NULL },
};

const struct module process_module = {
	.name = "process",
	.keywords = process_keywords,
	.data_size = sizeof(struct process_conf),
};
