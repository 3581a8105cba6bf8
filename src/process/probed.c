/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PENSTOCK_PROBES=EVERY[:SEED[:end|down|both[:sockets]]], in builds with probes alone: at one of so
 * many probes on average, in every process that serves, the stream at hand ends, or its server goes
 * down for a moment with all of its streams (stream/probe.h). SEED 0: exactly so many apart. When
 * the process has served, what it leaves behind is judged. PENSTOCK_PROBES_LOG names a file that
 * is told of it: contrib/probes/run-suite reads it. Called by run.c.
 */
#include "process/probed.h"

#ifdef PROBES
#include "base/clock.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "check/checks.h"
#include "cli/cli.h"
#include "cli/shared.h"
#include "event/loop.h"
#include "event/timer.h"
#include "exchange/idle.h"
#include "net/conn.h"
#include "net/orphan.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "session/keepalive.h"
#include "session/listening.h"
#include "share/segment.h"
#include "stream/probe.h"
#include "stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { HANGS_S = 30,     /* of the processor, in one turn of the loop */
       SETTLE_MS = 1500, /* in which what is over must end by itself, and what is ended be freed:
			  * together less than the 4 s after which varnishtest kills */
       END_S = 90,       /* in which judging must end */
       DOWN_MS = 20 };

static bool probed;
static int told = -1;
static uint64_t turns_before;
static struct timer repair;
static struct server *marked; /* is down; NULL: none */

static void tell(const char *what, const char *more)
{
	if (told >= 0 && dprintf(told, "%d %s%s\n", (int)getpid(), what, more) < 0)
		return; /* nobody wants to know */
}

/* -- a server that is down for a moment ------------------------------------------------------ */

/* As the command of an administrator. */
static void set_health(const struct server *s, const char *health)
{
	char memory[512];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_char(&t, LEVEL_ADMIN);
	text_char(&t, CLI_SEVERITY_NONE);
	text_printf(&t, "set server %s/%s health %s ", s->proxy->name, s->id, health);
	if (t.cut)
		return;
	for (char *at = memory + 2; at < memory + t.len; at++)
		*at = *at == ' ' ? 0 : *at;
	text_char(&t, 0);
	change_submit(&cli_change, memory, t.len, NULL, NULL);
}

static void set_up(struct timer *timer)
{
	(void)timer;
	set_health(marked, "up");
	marked = NULL;
}

static void mark_down(struct server *s)
{
	if (!marked) {
		marked = s;
		set_health(s, "down");
		timer_set(&repair, clock_now_ms + DOWN_MS);
	}
	streams_end_server(s, END_SERVER_DOWN);
}

/* -- start ----------------------------------------------------------------------------------- */

static void out_of_time(int signo)
{
	static const char why[] = "penstock: judging what is left does not end\n";

	(void)signo;
	if (write(STDERR_FILENO, why, sizeof(why) - 1) > 0)
		tell("hangs", "");
	abort();
}

static void still_in_turn(int signo)
{
	static const char why[] = "penstock: a turn of the loop does not end\n";

	(void)signo;
	if (turns_before != loop_stats.turns) {
		turns_before = loop_stats.turns;
		return;
	}
	if (write(STDERR_FILENO, why, sizeof(why) - 1) > 0)
		tell("hangs", "");
	abort();
}

static void watch(void)
{
	const struct itimerval often = { { HANGS_S, 0 }, { HANGS_S, 0 } };

	signal(SIGALRM, out_of_time);
	signal(SIGPROF, still_in_turn);
	setitimer(ITIMER_PROF, &often, NULL);
}

static bool read_deed(const char *word, enum probe_deed *deed)
{
	static const char *const words[] = { "end", "down", "both" };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i]))
			*deed = (enum probe_deed)i;
	return !strcmp(word, words[*deed]);
}

static bool read_plan(const char *text, struct probe_plan *plan)
{
	char deed[8] = "end", whose[8] = "";
	unsigned long every, seed = 0;
	int end = 0, n;

	n = sscanf(text, "%lu%n:%lu%n:%7[a-z]%n:%7[a-z]%n", &every, &end, &seed, &end, deed, &end, whose,
		   &end);
	if (n < 1 || text[end] || !every || every > UINT32_MAX || !read_deed(deed, &plan->deed) ||
	    (*whose && strcmp(whose, "sockets") != 0))
		return false;
	plan->every = plan->first = every;
	plan->seed = seed ? seed + segment_own_row * 0x9e3779b97f4a7c15 : 0;
	plan->asking = *whose;
	plan->down = mark_down;
	return true;
}

