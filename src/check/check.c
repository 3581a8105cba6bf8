/* SPDX-License-Identifier: BSD-2-Clause */
/* Health checks of servers. Each checked server has one timer and, while a check is running,
 * one connection; between two checks there is neither a descriptor nor a wake-up.
 *
 * Health counts from 0 to rise + fall - 1; from rise on the server is up. A success adds one
 * (a server that comes up gets all at once), a failure takes one away (a server that goes down
 * loses all). At the start it stands at rise: the first failure takes a server down. */
#include "check/check.h"

#include "base/clock.h"
#include "base/str.h"
#include "config/config.h"
#include "log/log.h"
#include "net/conn.h"
#include "proxy/dial.h"
#include "proxy/proxy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_settings {
	int spread;              /* spread-checks, percent of the interval */
	unsigned max_spread;     /* max-spread-checks, ms; 0: no limit */
};

static struct check_settings settings;

static void check_run(struct check *check);

const char *check_status_sentence(enum check_status status)
{
	static const char *const sentences[] = {
		[CHECK_UNKNOWN] = "Unknown",
		[CHECK_INIT] = "Initializing",
		[CHECK_SOCKERR] = "Socket error",
		[CHECK_L4OK] = "Layer4 check passed",
		[CHECK_L4TOUT] = "Layer4 timeout",
		[CHECK_L4CON] = "Layer4 connection problem",
		[CHECK_L6OK] = "Layer6 check passed",
		[CHECK_L6TOUT] = "Layer6 timeout",
		[CHECK_L6RSP] = "Layer6 invalid response",
		[CHECK_L7OK] = "Layer7 check passed",
		[CHECK_L7OKC] = "Layer7 check conditionally passed",
		[CHECK_L7TOUT] = "Layer7 timeout",
		[CHECK_L7RSP] = "Layer7 invalid response",
		[CHECK_L7STS] = "Layer7 wrong status",
		[CHECK_HANA] = "Health analyze",
	};

	return sentences[status];
}

static bool check_passed(enum check_status status)
{
	return status == CHECK_L4OK || status == CHECK_L6OK || status == CHECK_L7OK ||
	       status == CHECK_L7OKC;
}

/* ---- when ------------------------------------------------------------------------------- */

static unsigned first_of(unsigned a, unsigned b)
{
	return a ? a : b;
}

/* Manual 5.2 "inter": fully up; in between; fully down. */
static unsigned check_interval(const struct server *s)
{
	int health = s->state->health;

	if (health >= s->set.rise + s->set.fall - 1 || s->tracked)
		return s->set.inter;
	if (health <= 0)
		return first_of(s->set.downinter, s->set.inter);
	return first_of(s->set.fastinter, s->set.inter);
}

/* The interval, more or less the share of spread-checks. */
static unsigned check_spread(unsigned ms)
{
	unsigned range = (unsigned)((uint64_t)ms * (unsigned)settings.spread / 100);

	if (!range)
		return ms;
	if (settings.max_spread && range > settings.max_spread)
		range = settings.max_spread;
	return ms - range + (unsigned)(random() % (2 * (long)range + 1));
}

static void check_schedule(struct check *check, unsigned ms)
{
	timer_set(&check->timer, clock_now_ms + ms);
}

/* Until connected: timeout connect, but not longer than inter; then timeout check, if there is
 * one, else what is left of inter (manual 4.2 "timeout check"). */
static unsigned check_limit(const struct check *check)
{
	const struct timeouts *t = &check->server->proxy->set.timeout;
	unsigned inter = check->server->set.inter, connect = t->connect;

	if (check->connected && t->check)
		return t->check;
	return t->check && connect && connect < inter ? connect : inter;
}

/* ---- what it makes of the health --------------------------------------------------------- */

struct check_line {
	char buf[400];
	struct text text;
};

/* reason: Layer4 timeout, info: "...", check duration: 2ms */
static void check_describe(struct check_line *line, const struct server *s, const char *info)
{
	text_printf(&line->text, "reason: %s", check_status_sentence(s->state->check_status));
	if (info && *info)
		text_printf(&line->text, ", info: \"%s\"", info);
	text_printf(&line->text, ", check duration: %ums", s->state->check_duration_ms);
}

