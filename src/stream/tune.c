/* SPDX-License-Identifier: BSD-2-Clause */
/* Global words that set how bytes move, and their effect at start. Manual 3.2. */
#include "stream/tune.h"

#include "base/err.h"
#include "base/memory.h"
#include "config/config.h"
#include "event/loop.h"
#include "event/poller.h"
#include "event/profile.h"
#include "event/quota.h"
#include "expr/expr.h"
#include "kernel/kernel.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/sock.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "stream/stream.h"
#include "stream/trim.h"
#include "tls/conn.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { BUFSIZE = 16384, MAXREWRITE = 1024, BUFSIZE_MIN = 1024, SPIN_US = 60 };

static int parse_profile_memory(struct statement *st, const struct keyword *kw, void *object)
{
	(void)object;
	if (stmt_take(st, "off"))
		return stmt_end(st);
	if (!stmt_peek(st) || strcmp(stmt_peek(st), "on"))
		return stmt_error(st, st->at, "'on' or 'off' is expected");
	return stmt_error(st, st->at, "'%s': allocations are not counted by their callers here: "
			  "'show pools' tells what there is of each kind", kw->name);
}

static void tune_watch_times(bool runs)
{
	streams_watched &= (uint8_t)~WATCH_TIMES;
	streams_watched |= runs ? WATCH_TIMES : 0;
}

static void tune_init(struct config *cfg, void *data)
{
	struct tune *t = data;

	(void)cfg;
	t->bufsize = BUFSIZE;
	t->maxrewrite = MAXREWRITE;
	t->maxpipes = -1;
	t->spin_us = -1;
	t->kernel_after = 8;
	t->buffers_reserve = 2;
	t->maxpollevents = 200;
	t->profile = PROFILE_AUTO;
}

static int tune_finish(struct config *cfg, void *data)
{
	struct tune *t = data;

	(void)cfg;
	t->nosplice |= t->colocated;
	if (t->maxrewrite >= t->bufsize / 2)
		t->maxrewrite = t->bufsize / 2;
	return 0;
}

void tune_pipes(const struct tune *t)
{
	pipes_init(t->nosplice ? 0 : limits.pipes, t->pipesize);
}

static int tune_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct tune *t = data;

	if (!expr_scratch_resize(t->bufsize)) {
		err_set(err, "out of memory: buffers of %zu bytes for expressions",
			(size_t)t->bufsize);
		return -1;
	}
	profile_switched = tune_watch_times;
	profile_set((enum profile_mode)t->profile);
	streams_watched &= (uint8_t)~WATCH_CALLS;
	streams_watched |= all->global.counts_calls ? WATCH_CALLS : 0;
	loop_limit_tasks((unsigned)t->runqueue_depth);
	memory_debug.fail_percent = (unsigned)t->fail_alloc;
	trim_configure(!t->no_trimming);
	buffer_configure(t->bufsize, t->maxrewrite, (unsigned)t->buffers_limit);
	if (!buffer_reserve_some((unsigned)t->buffers_reserve)) {
		err_set(err, "out of memory: %d buffers in reserve", t->buffers_reserve);
		return -1;
	}
	tls_early_most = (unsigned)(t->bufsize - t->maxrewrite);
	conn_tune.recv_enough = t->colocated ? UINT_MAX : (unsigned)t->recv_enough;
	conn_tune.reads_to_end = t->colocated;
	sock_tune = (struct sock_tune){
		.rcvbuf_client = t->rcvbuf_client,
		.sndbuf_client = t->sndbuf_client,
		.rcvbuf_server = t->rcvbuf_server,
		.sndbuf_server = t->sndbuf_server,
	};
	return 0;
}

/* Whose time is rationed would stand still later for what it spins now. */
static unsigned tune_spin_us(const struct tune *t)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (t->spin_us >= 0)
		return (unsigned)t->spin_us;
	return quota_below(QUOTA_GROUPS, QUOTA_ROOT, processors > 0 ? (unsigned)processors : 1) ?
		       0 : SPIN_US;
}