int probed_start(struct err *err)
{
	const char *text = getenv("PENSTOCK_PROBES"), *path = getenv("PENSTOCK_PROBES_LOG");
	struct probe_plan plan = { 0 };

	if (!text)
		return 0;
	if (!read_plan(text, &plan))
		return err_set(err, "PENSTOCK_PROBES is EVERY[:SEED[:end|down|both[:sockets]]], not '%s'",
			       text);
	probed = true;
	if (path)
		told = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	tell("began", "");
	timer_init(&repair, set_up);
	watch();
	probe_arm(&plan);
	return 0;
}

/* -- the end --------------------------------------------------------------------------------- */

static void fail(const char *what)
{
	fprintf(stderr, "penstock: behind probes there is left: %s\n", what);
	tell("left ", what);
	abort();
}

/* Nothing comes of it, nothing can be sent to it, and nothing of it waits: the kernel says so. */
static bool client_has_gone(const struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.client);
	struct pollfd asked = { .fd = conn ? conn->src.fd : -1 };
	char byte;

	return conn && !pump_held(&s->relay.request) && poll(&asked, 1, 0) > 0 &&
	       asked.revents & (POLLHUP | POLLERR) &&
	       (recv(asked.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 || errno != EAGAIN);
}

static const struct stream *stream_forgotten(void)
{
	const struct stream *s;

	list_for_each(s, &streams_all, node)
		if (client_has_gone(s))
			return s;
	return NULL;
}

static void turn(void)
{
	loop_turn(0);
	usleep(1000);
}

static void judge_streams(uint64_t until_ms)
{
	const struct stream *s;
	char memory[128];
	struct text t;

	do
		turn();
	while ((s = stream_forgotten()) && clock_now_ms < until_ms);
	if (!s)
		return;
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "stream %llu (%s) of a client that has gone, at %s", (unsigned long long)s->id,
		    s->origin->frontend->name, stream_phase_name(s));
	fail(t.ptr);
}

static uint64_t used(const char *name)
{
	const struct pool *pool;

	for (pool = pool_first(); pool; pool = pool->next)
		if (!strcmp(pool->name, name))
			return pool->used;
	return 0;
}

/* What streams have, and nobody else when the checks have stopped. Sessions have a stream, or what
 * makes them one. */
static bool print_left(struct text *t)
{
	static const char *const names[] = {
		"stream", "exchange", "exchange room", "extra", "buffer", "small buffer", "http/1 end",
		"cli", "stats", "idle", "lingerer", "filters", "compressor", "deflater", "trace", "limit",
		"PROXY vectors",
	};
	unsigned i;

	t->len = 0;
	for (i = 0; i < ARRAY_LEN(names); i++)
		if (used(names[i]))
			text_printf(t, " %s %llu", names[i], (unsigned long long)used(names[i]));
	if (used("session") > used("handshake"))
		text_printf(t, " session %llu, handshake %llu", (unsigned long long)used("session"),
			    (unsigned long long)used("handshake"));
	return t->len;
}

static void judge_memory(uint64_t until_ms)
{
	char memory[512];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	check_module.stop();
	do {
		streams_end_all(END_KILLED);
		keepalive_close_all();
		idle_close_all();
		while (orphan_cut())
			;
		turn();
	} while (print_left(&t) && clock_now_ms < until_ms);
	if (t.len)
		fail(t.ptr);
}

void probed_judge(void)
{
	static const struct probe_plan none;
	char memory[64];
	struct text t;

	if (!probed)
		return;
	alarm(END_S);
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, " %llu %llu", (unsigned long long)probe_passes(),
		    (unsigned long long)probe_done());
	probe_arm(&none);
	listeners_held = true; /* others may go on listening on the same sockets */
	listening_pause();
	judge_streams(clock_now_ms + SETTLE_MS);
	judge_memory(clock_now_ms + SETTLE_MS);
	tell("ended", t.ptr);
	alarm(0);
}
#endif
