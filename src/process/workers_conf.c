/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many workers there are, and where they run. A worker has one thread, so that what existing
 * files say of threads is answered by workers: thread t of process p is worker (p - 1) * nbthread
 * + t. "cpu-map" lines are kept until those numbers are known.
 */
#include "process/workers_conf.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/config.h"
#include "config/diag.h"
#include "event/change.h"
#include "expr/state.h"
#include "log/log.h"
#include "net/listener.h"
#include "process/numa.h"
#include "process/process.h"
#include "process/self.h"
#include "proxy/proxy.h"
#include "proxy/states.h"
#include "share/segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPU_MOST = 1023, CPU_OPEN_END = 63 /* what "0-" ends with */ };

struct cpu_rule {
	struct cpu_rule *next;
	uint64_t processes, threads; /* bit N - 1 */
	bool one_by_one;             /* auto: */
	cpu_set_t cpus;
};

/* ---- numbers ----------------------------------------------------------------------------- */

static void workers_notice(struct statement *st, const char *text)
{
	struct place place = { st->loc.file, st->loc.line, NULL, 0, 0 };

	diag_addf(st->cfg->diag, DIAG_NOTICE, &place, "%s", text);
}

int workers_parse_master(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;

	(void)kw;
	conf->master_worker = !st->no;
	if (conf->master_worker)
		setenv("HAPROXY_MWORKER", "1", 1);
	stmt_take(st, "no-exit-on-failure"); /* a worker that dies is always replaced */
	return stmt_end(st);
}

int workers_parse_nbproc(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	int64_t n = 0;

	(void)kw;
	conf->nbproc_auto = stmt_take(st, "auto");
	if (!conf->nbproc_auto && stmt_int(st, "number of processes, or auto,", 1, WORKERS_MOST, &n))
		return -1;
	conf->nbproc = (unsigned)n;
	return stmt_end(st);
}

int workers_parse_nbthread(struct statement *st, const struct keyword *kw, void *object)
{
	struct process_conf *conf = object;
	int64_t n;

	(void)kw;
	if (stmt_int(st, "number of threads", 1, WORKERS_MOST, &n)) {
		if (st->at > 1 && !strcmp(st->words[st->at - 1].text, "auto"))
			stmt_hint(st, "'nbproc auto' starts a worker for each processor");
		return -1;
	}
	conf->nbthread = (unsigned)n;
	if (n > 1)
		workers_notice(st, "nbthread: as many processes with one thread each serve, and count, "
				   "check and limit as one");
	return stmt_end(st);
}

/* ---- cpu-map ----------------------------------------------------------------------------- */

/* "3", "1-4", "2-": from *low to *high. False: it is none. */
static bool parse_range(const char *text, size_t len, unsigned open_end, unsigned *low,
			unsigned *high)
{
	const char *dash = memchr(text, '-', len);
	char part[16];
	int64_t n;
	size_t first = dash ? (size_t)(dash - text) : len;

	if (first >= sizeof(part) || len - first >= sizeof(part))
		return false;
	memcpy(part, text, first);
	part[first] = 0;
	if (!str_to_int(part, 0, CPU_MOST, &n))
		return false;
	*low = *high = (unsigned)n;
	if (!dash)
		return true;
	*high = open_end;
	memcpy(part, dash + 1, len - first - 1);
	part[len - first - 1] = 0;
	if (part[0] && !str_to_int(part, 0, CPU_MOST, &n))
		return false;
	if (part[0])
		*high = (unsigned)n;
	return *low <= *high;
}

/* "all", "odd", "even", "1-4". 0: it is none. */
static uint64_t parse_set(const char *text, size_t len)
{
	unsigned low, high, n;
	uint64_t set = 0;

	if (len == 3 && !memcmp(text, "all", 3))
		return UINT64_MAX;
	if (len == 3 && !memcmp(text, "odd", 3))
		return UINT64_C(0x5555555555555555);
	if (len == 4 && !memcmp(text, "even", 4))
		return UINT64_C(0xaaaaaaaaaaaaaaaa);
	if (!parse_range(text, len, WORKERS_MOST, &low, &high) || !low || high > WORKERS_MOST)
		return 0;
	for (n = low; n <= high; n++)
		set |= UINT64_C(1) << (n - 1);
	return set;
}

static int parse_who(struct statement *st, struct cpu_rule *rule)
{
	const char *word = stmt_need(st, "a set of processes, and of threads,"), *slash;

	if (!word)
		return -1;
	rule->one_by_one = !strncmp(word, "auto:", 5);
	word += rule->one_by_one ? 5 : 0;
	slash = strchrnul(word, '/');
	rule->processes = parse_set(word, (size_t)(slash - word));
	rule->threads = *slash ? parse_set(slash + 1, strlen(slash + 1)) : UINT64_MAX;
	if (!rule->processes || !rule->threads)
		return stmt_error(st, st->at - 1, "'%s' is no set: all, odd, even, a number from 1 to "
				  "%d or a range of them expected, or two with '/' between", word,
				  WORKERS_MOST);
	if (rule->one_by_one && *slash && __builtin_popcountll(rule->processes) > 1 &&
	    __builtin_popcountll(rule->threads) > 1)
		return stmt_error(st, st->at - 1, "auto: a range of processes or one of threads, not "
				  "both");
	return 0;
}

