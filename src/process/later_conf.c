/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Global words of versions after 2.6 about QUIC, processors and descriptors. What has a meaning
 * here is done; of the others a notice says what holds instead.
 */
#include "process/later_conf.h"

#include "config/config.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "process/process.h"
#include "session/admission.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const off_on[] = { "off", "on", NULL };

struct later_conf {
	int reject_privileged; /* harden.reject-privileged-ports.tcp */
	bool prealloc_fd;
};

static void later_notice(struct statement *st, const char *text)
{
	config_notice(st->cfg, &st->loc, "'%s': %s", st->words[0].text, text);
}

static int parse_quic(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	later_notice(st, "there is no QUIC here: the word changes nothing");
	return stmt_end(st);
}

static int parse_reject_quic(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "'on' or 'off'");

	(void)kw;
	(void)object;
	if (!word)
		return -1;
	if (strcmp(word, "on") && strcmp(word, "off"))
		return stmt_unknown(st, st->at - 1, "value", off_on);
	later_notice(st, "there is no QUIC here: the word changes nothing");
	return stmt_end(st);
}

static int parse_default_shards(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const shards[] = { "by-process", "by-thread", "by-group", NULL };
	const char *word = stmt_need(st, "'by-process', 'by-thread' or 'by-group'");
	size_t i = 0;

	(void)kw;
	(void)object;
	if (!word)
		return -1;
	while (shards[i] && strcmp(shards[i], word))
		i++;
	if (!shards[i])
		return stmt_unknown(st, st->at - 1, "value", shards);
	if (!strcmp(word, "by-thread"))
		later_notice(st, "no further sockets are opened: all workers accept from one, and "
				 "spread connections evenly");
	return stmt_end(st);
}

static int parse_cpu_policy(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const policies[] = {
		"none", "efficiency", "first-usable-node", "group-by-2-ccx", "group-by-2-clusters",
		"group-by-3-ccx", "group-by-3-clusters", "group-by-4-ccx", "group-by-4-clusters",
		"group-by-ccx", "group-by-cluster", "performance", "resource", NULL
	};
	const char *word = stmt_need(st, "a policy");
	size_t i = 0;

	(void)kw;
	(void)object;
	if (!word)
		return -1;
	while (policies[i] && strcmp(policies[i], word))
		i++;
	if (!policies[i])
		return stmt_unknown(st, st->at - 1, "policy", policies);
	if (stmt_take(st, "threads-per-core")) {
		word = stmt_need(st, "1 or 'auto'");
		if (!word)
			return -1;
		if (strcmp(word, "1") && strcmp(word, "auto"))
			return stmt_error(st, st->at - 1, "1 or 'auto' is expected, not '%s'",
					  word);
	}
	if (i)
		later_notice(st, "workers run where the system lets them; 'nbproc auto' gives each "
				 "processor one, 'cpu-map' binds them");
	return stmt_end(st);
}

#define ROW(word, arguments, fn, text)                                                         \
	{ .name = word, .scope = SCOPE_GLOBAL, .args = arguments, .parse = fn, .help = text }

static const struct keyword later_keywords[] = {
	ROW("cpu-policy", "<policy> [threads-per-core { 1 | auto }]", parse_cpu_policy,
	    "for existing files: 'nbproc auto' and 'cpu-map' say where workers run"),
	{ .name = "harden.reject-privileged-ports.tcp", .scope = SCOPE_GLOBAL, .args = "{ on | off "
										       "}",
	  .parse = set_enum, .names = off_on,
	  .offset = offsetof(struct later_conf, reject_privileged), .dflt = "off",
	  .help = "closes connections of clients whose port is below 1024" },
	ROW("harden.reject-privileged-ports.quic", "{ on | off }", parse_reject_quic,
	    "for existing files: there is no QUIC here"),
	ROW("limited-quic", "", parse_quic, "for existing files: there is no QUIC here"),
	ROW("no-quic", "", parse_quic, "for existing files: there is no QUIC here"),
	{ .name = "prealloc-fd", .scope = SCOPE_GLOBAL, .args = "", .parse = set_flag,
	  .offset = offsetof(struct later_conf, prealloc_fd), .dflt = "off",
	  .help = "the kernel's table of descriptors is as large as it may get from the start" },
	ROW("tune.listener.default-shards", "{ by-process | by-thread | by-group }",
	    parse_default_shards, "for existing files: all workers accept from one socket"),
	{ .name = NULL },
};

/* The kernel grows its table in one go, at the start instead of under load. */
static void later_prealloc(void)
{
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < 1 ||
	    limit.rlim_cur > INT32_MAX)
		return;
	fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, (int)limit.rlim_cur - 1);
	if (fd >= 0)
		close(fd);
}

static int later_start(struct config *cfg, void *data, struct err *err)
{
	const struct later_conf *conf = data;

	(void)cfg;
	(void)err;
	admission_rejects_privileged = conf->reject_privileged;
	if (conf->prealloc_fd)
		later_prealloc();
	return 0;
}

const struct module later_module = {
	.name = "later words",
	.keywords = later_keywords,
	.data_size = sizeof(struct later_conf),
	.start = later_start,
};
