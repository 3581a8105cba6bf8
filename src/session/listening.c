/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens what the configuration says must listen, ties listeners to sessions and server
 * transitions to streams, pauses and stops. Called at start, by signals and by the stats
 * socket. All addresses are bound before the first connection is accepted. */
#include "session/listening.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/kind.h"
#include "config/config.h"
#include "event/loop.h"
#include "event/poller.h"
#include "event/timer.h"
#include "exchange/idle.h"
#include "log/log.h"
#include "net/linger.h"
#include "net/listener.h"
#include "net/orphan.h"
#include "net/sock.h"
#include "peers/peers.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "session/admission.h"
#include "session/handshake.h"
#include "session/keepalive.h"
#include "session/session.h"
#include "stream/connect.h"
#include "stream/stream.h"
#include "stream/tune.h"
#include "tally/tallies.h"
#include "tls/client.h"
#include "tls/conn.h"

#include <errno.h>
#include <string.h>

enum { ASKED_MS = 10000 };

static void (*finish_done)(void);
static struct timer asked_enough;

/* ---- what servers' transitions mean for streams ------------------------------------------ */

static void listening_server_down(struct server *s)
{
	if (s->set.options.on & SRV_DOWN_SHUTDOWN_SESSIONS)
		streams_end_server(s, END_SERVER_DOWN);
}

static void listening_server_up(struct server *s)
{
	struct server *backup;

	if (s->set.options.on & SRV_UP_SHUTDOWN_BACKUP)
		for (backup = s->proxy->servers; backup; backup = backup->next)
			if (backup->set.options.on & SRV_BACKUP)
				streams_end_server(backup, END_SERVER_UP);
}

/* ---- opening ----------------------------------------------------------------------------- */

static struct listen_options listening_options(const struct proxy *px)
{
	const struct proxy_settings *set = &px->set;

	return (struct listen_options){
		.tcp_nodelay = true,
		.keepalive = set->options.on & OPT_CLITCPKA,
		.nolinger = set->options.on & OPT_NOLINGER,
		.smart_accept = proxy_spares_ack(set, OPT_SMART_ACCEPT),
		.keepalive_cnt = set->clitcpka_cnt,
		.keepalive_idle_s = set->clitcpka_idle / 1000,
		.keepalive_intvl_s = set->clitcpka_intvl / 1000,
		.rcvbuf = sock_tune.rcvbuf_client,
		.sndbuf = sock_tune.sndbuf_client,
		.default_backlog = set->backlog ? set->backlog : (int)px->state->maxconn,
	};
}

bool (*listening_make_room)(unsigned n);

static void listening_tie(struct listener *l, const struct proxy *px)
{
	if (l->bind->dgram)
		return; /* udp/ */
	l->accepted = session_accept;
	l->room = admission_room;
	l->settled = admission_settled;
	l->light = px->stats_socket;
}

/* The frontend of the stats sockets has a name that no file gives. */
static void listening_failed(const struct proxy *px, bool stats, const struct bind_conf *bind,
			     const struct err *err)
{
	if (stats)
		log_process(LOG_L_ALERT, "%s:%u: stats socket: %s", bind->loc.file, bind->loc.line,
			    err->text);
	else
		log_process(LOG_L_ALERT, "%s:%u: %s '%s': %s", bind->loc.file, bind->loc.line,
			    px->peers ? "peers" : "frontend", px->name, err->text);
}

/* Opens what is not open yet. Who hears peers has said so itself (peers/peers.c). Every address
 * that cannot be had is said, not only the first, unless it will be tried again. */
static unsigned listening_open_proxy(struct proxy *px, bool stats, bool silent)
{
	struct listen_options opt = listening_options(px);
	struct bind_conf *bind;
	unsigned failed = 0;
	struct listener *l;
	struct err err;

	list_for_each(bind, &px->binds, node) {
		bind->begins = px->peers || bind->dgram ? NULL : session_kind(bind);
		list_for_each(l, &bind->listeners, node) {
			if (!px->peers)
				listening_tie(l, px);
			if (l->src.fd >= 0 || listener_open(l, &opt, &err) == 0)
				continue;
			failed++;
			if (silent)
				continue;
			listening_failed(px, stats, bind, &err);
		}
	}
	return failed;
}

