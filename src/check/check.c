/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Health checks of servers: when each is asked, and the asking. A checked server has one timer
 * and, while a check is running, one connection; between two checks there is neither a descriptor
 * nor a wake-up, and in maintenance nothing at all. What results mean is in health.c.
 */
#include "check/check.h"

#include "base/clock.h"
#include "base/err.h"
#include "check/health.h"
#include "config/config.h"
#include "net/conn.h"
#include "net/proxyproto.h"
#include "proxy/dial.h"
#include "proxy/proxy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct check_settings {
	int spread;              /* spread-checks, percent of the interval */
	unsigned max_spread;     /* max-spread-checks, ms; 0: no limit */
};

static struct check_settings settings;

/* -- when ------------------------------------------------------------------------------------ */

static unsigned first_of(unsigned a, unsigned b)
{
	return a ? a : b;
}

/* Manual 5.2 "inter": fully up; in between; fully down. */
static unsigned check_interval(const struct server *s)
{
	int health = s->state->health;

	if (health >= s->set.rise + s->set.fall - 1)
		return s->set.inter;
	if (health <= 0)
		return first_of(s->set.downinter, s->set.inter);
	return first_of(s->set.fastinter, s->set.inter);
}

/* The interval, more or less the share of spread-checks. */
static unsigned check_spread(unsigned ms)
{
	unsigned range = (unsigned)((uint64_t)ms * (unsigned)settings.spread / 100);

	return range ? ms - range + (unsigned)(random() % (2 * (long)range + 1)) : ms;
}

static void check_schedule(struct check *check, unsigned ms)
{
	timer_set(&check->timer, clock_now_ms + ms);
}

/* Counted from the beginning of the last one, so that its duration does not matter. */
static void check_schedule_next(struct check *check)
{
	uint64_t when = check->started_ms + check_spread(check_interval(check->server));

	timer_set(&check->timer, when > clock_now_ms ? when : clock_now_ms);
}

/* Until connected: timeout connect, but not longer than inter; then timeout check, if there is
 * one, else inter for all (manual 4.2 "timeout check"). */
static unsigned check_limit(const struct check *check)
{
	const struct timeouts *t = &check->server->proxy->set.timeout;
	unsigned inter = check->server->set.inter;
	uint64_t elapsed = clock_now_ms - check->started_ms;

	if (!t->check)
		return elapsed < inter ? inter - (unsigned)elapsed : 0;
	if (check->connected)
		return t->check;
	return t->connect && t->connect < inter ? t->connect : inter;
}

/* In maintenance, or paused by an administrator, nobody asks. */
static bool check_wanted(const struct server *s)
{
	return !s->state->check.paused && !(s->state->admin & ADMIN_MAINT);
}

static void check_forget(struct check *check)
{
	timer_cancel(&check->timer);
	conn_close(&check->conn, true);
	check->server->state->check.running = false;
}

static void check_stop_or_go(struct server *s)
{
	if (!s->check)
		return;
	if (!check_wanted(s))
		check_forget(s->check);
	else if (!timer_armed(&s->check->timer))
		check_schedule(s->check, check_spread(check_interval(s)));
}

void check_pause(struct server *server, bool paused)
{
	server->state->check.paused = paused;
	check_stop_or_go(server);
}

/* -- asking ---------------------------------------------------------------------------------- */

void check_report(struct check *check, enum check_status status)
{
	struct server *s = check->server;

	if (check->conn)
		s->state->check.error = check->conn->error;
	conn_close(&check->conn, true);
	s->state->check.running = false;
	s->state->check.duration_ms = (unsigned)((clock_read_us() - check->started_us) / 1000);
	health_result(s, status);
	check_schedule_next(check);
}

static struct addr check_address(const struct server *s)
{
	const struct server_state *state = s->state;
	struct addr to = state->check.addr.family ? state->check.addr : state->addr;

	if (state->check.port)
		to.port = state->check.port;
	else if (!to.port)
		to.port = state->addr.port;
	return to;
}

/* Manual 5.2 "check-send-proxy": as in the traffic, unless something else is asked. */
static bool check_sends_proxy(const struct server *s)
{
	uint64_t on = s->set.options.on;

	return on & SRV_CHECK_SEND_PROXY ||
	       (on & (SRV_SEND_PROXY | SRV_SEND_PROXY_V2) && !(on & (SRV_CHECK_ADDR | SRV_CHECK_PORT)));
}

/* A socket that has just connected takes these few bytes at once. */
static void check_send_proxy(struct check *check)
{
	struct addr from, to = check_address(check->server);
	bool v2 = check->server->set.options.on & SRV_SEND_PROXY_V2;
	char line[PROXYPROTO_V1_MAX];
	size_t len, sent;

	if (!conn_local_addr(check->conn, &from))
		from = (struct addr){ .family = AF_UNSPEC };
	len = v2 ? proxyproto_v2(line, &from, &to, true) : proxyproto_v1(line, &from, &to);
	conn_send(check->conn, line, len, false, &sent);
}

static void check_connected(struct check *check)
{
	check->connected = true;
	if (check_sends_proxy(check->server))
		check_send_proxy(check);
	check_schedule(check, check_limit(check));
	check->ops->connected(check);
}

static void check_ready(struct conn *conn)
{
	struct check *check = conn->owner;

	if (!check->connected && conn->flags & (CONN_ERROR | CONN_HUP)) {
		conn_check_error(conn);
		check_report(check, CHECK_L4CON);
		return;
	}
	if (!check->connected && conn->flags & CONN_WRITABLE)
		check_connected(check);
	else if (check->connected && check->ops->readable && conn->flags & CONN_READABLE)
		check->ops->readable(check);
}

