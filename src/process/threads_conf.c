/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Global words of existing files that speak of threads and of pollers. Workers have one thread
 * each, and epoll is the only poller: each word does what that leaves of it, and where nothing is
 * left a notice says what happens instead.
 */
#include "process/threads_conf.h"

#include "config/config.h"
#include "config/diag.h"
#include "net/share.h"
#include "process/process.h"
#include "process/workers_conf.h"

#include <stdlib.h>
#include <string.h>

static const char *const off_on[] = { "off", "on", NULL };

enum { GROUPS_MOST = 16 }; /* of the reference's later versions */

struct threads_conf {
	struct location idle_shared, group_at; /* file NULL: not given */
	uint64_t groups[GROUPS_MOST];          /* threads of "thread-group 1" and so on; 0: not given */
	int multi_queue;
};

static void threads_notice(struct statement *st, const char *text)
{
	config_notice(st->cfg, &st->loc, "'%s': %s", st->words[0].text, text);
}

/* -- what workers make of threads ----------------------------------------------------------- */

static int parse_on(struct statement *st, int *on)
{
	const char *word = stmt_need(st, "'on' or 'off'");

	if (!word)
		return -1;
	*on = !strcmp(word, "on");
	if (!*on && strcmp(word, "off"))
		return stmt_unknown(st, st->at - 1, "value", off_on);
	return stmt_end(st);
}

static int parse_idle_shared(struct statement *st, const struct keyword *kw, void *object)
{
	struct threads_conf *conf = object;
	int on;

	(void)kw;
	if (parse_on(st, &on))
		return -1;
	conf->idle_shared = on ? st->loc : (struct location){ 0 };
	return 0;
}

static int parse_low_latency(struct statement *st, const struct keyword *kw, void *object)
{
	int on;

	(void)kw;
	(void)object;
	if (parse_on(st, &on))
		return -1;
	if (on)
		threads_notice(st, "tasks have one class here, so none waits for those of another; "
				   "tune.runqueue-depth and tune.maxpollevents bound a turn");
	return 0;
}

static int parse_edge(struct statement *st, const struct keyword *kw, void *object)
{
	int on;

	(void)object;
	if (!st->cfg->experimental)
		return stmt_error(st, 0, "'%s' is experimental: it needs "
				  "'expose-experimental-directives' in a global section above", kw->name);
	if (parse_on(st, &on))
		return -1;
	if (!on)
		threads_notice(st, "connections are always polled edge-triggered");
	return 0;
}

static int parse_groups(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t n;

	(void)kw;
	(void)object;
	if (stmt_int(st, "number of groups", 1, GROUPS_MOST, &n) || stmt_end(st))
		return -1;
	if (n > 1)
		threads_notice(st, "workers are processes with one thread each: all are of one group, and "
				   "each serves all bind lines");
	return 0;
}

/* "3", "1-4"; 0: it is none. */
static uint64_t thread_range(const char *word)
{
	char *end;
	unsigned long low = strtoul(word, &end, 10), high = low;
	uint64_t set = 0;

	if (*end == '-')
		high = strtoul(end + 1, &end, 10);
	if (*end || !low || low > high || high > WORKERS_MOST)
		return 0;
	for (; low <= high; low++)
		set |= UINT64_C(1) << (low - 1);
	return set;
}

/* A later line of the group replaces the one before. */
static int parse_group(struct statement *st, const struct keyword *kw, void *object)
{
	struct threads_conf *conf = object;
	const char *word;
	uint64_t set;
	int64_t n;

	(void)kw;
	if (stmt_int(st, "number of the group", 1, GROUPS_MOST, &n))
		return -1;
	conf->groups[n - 1] = 0;
	conf->group_at = st->loc;
	while ((word = stmt_next(st))) {
		set = thread_range(word);
		if (!set)
			return stmt_error(st, st->at - 1, "'%s' is no thread nor a range: numbers from 1 "
					  "to %d expected", word, WORKERS_MOST);
		conf->groups[n - 1] |= set;
	}
	return 0;
}