static unsigned listening_open_each(bool silent)
{
	unsigned failed = 0;
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (px->fe && !px->set.disabled)
			failed += listening_open_proxy(px, false, silent);
	list_for_each(px, &proxies_running->stats_frontends, node)
		failed += listening_open_proxy(px, true, silent);
	list_for_each(px, &proxies_running->peers, node)
		failed += listening_open_proxy(px, false, silent);
	return failed;
}

static int listening_open_all(struct err *err)
{
	unsigned failed, n = 0;

	do {
		failed = listening_open_each(listening_make_room != NULL);
	} while (failed && listening_make_room && listening_make_room(n++));
	if (failed && listening_make_room)
		failed = listening_open_each(false);
	if (!failed)
		return 0;
	return err_set(err, "nothing was started, because %s could not be listened on",
		       failed == 1 ? "an address" : "some addresses");
}

static int listening_start_proxy(struct proxy *px, struct err *err)
{
	struct bind_conf *bind;
	struct listener *l;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (listener_start(l) < 0)
				return err_set(err, "frontend '%s': %s", px->name,
					       "the poller does not take its socket");
	return 0;
}

static int listening_start_all(struct err *err)
{
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (px->fe && px->run_state == PROXY_READY && listening_start_proxy(px, err) < 0)
			return -1;
	list_for_each(px, &proxies_running->stats_frontends, node)
		if (listening_start_proxy(px, err) < 0)
			return -1;
	return 0;
}

static void listening_out_of_resources(struct listener *l, int error)
{
	static uint64_t counted;
	const struct proxy *px = KIND_OF(const struct proxy, l->bind->owner);

	global_tally->accept_failures += listener_stats.failed - counted;
	counted = listener_stats.failed;
	log_printf(px->set.log, LOG_L_EMERG,
		   "Proxy %s cannot accept a connection (%s): it tries again in a moment.",
		   px->name, strerror(error));
}

/* Those that are to accept: in a parent, which passes this on to workers. */
static void listening_make_ready(void)
{
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (px->fe && !px->set.disabled)
			px->run_state = PROXY_READY;
	list_for_each(px, &proxies_running->stats_frontends, node)
		px->run_state = PROXY_READY;
}

static int listening_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	if (listening_open_all(err) < 0)
		return -1;
	listening_make_ready();
	return 0;
}

static int listening_start(struct config *cfg, void *data, struct err *err)
{
	const struct tune *tune = config_data(cfg, &tune_module);

	(void)data;
	server_hooks.went_down = listening_server_down;
	server_hooks.came_up = listening_server_up;
	listener_hooks.out_of_resources = listening_out_of_resources;
	orphan_hooks.hold = streams_hold;
	orphan_hooks.release = streams_release;
	tls_proved = handshake_proved;
	tls_client_changed = idle_close_outdated;
	tune_pipes(tune);
	connect_no_descriptor = idle_free_descriptor;
	idle_limit((unsigned)(limits.maxsock * (uint64_t)tune->pool_low / 100),
		   (unsigned)(limits.maxsock * (uint64_t)tune->pool_high / 100));
	return listening_start_all(err);
}

/* ---- pausing and stopping ---------------------------------------------------------------- */

static void listening_each_listener(struct proxy *px, void (*fn)(struct listener *l))
{
	struct bind_conf *bind;
	struct listener *l;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			fn(l);
}

static void listening_pause_ready(struct proxy *px)
{
	listening_each_listener(px, listener_pause);
	px->run_state = PROXY_PAUSED;
	log_process(LOG_L_WARNING, "Paused frontend %s.", px->name);
}

int listening_pause_proxy(struct proxy *px, struct err *err)
{
	if (px->run_state != PROXY_READY)
		return err_set(err, "Frontend is already stopped or paused.");
	listening_pause_ready(px);
	return 0;
}