static int parse_cpus(struct statement *st, struct cpu_rule *rule)
{
	const char *word = stmt_need(st, "a processor, from 0, or a range of them,");
	unsigned low, high;

	if (!word)
		return -1;
	for (; word; word = stmt_peek(st) ? stmt_next(st) : NULL) {
		if (!parse_range(word, strlen(word), CPU_OPEN_END, &low, &high))
			return stmt_error(st, st->at - 1, "'%s' is no processor nor a range: numbers "
					  "from 0 to %d expected", word, CPU_MOST);
		for (; low <= high; low++)
			CPU_SET(low, &rule->cpus);
	}
	return 0;
}

static int rule_size(const struct cpu_rule *rule)
{
	int processes = __builtin_popcountll(rule->processes);

	return processes > 1 && rule->threads == UINT64_MAX ? processes :
							      __builtin_popcountll(rule->threads);
}

int workers_parse_cpu_map(struct statement *st, const struct keyword *kw, void *object)
{
	struct cpu_rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule)), **at;
	struct process_conf *conf = object;

	(void)kw;
	CPU_ZERO(&rule->cpus);
	if (parse_who(st, rule) < 0 || parse_cpus(st, rule) < 0)
		return -1;
	if (rule->one_by_one && rule_size(rule) != CPU_COUNT(&rule->cpus))
		return stmt_error(st, st->count, "auto: %d workers and %d processors; there must be as "
				  "many of both", rule_size(rule), CPU_COUNT(&rule->cpus));
	for (at = &conf->cpu_rules; *at; at = &(*at)->next)
		;
	*at = rule;
	return 0;
}

/* The n-th processor of the set, from 0. */
static void set_nth(cpu_set_t *to, const cpu_set_t *from, int n)
{
	int cpu;

	CPU_ZERO(to);
	for (cpu = 0; cpu <= CPU_MOST; cpu++)
		if (CPU_ISSET(cpu, from) && n-- == 0)
			CPU_SET(cpu, to);
}

/* How many of the set stand before this one. */
static int place_in(uint64_t set, unsigned bit)
{
	return __builtin_popcountll(set & ((UINT64_C(1) << bit) - 1));
}

static void apply_rule(const struct cpu_rule *rule, unsigned process, unsigned thread,
		       cpu_set_t *cpus)
{
	bool by_process = __builtin_popcountll(rule->processes) > 1;

	if (!(rule->processes >> process & 1) || !(rule->threads >> thread & 1))
		return;
	if (rule->one_by_one)
		set_nth(cpus, &rule->cpus, by_process ? place_in(rule->processes, process) :
							place_in(rule->threads, thread));
	else
		*cpus = rule->cpus;
}

static void map_workers(struct config *cfg, struct process_conf *conf)
{
	unsigned threads = conf->nbthread ? conf->nbthread : 1, i;
	const struct cpu_rule *rule;

	conf->cpus = arena_alloc(cfg->arena, sizeof(*conf->cpus));
	for (i = 0; i < WORKERS_MOST; i++)
		for (rule = conf->cpu_rules; rule; rule = rule->next)
			apply_rule(rule, i / threads, i % threads, &conf->cpus->of[i]);
}

void workers_take_cpu(const struct process_conf *conf, unsigned number)
{
	const cpu_set_t *set;

	if (!conf->cpus) {
		if (conf->numa && !conf->nbproc && !conf->nbproc_auto && !conf->nbthread)
			numa_bind();
		return;
	}
	set = &conf->cpus->of[number ? number - 1 : 0];
	if (CPU_COUNT(set) && sched_setaffinity(0, sizeof(*set), set) < 0)
		log_process(LOG_L_WARNING, "cpu-map: worker %u cannot be kept on its processors: %s.",
			    number ? number : 1, strerror(errno));
}

/* ---- bind lines -------------------------------------------------------------------------- */

static int no_set(struct statement *st, const char *word)
{
	return stmt_error(st, st->at - 1, "'%s' is no set: all, odd, even, a number from 1 to %d or a "
			  "range of them expected", word, WORKERS_MOST);
}

static int bind_workers(struct statement *st, struct bind_conf *bind, const char *word, uint64_t set)
{
	if (!set)
		return no_set(st, word);
	bind->workers |= set;
	return 0;
}

int workers_parse_bind_thread(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a set of threads"), *set;

	(void)kw;
	if (!word)
		return -1;
	set = strncmp(word, "1/", 2) ? word : word + 2; /* there is one group */
	return bind_workers(st, object, word, parse_set(set, strlen(set)));
}

