/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Health checks and agent checks of servers: when each is asked. Each has one timer and, while it
 * is running, at most one connection; between two checks there is neither a descriptor nor a
 * wake-up, and in maintenance nothing at all but the agent's. How it is asked is in ask.c, what
 * results mean is in health.c and agent.c.
 */
#include "check/checks.h"

#include "base/clock.h"
#include "base/err.h"
#include "check/agent.h"
#include "check/ask.h"
#include "check/external.h"
#include "check/health.h"
#include "check/report.h"
#include "check/rulesets.h"
#include "check/schedule.h"
#include "config/config.h"
#include "config/fragment.h"
#include "proxy/agent_conf.h"
#include "proxy/part.h"
#include "proxy/facts.h"
#include "proxy/server_add.h"

#include <stdlib.h>
#include <string.h>

struct check_settings {
	int spread;              /* spread-checks, percent of the interval */
	unsigned max_spread;     /* max-spread-checks, ms; 0: no limit */
	struct external_conf external;
	bool never_local;        /* pp2-never-send-local */
};

static struct check_settings settings;

/* -- when ------------------------------------------------------------------------------------ */

static void check_stop_or_go(struct check *check)
{
	if (!check)
		return;
	if (!schedule_wanted(check)) {
		timer_cancel(&check->timer);
		ask_stop(check);
	} else if (!timer_armed(&check->timer) && !check->reporting) {
		schedule_in(check, schedule_wait(check));
	}
}

void check_pause(struct server *server, bool paused)
{
	server->state->check.paused = paused;
	check_stop_or_go(check_of(server));
}

void check_pause_agent(struct server *server, bool paused)
{
	server->state->agent.paused = paused;
	check_stop_or_go(check_agent_of(server));
}

static void check_admin_changed(struct server *s)
{
	check_stop_or_go(check_of(s));
}

static void check_timer(struct timer *timer)
{
	struct check *check = container_of(timer, struct check, timer);

	if (check_state(check)->running)
		ask_timeout(check);
	else
		ask_begin(check);
}

/* -- what the traffic shows ------------------------------------------------------------------ */

static void check_observed(struct server *s, enum observed what)
{
	if (health_observe(s, what))
		report_observed(s, what);
}

static void check_soon(struct server *s)
{
	unsigned soon = schedule_fast_wait(s);
	struct check *check = check_of(s);

	if (check && !s->state->check.running && timer_armed(&check->timer) &&
	    check->timer.when > clock_now_ms + soon)
		schedule_in(check, soon);
}

/* -- start ----------------------------------------------------------------------------------- */

const struct external_conf *check_conf_external(const struct config *cfg)
{
	const struct check_settings *set = config_data(cfg, &check_module);

	return &set->external;
}

static bool is_checked(const struct server *s)
{
	return s->set.options.on & SRV_CHECK && !s->set.track;
}

static bool has_agent(const struct server *s)
{
	return s->set.options.on & SRV_AGENT_CHECK && server_agent_port(s);
}

static int check_finish_server(struct config *cfg, struct server *s)
{
	if (!is_checked(s) && !(s->set.options.on & SRV_AGENT_CHECK))
		return 0;
	return check_conf_finish_server(cfg, s);
}

static int check_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct server *s;
	struct proxy *px;
	int rc = 0;

	(void)data;
	list_for_each(px, &all->list, node) {
		check_conf_finish(cfg, px);
		for (s = px->servers; s; s = s->next)
			if (!s->refused && server_finish_with(cfg, s, check_finish_server) < 0)
				rc = -1;
	}
	return rc;
}

static struct check *check_new(struct server *s, const struct ruleset *rules, bool is_agent)
{
	struct check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->server = s;
	check->rules = rules;
	check->is_agent = is_agent;
	timer_init(&check->timer, check_timer);
	if (!facts_take_checks(s))
		check_state(check)->status = CHECK_INIT;
	return check;
}

static void check_free(struct check *check)
{
	if (!check)
		return;
	timer_cancel(&check->timer);
	ask_stop(check);
	change_forget(check->ticket);
	free(check->agent_send);
	free(check);
}

static int check_init(struct server *s, struct err *err)
{
	if (is_checked(s)) {
		server_part_set(s, &check_part,
				check_new(s, check_conf_rules(s->proxy), false));
		if (!check_of(s))
			return err_set(err, "out of memory for the check of server %s", s->id);
	}
	if (has_agent(s)) {
		server_part_set(s, &check_agent_part, check_new(s, &agent_rules, true));
		if (!check_agent_of(s) || check_agent_send(s, agent_conf_of(s)->send) < 0)
			return err_set(err, "out of memory for the agent check of server %s", s->id);
	}
	return 0;
}

int check_agent_send(struct server *server, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -1;
	free(check_agent_of(server)->agent_send);
	check_agent_of(server)->agent_send = copy;
	return 0;
}

static int check_make_server(struct config *cfg, struct server *s)
{
	struct err err = { "" };

	if (check_finish_server(cfg, s) < 0)
		return -1;
	return check_init(s, &err) < 0 ? config_error(cfg, &s->loc, "%s", err.text) : 0;
}