int listening_resume_proxy(struct proxy *px, struct err *err)
{
	struct bind_conf *bind;
	struct listener *l;
	int rc = 0;

	if (px->run_state != PROXY_PAUSED)
		return err_set(err, "Frontend is not paused.");
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			rc |= listener_resume(l);
	if (rc < 0)
		return err_set(err, "Failed to resume frontend %s (%s): is another process "
			       "listening there now?", px->name, strerror(errno));
	px->run_state = PROXY_READY;
	log_process(LOG_L_WARNING, "Resumed frontend %s.", px->name);
	return 0;
}

static void listening_log_stop(const struct proxy *px)
{
	log_process(LOG_L_WARNING, "Proxy %s stopped (cumulated conns: FE: %llu, BE: %llu).",
		    px->name, (unsigned long long)px->fe->counters.connections,
		    px->be ? (unsigned long long)px->be->counters.sessions : 0);
}

int listening_stop_proxy(struct proxy *px, struct err *err)
{
	if (px->run_state == PROXY_STOPPED)
		return err_set(err, "Frontend was already shut down.");
	listening_each_listener(px, listener_finish);
	px->run_state = PROXY_STOPPED;
	listening_log_stop(px);
	return 0;
}

void listening_pause(void)
{
	struct proxy *px;

	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node)
		if (px->fe && px->run_state == PROXY_READY)
			listening_pause_ready(px);
}

void listening_resume(void)
{
	struct proxy *px;
	struct err err;

	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node)
		if (px->fe && px->run_state == PROXY_PAUSED && listening_resume_proxy(px, &err) < 0)
			log_process(LOG_L_ALERT, "%s", err.text);
}

void listening_each(void (*fn)(struct listener *l))
{
	struct proxy *px;

	if (!proxies_running)
		return;
	list_for_each(px, &proxies_running->list, node)
		listening_each_listener(px, fn);
	list_for_each(px, &proxies_running->stats_frontends, node)
		listening_each_listener(px, fn);
	list_for_each(px, &proxies_running->peers, node)
		listening_each_listener(px, fn);
}

/* Who asks gets whole answers, but not for ever: nothing else is left since then. */
static void listening_asked_enough(struct timer *timer)
{
	(void)timer;
	finish_done();
}

static void listening_few_left(void)
{
	if (!finish_done)
		return;
	if (!streams_count)
		finish_done();
	else if (!timer_armed(&asked_enough))
		timer_set(&asked_enough, clock_now_ms + ASKED_MS);
}

/* Of a frontend that was shut down nobody hears any more; of one that ends with the process the
 * rows are shown as before: where others serve it does. */
static void listening_finish_proxy(struct proxy *px, bool others_serve)
{
	if (px->run_state == PROXY_STOPPED)
		return;
	listening_each_listener(px, listener_finish);
	if (!others_serve)
		px->run_state = PROXY_FINISHES;
	listening_log_stop(px);
}

void listening_finish(enum listening_finish how, void (*done)(void))
{
	struct proxy *px;

	timer_init(&asked_enough, listening_asked_enough);
	list_for_each(px, &proxies_running->list, node)
		if (px->fe)
			listening_finish_proxy(px, how != FINISH_ALONE);
	list_for_each(px, &proxies_running->stats_frontends, node)
		listening_each_listener(px, how == FINISH_RELIEVED ? listener_close : listener_finish);
	list_for_each(px, &proxies_running->peers, node)
		listening_each_listener(px, listener_close);
	if (peers_leave(how == FINISH_ALONE, streams_release))
		streams_hold();
	global_state->stopping = true;
	loop_busy(false); /* a new process may want the processor */
	poller_spin(0, false);
	linger_hurry();
	finish_done = done;
	streams_few_left = listening_few_left;
	keepalive_finish(how != FINISH_ALONE);
	if (streams_count == streams_asking)
		listening_few_left();
}

static void listening_close_idle(void)
{
	struct server *s;
	struct proxy *px;

	if (!proxies_running) /* it has not been prepared */
		return;
	list_for_each(px, &proxies_running->list, node)
		for (s = px->servers; s; s = s->next)
			idle_close_server(s);
}

const struct module listening_module = {
	.name = "listening",
	.prepare = listening_prepare,
	.start = listening_start,
	.stop = listening_close_idle,
};