static void check_not_started(struct check *check, enum check_status status, enum check_cause cause)
{
	check->server->state->check.error = (uint16_t)errno;
	check->server->state->check.cause = (uint8_t)cause;
	check_report(check, status);
}

static void check_begin(struct check *check)
{
	struct server_state *state = check->server->state;

	check->connected = false;
	check->started_us = clock_read_us();
	check->started_ms = clock_now_ms;
	state->check.running = true;
	state->check.error = 0;
	state->check.cause = CAUSE_CONNECTION;
}

static void check_run(struct check *check)
{
	struct addr to = check_address(check->server);
	bool local = to.family == AF_UNIX;
	int fd = -1;

	check_begin(check);
	switch (server_dial_check(check->server, &to, &fd)) {
	case DIAL_SOURCE:
		check_not_started(check, CHECK_L4CON, CAUSE_SOURCE);
		return;
	case DIAL_RESOURCE:
		check_not_started(check, CHECK_SOCKERR, CAUSE_SOCKET);
		return;
	case DIAL_REFUSED:
		check_not_started(check, local ? CHECK_SOCKERR : CHECK_L4CON, CAUSE_SOCKET);
		return;
	case DIAL_STARTED:
		break;
	}
	check->conn = conn_new();
	if (!check->conn || conn_attach(check->conn, &fd, CONN_CONNECTING | (local ? 0 : CONN_TCP),
					check_ready) < 0) {
		if (fd >= 0)
			close(fd);
		conn_close(&check->conn, true);
		check_not_started(check, CHECK_SOCKERR, CAUSE_SOCKET);
		return;
	}
	check->conn->owner = check;
	check_schedule(check, check_limit(check));
}

static void check_timer(struct timer *timer)
{
	struct check *check = container_of(timer, struct check, timer);

	if (check->conn)
		check_report(check, check->connected ? check->ops->timeout : CHECK_L4TOUT);
	else
		check_run(check);
}

/* -- what the traffic shows ------------------------------------------------------------------ */

static void check_observed(struct server *s, enum observed what)
{
	unsigned soon = check_spread(first_of(s->set.fastinter, s->set.inter));
	struct check *check = s->check;

	if (health_observe(s, what) && check && !check->conn && timer_armed(&check->timer) &&
	    check->timer.when > clock_now_ms + soon)
		check_schedule(check, soon);
}

/* -- start ----------------------------------------------------------------------------------- */

static bool is_checked(const struct server *s)
{
	return s->set.options.on & SRV_CHECK && !s->set.track && !s->proxy->set.disabled;
}

static int check_finish_server(struct config *cfg, const struct server *s)
{
	struct addr to = check_address(s);

	if ((to.family == AF_INET || to.family == AF_INET6) && !to.port)
		return config_error(cfg, &s->loc,
				    "server %s has neither service port nor check port, so it "
				    "cannot be checked",
				    s->id);
	return 0;
}

static int check_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct server *s;
	struct proxy *px;
	int rc = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (is_checked(s) && check_finish_server(cfg, s) < 0)
				rc = -1;
	return rc;
}

static int check_init(struct server *s, struct err *err)
{
	s->check = calloc(1, sizeof(*s->check));
	if (!s->check)
		return err_set(err, "out of memory for the check of server %s", s->id);
	s->check->server = s;
	s->check->ops = &check_tcp_ops;
	timer_init(&s->check->timer, check_timer);
	s->state->check.status = CHECK_INIT;
	return 0;
}

/* The first ones are spread over time, so that they do not come in a burst. */
static void check_start_all(const struct proxies *all, unsigned time, unsigned count)
{
	unsigned n = 0;
	struct server *s;
	struct proxy *px;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (s->check && check_wanted(s))
				check_schedule(s->check,
					       (unsigned)((uint64_t)time * n++ / count));
}

static int check_start(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	unsigned count = 0, shortest = UINT32_MAX;
	struct server *s;
	struct proxy *px;

	settings = *(const struct check_settings *)data;
	srandom((unsigned)clock_read_us());
	server_hooks.observed = check_observed;
	server_hooks.admin_changed = check_stop_or_go;
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next) {
			if (!is_checked(s))
				continue;
			if (check_init(s, err))
				return -1;
			count++;
			if (s->set.inter < shortest)
				shortest = s->set.inter;
		}
	if (settings.max_spread && settings.max_spread < shortest)
		shortest = settings.max_spread;
	if (count)
		check_start_all(all, shortest, count);
	return 0;
}

static void check_stop(void)
{
	struct server *s;
	struct proxy *px;

	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node)
		for (s = px->servers; s; s = s->next) {
			if (!s->check)
				continue;
			check_forget(s->check);
			free(s->check);
			s->check = NULL;
		}
}

static const struct keyword check_keywords[] = {
	{ .name = "spread-checks", .scope = SCOPE_GLOBAL, .args = "<0..50, in percent>",
	  .parse = set_int, .offset = offsetof(struct check_settings, spread), .max = 50,
	  .dflt = "0", .help = "random share by which each interval is longer or shorter" },
	{ .name = "max-spread-checks", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct check_settings, max_spread),
	  .dflt = "no limit", .help = "longest time between the first checks of all servers" },
	{ .name = NULL },
};

const struct module check_module = {
	.name = "check",
	.keywords = check_keywords,
	.data_size = sizeof(struct check_settings),
	.finish = check_finish,
	.start = check_start,
	.stop = check_stop,
};