/* One socket of a line serves all workers, who take their shares by themselves. */
int workers_parse_bind_shards(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the number of shards, 'by-thread' or 'by-group'");
	const struct bind_conf *bind = object;
	int64_t n;

	(void)kw;
	if (!word)
		return -1;
	if (strcmp(word, "by-thread") && strcmp(word, "by-group") && !str_to_int(word, 1, 64, &n))
		return stmt_error(st, st->at - 1, "'by-thread', 'by-group' or a number from 1 to 64 is expected, "
				  "not '%s'", word);
	if (strcmp(word, "1") && strcmp(word, "by-group"))
		config_notice(st->cfg, &bind->loc, "'shards' opens no further sockets: all workers accept from "
			      "one, and spread connections evenly");
	return 0;
}

/* Process 1 is what it can name; its threads are workers. */
int workers_parse_bind_process(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a set of processes"), *slash;
	uint64_t set;

	(void)kw;
	if (!word)
		return -1;
	slash = strchrnul(word, '/');
	set = parse_set(word, (size_t)(slash - word));
	if (set && *slash)
		set = parse_set(slash + 1, strlen(slash + 1));
	else if (set & 1)
		set = UINT64_MAX;
	return bind_workers(st, object, word, set);
}

/* A whole section: as in the reference, where processes are no more, it is only looked at. */
int workers_parse_section(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word;

	(void)object;
	while ((word = stmt_next(st)))
		if (!parse_set(word, strlen(word)))
			return no_set(st, word);
	stmt_warning(st, 0, "'%s' has no effect: all workers serve each section, and count, check and "
		     "limit as one", kw->name);
	return 0;
}

/* All workers take part in each line, so that none is idle while others have too much. */
static void check_binds(struct config *cfg, const struct proxy *px, unsigned n)
{
	uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
	const struct bind_conf *bind;

	list_for_each(bind, &px->binds, node)
		if (bind->workers && (bind->workers & all) != all)
			config_notice(cfg, &bind->loc, n == 1 ?
				      "'thread' or 'process' of a bind line has no effect: there is one "
				      "worker, with one thread" :
				      "'thread' or 'process' of a bind line has no effect: all workers "
				      "serve it, connections are spread evenly");
}

static void check_all_binds(struct config *cfg, unsigned n)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		check_binds(cfg, px, n);
	list_for_each(px, &all->stats_frontends, node)
		check_binds(cfg, px, n);
	list_for_each(px, &all->peers, node)
		check_binds(cfg, px, n);
}

/* ---- the end of the file ----------------------------------------------------------------- */

static unsigned usable_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
}

void workers_doubt(const struct process_conf *conf)
{
	unsigned cpus = usable_cpus();

	if (conf->nbproc || conf->nbproc_auto || conf->nbthread || cpus < 2 ||
	    !isatty(STDERR_FILENO))
		return;
	log_stderr(LOG_L_NOTICE,
		   "1 of %u processors is used; 'nbproc auto' in section 'global' takes all, "
		   "'nbproc 1' says that one is meant",
		   cpus);
}

bool workers_are_threads;

int workers_finish(struct config *cfg, void *data)
{
	struct process_conf *conf = data;
	unsigned n;

	workers_are_threads = conf->nbproc <= 1 && !conf->nbproc_auto;
	if (conf->thread_limit && conf->nbthread > conf->thread_limit) {
		config_warning(cfg, NULL, "nbthread %u is above thread-hard-limit: %u is used",
			       conf->nbthread, conf->thread_limit);
		conf->nbthread = conf->thread_limit;
	}
	n = conf->nbproc_auto ? usable_cpus() : conf->nbproc ? conf->nbproc : 1;
	if (conf->nbproc_auto && conf->thread_limit && n > conf->thread_limit)
		n = conf->thread_limit;
	if (!conf->nbproc_auto && conf->nbthread)
		n *= conf->nbthread;
	if (process_self.taken_over)
		conf->master_worker = true; /* it is one, and has workers of the file before */
	if (n > WORKERS_MOST)
		return config_error(cfg, NULL, "nbproc and nbthread together give %u workers; there can "
				    "be %d", n, WORKERS_MOST);
	conf->worker_count = n > 1 || conf->master_worker || change_parent_wanted ? n : 0;
	expr_process.count = n;
	if (conf->cpu_rules)
		map_workers(cfg, conf);
	tally_room.workers = conf->worker_count;
	segment_workers = conf->worker_count ? conf->worker_count : 1;
	tally_room.rows = !conf->worker_count ? 1 : 8 * n + 1 > SEGMENT_ROWS_LEAST ? 8 * n + 1 :
									    SEGMENT_ROWS_LEAST;
	check_all_binds(cfg, n);
	return 0;
}