/* A stream takes two places in the maps for a while behind its end, too. */
static int tune_start(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct tune *t = data;
	const struct proxy *px;
	struct err cause;
	bool wanted = false;

	(void)err;
	/* the parent of workers, who starts nothing, has nobody to answer so soon */
	loop_busy(t->busy_polling);
	poller_spin(tune_spin_us(t), t->spin_us < 0);
	kernel_after = (unsigned)t->kernel_after;
	list_for_each(px, &all->list, node)
		wanted |= (px->set.options.on & OPT_KERNEL_RELAYS) != 0;
	if (wanted && t->colocated) {
		/* what is queued at a socket never comes to the program of the relay */
		log_process(LOG_L_NOTICE, "option kernel-relay does not go with tune.colocated: "
			    "copies do it.");
		return 0;
	}
	if (wanted && kernel_start(global_state->maxconn / 4 * 5 + 16, &cause) < 0)
		log_process(LOG_L_NOTICE, "option kernel-relay: the kernel cannot relay here (%s); "
			    "pipes and copies do it.", cause.text);
	return 0;
}

static void tune_stop(void)
{
	kernel_stop();
	pipes_free();
}

/* Alone it does nothing, as in the reference: nobody's service fails by a line that was
 * forgotten. */
static int parse_fail_alloc(struct statement *st, const struct keyword *kw, void *object)
{
	if (set_int(st, kw, object))
		return -1;
	if (!(memory_debug.how & MEMORY_FAILS))
		stmt_warning(st, 0, "this has no effect without the option -dMfail");
	return 0;
}

#define SIZE_ROW(word, once, field, lo, hi, deflt, text)                                       \
	{ .name = word, .scope = SCOPE_GLOBAL, .flags = once, .args = "<size>",                  \
	  .parse = set_size,                                                                   \
	  .offset = offsetof(struct tune, field), .min = lo, .max = hi, .dflt = deflt,         \
	  .help = text }
#define INT_ROW(word, once, field, lo, hi, deflt, text)                                        \
	{ .name = word, .scope = SCOPE_GLOBAL, .flags = once, .args = "<number>",                \
	  .parse = set_int,                                                                    \
	  .offset = offsetof(struct tune, field), .min = lo, .max = hi, .dflt = deflt,         \
	  .help = text }