/* What its defaults section asks is made once for all that use the section. */
static int check_make_backend(struct config *cfg, struct proxy *px)
{
	struct config lasting = *cfg;

	lasting.arena = config_running->arena;
	check_conf_finish(&lasting, px);
	return 0;
}

struct proxy_part check_proxy_part = { .make = check_make_backend };

static void check_leave_server(struct server *s)
{
	check_free(check_of(s));
	check_free(check_agent_of(s));
	server_part_set(s, &check_part, NULL);
	server_part_set(s, &check_agent_part, NULL);
}

struct server_part check_server_part = { .make = check_make_server,
					       .leave = check_leave_server };

/* How many there are, and the shortest interval of one of them. */
static unsigned check_count(const struct proxies *all, unsigned *shortest)
{
	const struct server *s;
	const struct proxy *px;
	unsigned count = 0;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next) {
			count += (check_of(s) != NULL) + (check_agent_of(s) != NULL);
			if (check_of(s) && s->set.inter < *shortest)
				*shortest = s->set.inter;
			if (check_agent_of(s) && agent_conf_of(s)->inter < *shortest)
				*shortest = agent_conf_of(s)->inter;
		}
	return count;
}

/* The first ones are spread over time, so that they do not come in a burst. */
static void check_start_all(const struct proxies *all)
{
	unsigned n = 0, time = UINT32_MAX, count = check_count(all, &time);
	struct server *s;
	struct proxy *px;

	if (settings.max_spread && settings.max_spread < time)
		time = settings.max_spread;
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next) {
			if (check_of(s) && schedule_wanted(check_of(s)))
				schedule_in(check_of(s),
					       (unsigned)((uint64_t)time * n++ / count));
			if (check_agent_of(s))
				schedule_in(check_agent_of(s),
					       (unsigned)((uint64_t)time * n++ / count));
		}
}

static void check_stop_all(const struct proxies *all)
{
	struct server *s;
	struct proxy *px;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next) {
			check_stop_or_go(check_of(s));
			check_stop_or_go(check_agent_of(s));
		}
}

/* What the one that checked before has found is known here, up to what changed nothing. */
static void check_take_over(const struct proxies *all)
{
	const struct proxy *px;
	const struct server *s;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next) {
			facts_refresh_checks(s);
			s->state->check.running = s->state->agent.running = false;
		}
}

/* Of several processes one checks. */
static void check_make_active(bool active)
{
	if (active == facts_checker.here)
		return;
	if (active)
		check_take_over(proxies_running);
	facts_checker.here = active;
	if (active)
		check_start_all(proxies_running);
	else
		check_stop_all(proxies_running);
	facts_tell_checker();
}

static int check_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct server *s;
	struct proxy *px;

	settings = *(const struct check_settings *)data;
	schedule_spread = settings.spread;
	external_conf = settings.external;
	ask_speaks_for_itself = settings.never_local;
	server_hooks.observed = check_observed;
	server_hooks.admin_changed = check_admin_changed;
	report_make_checker = check_make_active;
	report_check_soon = check_soon;
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (check_init(s, err))
				return -1;
	return 0;
}

static int check_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	srandom((unsigned)clock_read_us());
	if (!change_is_shared())
		check_make_active(true);
	return 0;
}

static void check_stop(void)
{
	struct server *s;
	struct proxy *px;

	facts_checker.here = false;
	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node)
		for (s = px->servers; s; s = s->next)
			check_leave_server(s);
}

static const struct keyword check_keywords[] = {
	{ .name = "spread-checks", .scope = SCOPE_GLOBAL, .flags = KW_FIRST, .args = "<0..50, in percent>",
	  .parse = set_int, .offset = offsetof(struct check_settings, spread), .max = 50,
	  .dflt = "0", .help = "random share by which each interval is longer or shorter" },
	{ .name = "max-spread-checks", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct check_settings, max_spread),
	  .dflt = "no limit", .help = "longest time between the first checks of all servers" },
	{ .name = "pp2-never-send-local", .scope = SCOPE_GLOBAL, .args = "", .parse = set_flag,
	  .offset = offsetof(struct check_settings, never_local), .dflt = "off",
	  .help = "PROXY headers (version 2) of health checks name the addresses of the connection" },
	{ .name = "external-check", .scope = SCOPE_GLOBAL, .args = "", .parse = set_flag,
	  .offset = offsetof(struct check_settings, external.enabled), .dflt = "off",
	  .help = "health checks may run commands" },
	{ .name = "insecure-setuid-wanted", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct check_settings, external.setuid_wanted),
	  .dflt = "off", .help = "commands that it starts may gain rights by setuid files" },
	{ .name = NULL },
};

const struct module check_module = {
	.name = "check",
	.keywords = check_keywords,
	.data_size = sizeof(struct check_settings),
	.finish = check_finish,
	.prepare = check_prepare,
	.start = check_start,
	.stop = check_stop,
};