/* -- pollers -------------------------------------------------------------------------------- */

static int parse_noepoll(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	threads_notice(st, "epoll is the only poller there is; it stays in use");
	return stmt_end(st);
}

static int parse_nopoller(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	threads_notice(st, "epoll is the only poller there is: nothing to turn off");
	return stmt_end(st);
}

#define ROW(word, arguments, fn, text)                                                         \
	{ .name = word, .scope = SCOPE_GLOBAL, .args = arguments, .parse = fn, .help = text }

static const struct keyword threads_keywords[] = {
	ROW("noepoll", "", parse_noepoll, "for existing files: epoll is the only poller, and stays in use"),
	ROW("noevports", "", parse_nopoller, "for existing files: there are no event ports here"),
	ROW("nokqueue", "", parse_nopoller, "for existing files: there is no kqueue here"),
	ROW("nopoll", "", parse_nopoller, "for existing files: poll() is never used"),
	ROW("thread-group", "<group> [<thread-range>...]", parse_group,
	    "for existing files: which threads, here workers, are in it; all serve alike"),
	ROW("thread-groups", "<number>", parse_groups, "for existing files: workers are processes, in one group"),
	ROW("tune.fd.edge-triggered", "{ on | off }", parse_edge,
	    "for existing files: connections are always polled edge-triggered"),
	ROW("tune.idle-pool.shared", "{ on | off }", parse_idle_shared,
	    "for existing files: each worker keeps the idle connections that it has made"),
	{ .name = "tune.listener.multi-queue", .scope = SCOPE_GLOBAL, .args = "{ on | off }",
	  .parse = set_enum, .names = off_on, .offset = offsetof(struct threads_conf, multi_queue),
	  .dflt = "on", .help = "workers leave connections to those that have fewer" },
	ROW("tune.sched.low-latency", "{ on | off }", parse_low_latency,
	    "for existing files: tasks have one class here"),
	{ .name = NULL },
};

static void threads_init(struct config *cfg, void *data)
{
	(void)cfg;
	((struct threads_conf *)data)->multi_queue = true;
}

/* Those that some line puts into a group; 0: there is no such line. */
static uint64_t threads_grouped(const struct threads_conf *conf)
{
	uint64_t set = 0;
	unsigned i;

	for (i = 0; i < GROUPS_MOST; i++)
		set |= conf->groups[i];
	return set;
}

/* Behind the words of workers: their number is known. */
static int threads_finish(struct config *cfg, void *data)
{
	const struct process_conf *process = config_data(cfg, &process_module);
	const struct threads_conf *conf = data;
	unsigned threads = process->nbthread ? process->nbthread : 1;
	uint64_t all = threads < 64 ? (UINT64_C(1) << threads) - 1 : UINT64_MAX;
	uint64_t grouped = threads_grouped(conf);

	if (conf->idle_shared.file && process->worker_count > 1)
		config_notice(cfg, &conf->idle_shared, "'tune.idle-pool.shared': workers are processes: "
			      "each keeps the idle connections that it has made, and none takes "
			      "those of another");
	if (grouped && all & ~grouped)
		return config_error(cfg, &conf->group_at, "'thread-group': %d of %u threads are in no group",
				    __builtin_popcountll(all & ~grouped), threads);
	if (grouped)
		config_notice(cfg, &conf->group_at, "'thread-group': workers are processes with one thread "
			      "each: all are of one group, and each serves all bind lines");
	return 0;
}

static int threads_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)err;
	share_evenly = ((struct threads_conf *)data)->multi_queue;
	return 0;
}

const struct module threads_module = {
	.name = "threads",
	.keywords = threads_keywords,
	.data_size = sizeof(struct threads_conf),
	.init = threads_init,
	.finish = threads_finish,
	.prepare = threads_prepare,
};