static void check_log(const struct server *s, bool passed, const char *info)
{
	int health = s->state->health;
	bool up = health >= s->set.rise;
	struct check_line line;

	if (!(s->proxy->set.options.on & OPT_LOG_HEALTH_CHECKS))
		return;
	text_init(&line.text, line.buf, sizeof(line.buf));
	text_printf(&line.text, "Health check for %sserver %s/%s %s, ",
		    s->set.options.on & SRV_BACKUP ? "backup " : "", s->proxy->name, s->id,
		    passed ? "succeeded" : "failed");
	check_describe(&line, s, info);
	text_printf(&line.text, ", status: %d/%d %s.", up ? health - s->set.rise + 1 : health,
		    up ? s->set.fall : s->set.rise, up ? "UP" : "DOWN");
	log_stderr(LOG_L_WARNING, "%s", line.buf);
	log_printf(s->proxy->set.log, LOG_L_NOTICE, "%s", line.buf);
}

/* Gives the reason to the transition, unless the check's own line has told it. */
static const char *check_reason(struct check_line *line, const struct server *s, const char *info)
{
	if (s->proxy->set.options.on & OPT_LOG_HEALTH_CHECKS)
		return NULL;
	text_init(&line->text, line->buf, sizeof(line->buf));
	check_describe(line, s, info);
	return line->buf;
}

static bool health_success(struct server *s)
{
	int full = s->set.rise + s->set.fall - 1;

	if (s->state->health >= full)
		return false;
	if (++s->state->health >= s->set.rise)
		s->state->health = full;
	return true;
}

static bool health_failure(struct server *s)
{
	if (s->state->health <= 0)
		return false;
	if (s->state->health >= s->set.rise)
		s->state->counters.failed_checks++;
	if (--s->state->health < s->set.rise)
		s->state->health = 0;
	return true;
}

static void health_apply(struct server *s, const char *info)
{
	bool up = s->state->health >= s->set.rise;
	struct check_line line;

	if (up && s->state->op == SERVER_DOWN)
		server_set_up(s, check_reason(&line, s, info));
	else if (!up && s->state->op != SERVER_DOWN)
		server_set_down(s, check_reason(&line, s, info));
}

static void check_result(struct server *s, enum check_status status, const char *info)
{
	bool passed = check_passed(status), changed = s->state->check_status != status;

	/* Want of descriptors, memory or ports here says nothing about the server. */
	if (status != CHECK_SOCKERR)
		changed |= passed ? health_success(s) : health_failure(s);
	s->state->check_status = (uint8_t)status;
	if (changed)
		check_log(s, passed, info);
	health_apply(s, info);
}

void check_report(struct check *check, enum check_status status, const char *info)
{
	struct server *s = check->server;

	if (check->conn)
		s->state->check_errno = check->conn->error;
	conn_close(&check->conn, true);
	s->state->check_running = false;
	s->state->check_duration_ms = (unsigned)((clock_read_us() - check->started_us) / 1000);
	check_result(s, status, info);
	check_schedule(check, check_spread(check_interval(s)));
}

/* ---- asking ------------------------------------------------------------------------------ */

static void check_connected(struct check *check)
{
	const unsigned send = SRV_CHECK_SEND_PROXY | SRV_SEND_PROXY;
	const struct server *s = check->server;
	static const char line[] = "PROXY UNKNOWN\r\n";
	size_t sent;

	check->connected = true;
	check_schedule(check, check_limit(check));
	if (s->set.options.on & SRV_CHECK_SEND_PROXY ||
	    ((s->set.options.on & send) &&
	     !(s->set.options.on & (SRV_CHECK_ADDR | SRV_CHECK_PORT))))
		conn_send(check->conn, line, sizeof(line) - 1, false, &sent);
	check->ops->connected(check);
}

static void check_ready(struct conn *conn)
{
	struct check *check = conn->owner;
	int error;

	if (!check->connected && conn->flags & (CONN_ERROR | CONN_HUP)) {
		error = conn_check_error(conn);
		check_report(check, CHECK_L4CON, error ? strerror(error) : NULL);
		return;
	}
	if (!check->connected && conn->flags & CONN_WRITABLE)
		check_connected(check);
	else if (check->connected && check->ops->readable && conn->flags & CONN_READABLE)
		check->ops->readable(check);
}

static struct addr check_address(const struct server *s)
{
	struct addr to = s->state->check_addr.family ? s->state->check_addr : s->state->addr;

	if (s->state->check_port)
		to.port = s->state->check_port;
	else if (!to.port)
		to.port = s->state->addr.port;
	return to;
}