static const struct keyword tune_keywords[] = {
	{ .name = "busy-polling", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct tune, busy_polling), .dflt = "off",
	  .help = "workers never sleep: less latency, for a processor each" },
	INT_ROW("maxpipes", KW_FIRST, maxpipes, 0, 1000000, "a quarter of maxconn",
		"most pipes in use at once; without a free one bytes are copied"),
	{ .name = "no-memory-trimming", .scope = SCOPE_GLOBAL, .args = "", .parse = set_flag,
	  .offset = offsetof(struct tune, no_trimming), .dflt = "off",
	  .help = "memory of a flood that has passed is not given back to the system" },
	{ .name = "nosplice", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct tune, nosplice), .dflt = "off",
	  .help = "never splice: every direction copies" },
	{ .name = "tune.disable-zero-copy-forwarding", .scope = SCOPE_GLOBAL, .args = "",
	  .parse = set_flag, .offset = offsetof(struct tune, nosplice), .dflt = "off",
	  .help = "as nosplice: every direction copies" },
	{ .name = "profiling.memory", .scope = SCOPE_GLOBAL, .args = "{ on | off }",
	  .parse = parse_profile_memory, .dflt = "off",
	  .help = "for existing files: 'on' is refused, see show pools" },
	{ .name = "profiling.tasks", .scope = SCOPE_GLOBAL, .args = "{ auto | on | off }",
	  .parse = set_enum, .offset = offsetof(struct tune, profile), .dflt = "auto",
	  .names = (const char *const[]){ "off", "on", "auto", NULL },
	  .help = "measure how long each function of the loop and each stream takes" },
	SIZE_ROW("tune.bufsize", 0, bufsize, BUFSIZE_MIN, 1 << 30, "16384",
		 "bytes of a buffer in which data wait to be looked at"),
	SIZE_ROW("tune.maxrewrite", 0, maxrewrite, 0, 1 << 30, "1024",
		 "bytes of a buffer kept free for what is put in front of the data"),
	INT_ROW("tune.buffers.limit", 0, buffers_limit, 0, 1 << 30, "0 (no limit)",
		"most buffers of tune.bufsize in use at once"),
	{ .name = "tune.colocated", .scope = SCOPE_GLOBAL, .args = "{ on | off }",
	  .parse = set_enum, .offset = offsetof(struct tune, colocated), .dflt = "off",
	  .names = (const char *const[]){ "off", "on", NULL },
	  .help = "reads so that penstock colocate may serve this process, too: never splices" },
	INT_ROW("tune.kernel-relay.after", 0, kernel_after, 0, 1000, "8",
		"option kernel-relay: small pieces in a row before the kernel takes over"),
	{ .name = "tune.fail-alloc", .scope = SCOPE_GLOBAL, .args = "<percent>",
	  .parse = parse_fail_alloc, .offset = offsetof(struct tune, fail_alloc), .max = 100,
	  .dflt = "0", .help = "with -dMfail: how many of 100 allocations for traffic fail" },
	INT_ROW("tune.buffers.reserve", 0, buffers_reserve, 2, 1 << 20, "2",
		"buffers allocated at the start, for when memory runs out"),
	SIZE_ROW("tune.pipesize", 0, pipesize, 4096, 1 << 30, "1m",
		 "bytes that a pipe should hold; the system may allow less"),
	INT_ROW("tune.spin-us", 0, spin_us, 0, 10000, "60, as long as that pays",
		"microseconds for which a worker polls on before it sleeps"),
	INT_ROW("tune.maxpollevents", KW_FIRST, maxpollevents, 1, 1000000, "200",
		"most events taken from one poll"),
	INT_ROW("tune.pool-low-fd-ratio", 0, pool_low, 0, 100, "0 (off)",
		"percent of the descriptors above which no connection to a server is kept"),
	INT_ROW("tune.pool-high-fd-ratio", 0, pool_high, 0, 100, "0 (off)",
		"percent of the descriptors above which a new connection closes an idle one"),
	INT_ROW("tune.recv_enough", 0, recv_enough, 0, 1 << 30, "0",
		"a short read below this size is followed by another one"),
	INT_ROW("tune.runqueue-depth", KW_FIRST, runqueue_depth, 0, 1 << 30, "0 (all that wait)",
		"most tasks run in one turn of the loop, before it looks for events again"),
	SIZE_ROW("tune.rcvbuf.client", KW_FIRST, rcvbuf_client, 0, 1 << 30, "the system's",
		 "kernel receive buffer of client connections"),
	SIZE_ROW("tune.sndbuf.client", KW_FIRST, sndbuf_client, 0, 1 << 30, "the system's",
		 "kernel send buffer of client connections"),
	SIZE_ROW("tune.rcvbuf.server", KW_FIRST, rcvbuf_server, 0, 1 << 30, "the system's",
		 "kernel receive buffer of server connections"),
	SIZE_ROW("tune.sndbuf.server", KW_FIRST, sndbuf_server, 0, 1 << 30, "the system's",
		 "kernel send buffer of server connections"),
	{ .name = NULL },
};

static int tune_enabled(const void *data, const char *option)
{
	const struct tune *tune = data;

	if (!strcmp(option, "SPLICE"))
		return !tune->nosplice;
	return !strcmp(option, "EPOLL") || !strcmp(option, "FAST-FORWARD") ? 1 : -1;
}

const struct module tune_module = {
	.name = "tune",
	.keywords = tune_keywords,
	.data_size = sizeof(struct tune),
	.init = tune_init,
	.finish = tune_finish,
	.prepare = tune_prepare,
	.start = tune_start,
	.stop = tune_stop,
	.enabled = tune_enabled,
};
