/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show env, cli sockets, pools, activity; clear counters' part of the activity: what
 * is to be seen of the process itself.
 */
#include "base/clock.h"
#include "base/pool.h"
#include "cli/activity.h"
#include "cli/stats_conf.h"
#include "cli/tables.h"
#include "event/loop.h"
#include "event/poller.h"
#include "event/timer.h"
#include "log/date.h"
#include "expr/userlist.h"
#include "log/log.h"
#include "net/listener.h"
#include "net/share.h"
#include "net/window.h"
#include "proxy/proxy.h"
#include "relay/pump.h"
#include "relay/rest.h"
#include "stream/stream.h"

#include <unistd.h>

/* -- show env -------------------------------------------------------------------------------- */

struct env_state {
	unsigned at; /* variable */
	size_t said; /* bytes of it that were said: it may be longer than a piece */
};

static int env_start(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);
	size_t len = strlen(name);
	struct env_state *state = CLI_STATE_OF(struct env_state, call);

	if (!len)
		return 0;
	for (state->at = 0; environ[state->at]; state->at++)
		if (!strncmp(environ[state->at], name, len) && environ[state->at][len] == '=')
			return 0;
	return err_set(err, "Variable not found");
}

/* Line feeds inside of values would look like the end of the answer. */
static void env_say(struct text *out, const char *value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text_char(out, value[i] == '\n' ? ' ' : value[i]);
}

static enum cli_step env_next(struct cli_call *call)
{
	struct env_state *state = CLI_STATE_OF(struct env_state, call);
	unsigned n = 0;
	const char *var;
	size_t len;

	while (environ[n] && n < state->at)
		n++;
	if (!(var = environ[n]))
		return CLI_END;
	len = strlen(var);
	if (state->said > len)
		state->said = len;
	len -= state->said;
	if (len > CLI_PIECE / 2) {
		env_say(call->out, var + state->said, CLI_PIECE / 2);
		state->said += CLI_PIECE / 2;
		return CLI_MORE;
	}
	env_say(call->out, var + state->said, len);
	text_char(call->out, '\n');
	state->said = 0;
	state->at++;
	return *cli_arg(call, 0) ? CLI_END : CLI_MORE;
}

/* -- show cli sockets ------------------------------------------------------------------------ */

struct sockets_state {
	unsigned at;
};

static int sockets_start(struct cli_call *call, struct err *err)
{
	(void)err;
	text_str(call->out, "# socket lvl processes\n");
	return 0;
}

static const struct listener *sockets_at(unsigned n)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct proxy *px;

	list_for_each(px, &proxies_running->stats_frontends, node)
		list_for_each(bind, &px->binds, node)
			list_for_each(l, &bind->listeners, node)
				if (!n--)
					return l;
	return NULL;
}

static enum cli_step sockets_next(struct cli_call *call)
{
	static const char *const levels[] = { "none", "user", "operator", "admin" };
	struct sockets_state *state = CLI_STATE_OF(struct sockets_state, call);
	const struct listener *l = sockets_at(state->at++);

	if (!l)
		return CLI_END;
	addr_print_named(&l->addr, call->out);
	text_printf(call->out, " %s all\n", levels[cli_socket_of(l->bind)->level]);
	return CLI_MORE;
}

/* -- show pools ------------------------------------------------------------------------------ */

struct pools_state {
	const struct pool *pool; /* pools are never taken out of their list */
	unsigned count;
	uint64_t allocated, used;
};

static int pools_start(struct cli_call *call, struct err *err)
{
	struct pools_state *state = CLI_STATE_OF(struct pools_state, call);

	(void)err;
	state->pool = pool_first();
	text_str(call->out, "Dumping pools usage.\n");
	return 0;
}

static enum cli_step pools_next(struct cli_call *call)
{
	struct pools_state *state = CLI_STATE_OF(struct pools_state, call);
	const struct pool *p = state->pool;

	if (!p) {
		text_printf(call->out, "Total: %u pools, %llu bytes allocated, %llu used.\n",
			    state->count, (unsigned long long)state->allocated,
			    (unsigned long long)state->used);
		return CLI_END;
	}
	text_printf(call->out,
		    "  - Pool %s (%zu bytes) : %llu allocated (%llu bytes), %llu used, "
		    "%llu failures\n",
		    p->name, p->size, (unsigned long long)p->allocated,
		    (unsigned long long)(p->allocated * p->size), (unsigned long long)p->used,
		    (unsigned long long)p->failed);
	state->count++;
	state->allocated += p->allocated * p->size;
	state->used += p->used * p->size;
	state->pool = p->next;
	return CLI_MORE;
}

/* -- show activity --------------------------------------------------------------------------- */

enum activity {
#define ACTIVITY(name, value) ACTIVITY_##name,
#include "cli/activity.def"
#undef ACTIVITY
	ACTIVITIES
};

static uint64_t activity_cleared[ACTIVITIES]; /* values at the last "clear counters" */

static uint64_t activity_pool_failures(void)
{
	uint64_t n = 0;

	for (const struct pool *p = pool_first(); p; p = p->next)
		n += p->failed;
	return n;
}

static void activity_read(uint64_t values[ACTIVITIES])
{
#define ACTIVITY(name, value) values[ACTIVITY_##name] = (value);
#include "cli/activity.def"
#undef ACTIVITY
}

void cli_clear_activity(void)
{
	activity_read(activity_cleared);
}

static int activity_start(struct cli_call *call, struct err *err)
{
	static const char *const names[ACTIVITIES] = {
#define ACTIVITY(name, value) #name,
#include "cli/activity.def"
#undef ACTIVITY
	};
	struct timeval now = clock_wall();
	uint64_t values[ACTIVITIES];

	(void)err;
	activity_read(values);
	text_printf(call->out, "thread_id: 1 (1..1)\ndate_now: %lld.%06ld\n", (long long)now.tv_sec,
		    (long)now.tv_usec);
	for (int i = 0; i < ACTIVITIES; i++)
		text_printf(call->out, "%s: %llu\n", names[i],
			    (unsigned long long)(values[i] - activity_cleared[i]));
	text_printf(call->out, "tasks_queued: %u\ntimers_armed: %u\nsources: %u\nstreams: %u\n",
		    tasks_queued(), timer_count(), loop_stats.sources, streams_count);
	return 0;
}

const struct cli_command cli_process_commands[] = {
	{ .words = "show env", .args = "[var]", .level = LEVEL_OPERATOR, .start = env_start,
	  .next = env_next, CLI_STATE(struct env_state),
	  .help = "dump environment variables known to the process" },
	{ .words = "show cli sockets", .level = LEVEL_USER, .start = sockets_start,
	  .next = sockets_next, CLI_STATE(struct sockets_state),
	  .help = "dump list of cli sockets" },
	{ .words = "show pools", .level = LEVEL_USER, .flags = CLI_GATHER | CLI_NAMED,
	  .start = pools_start, .next = pools_next,
	  CLI_STATE(struct pools_state),
	  .help = "report information about the memory pools usage" },
	{ .words = "show activity", .level = LEVEL_USER, .flags = CLI_GATHER | CLI_NAMED,
	  .start = activity_start,
	  .help = "show counters of internal events (for support/developers)" },
	{ .words = NULL },
};