static void check_run(struct check *check)
{
	struct server *s = check->server;
	struct addr to = check_address(s);
	int fd = -1;

	check->connected = false;
	s->state->check_running = true;
	s->state->check_errno = 0;
	check->started_us = clock_read_us();
	switch (server_dial(s, &to, NULL, &fd)) {
	case DIAL_RESOURCE:
		s->state->check_errno = (uint16_t)errno;
		check_report(check, CHECK_SOCKERR, strerror(errno));
		return;
	case DIAL_REFUSED:
		s->state->check_errno = (uint16_t)errno;
		check_report(check, CHECK_L4CON, strerror(errno));
		return;
	case DIAL_STARTED:
		break;
	}
	check->conn = conn_new();
	if (!check->conn || conn_attach(check->conn, &fd, CONN_CONNECTING, check_ready) < 0) {
		if (fd >= 0)
			close(fd);
		check_report(check, CHECK_SOCKERR, strerror(errno));
		return;
	}
	check->conn->owner = check;
	check_schedule(check, check_limit(check));
}

/* May it be asked now? In maintenance, or paused by an administrator, nobody asks. */
static bool check_wanted(const struct server *s)
{
	return !s->state->check_paused && !(s->state->admin & ADMIN_MAINT);
}

static void check_timer(struct timer *timer)
{
	struct check *check = container_of(timer, struct check, timer);

	if (check->conn)
		check_report(check, check->connected ? check->ops->timeout : CHECK_L4TOUT, NULL);
	else if (check_wanted(check->server))
		check_run(check);
	else
		check_schedule(check, check->server->set.inter);
}

/* ---- what the traffic shows -------------------------------------------------------------- */

/* Manual 5.2 "on-error". */
static void observe_act(struct server *s)
{
	struct check *check = s->check;
	unsigned soon = first_of(s->set.fastinter, s->set.inter);

	switch (s->set.on_error) {
	case ON_ERROR_FAIL_CHECK:
		check_result(s, CHECK_HANA, "Detected too many failed requests");
		break;
	case ON_ERROR_SUDDEN_DEATH:
		if (s->state->health > s->set.rise + 1)
			s->state->health = s->set.rise + 1;
		check_result(s, CHECK_HANA, "Detected too many failed requests");
		break;
	case ON_ERROR_MARK_DOWN:
		s->state->health = s->set.rise;
		check_result(s, CHECK_HANA, "Detected too many failed requests");
		break;
	case ON_ERROR_FASTINTER:
		break;
	}
	if (check && !check->conn && timer_armed(&check->timer) &&
	    check->timer.when > clock_now_ms + soon)
		check_schedule(check, soon);
}

static void observe(struct server *s, bool ok)
{
	if (ok) {
		s->state->consecutive_errors = 0;
		return;
	}
	if (s->state->op == SERVER_DOWN || (int)++s->state->consecutive_errors < s->set.error_limit)
		return;
	s->state->consecutive_errors = 0;
	observe_act(s);
}

/* ---- start ------------------------------------------------------------------------------- */

static bool is_checked(const struct server *s)
{
	return s->set.options.on & SRV_CHECK && !s->set.track;
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

static void check_init(struct server *s)
{
	s->check = calloc(1, sizeof(*s->check));
	BUG_ON(!s->check);
	s->check->server = s;
	s->check->ops = &check_tcp_ops;
	timer_init(&s->check->timer, check_timer);
	s->state->check_status = CHECK_INIT;
}

/* The first ones are spread over the shortest interval, so that they do not come in a burst. */
static void check_start_all(const struct proxies *all, unsigned shortest, unsigned count)
{
	unsigned n = 0;
	struct server *s;
	struct proxy *px;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (s->check)
				check_schedule(s->check, (unsigned)((uint64_t)shortest * n++ / count));
}

static int check_start(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	unsigned count = 0, shortest = UINT32_MAX;
	struct server *s;
	struct proxy *px;

	(void)err;
	settings = *(const struct check_settings *)data;
	srandom((unsigned)clock_read_us());
	server_hooks.observed = observe;
	list_for_each(px, &all->list, node) {
		if (px->set.disabled)
			continue;
		for (s = px->servers; s; s = s->next) {
			if (!is_checked(s))
				continue;
			check_init(s);
			count++;
			if (s->set.inter < shortest)
				shortest = s->set.inter;
		}
	}
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
			timer_cancel(&s->check->timer);
			conn_close(&s->check->conn, true);
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
	  .dflt = "no limit", .help = "longest time by which spread-checks moves a check" },
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
