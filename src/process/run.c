/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of the process after its configuration was read: descriptors, background, modules,
 * rights, signals, loop, end. Called by main. Signals as in the management guide, chapter 4. */
#include "process/process.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/memory.h"
#include "config/config.h"
#include "event/loop.h"
#include "event/signals.h"
#include "event/timer.h"
#include "exchange/idle.h"
#include "expr/state.h"
#include "log/log.h"
#include "net/inherit.h"
#include "net/listen_socket.h"
#include "net/listener.h"
#include "net/orphan.h"
#include "process/announce.h"
#include "process/args.h"
#include "process/confine.h"
#include "process/daemon.h"
#include "process/dump.h"
#include "process/handover.h"
#include "process/notify.h"
#include "process/obituary.h"
#include "process/parent.h"
#include "process/parent_cli.h"
#include "process/phases.h"
#include "process/probed.h"
#include "process/reload.h"
#include "process/self.h"
#include "process/worker.h"
#include "process/workers.h"
#include "process/workers_conf.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "proxy/states.h"
#include "relay/pipe.h"
#include "session/keepalive.h"
#include "session/listening.h"
#include "share/kept.h"
#include "share/segment.h"
#include "stream/stream.h"
#include "stream/subscriber.h"
#include "stream/trace.h"
#include "stream/tune.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct process_conf *conf;
static struct timer hard_stop, grace;

static int process_fail(const struct err *err)
{
	fprintf(stderr, "penstock: %s\n", err->text);
	return 1;
}

/* ---- signals ----------------------------------------------------------------------------- */

/* What each worker says has its number: else it stands there as often as there are workers. */
static const char *who(void)
{
	static char text[24];

	if (!process_self.number)
		return "";
	snprintf(text, sizeof(text), "Worker %u: ", process_self.number);
	return text;
}

static void process_end_now(struct timer *timer)
{
	(void)timer;
	log_process(LOG_L_WARNING, "%ssoft-stop running for too long, performing a hard-stop.", who());
	loop_stop();
}

static void process_finish(enum listening_finish how)
{
	if (global_state->stopping)
		return;
	log_process(LOG_L_NOTICE, "%sSoft stop: %u sessions to finish.", who(), streams_count);
	if (conf->hard_stop_after)
		timer_set(&hard_stop, clock_now_ms + conf->hard_stop_after);
	listening_finish(how, loop_stop);
}

static void grace_over(struct timer *timer)
{
	(void)timer;
	process_finish(FINISH_ALONE);
}

/* Others may learn from the fetch "stopping" that it will stop, before it does. */
static void on_finish(int signo)
{
	(void)signo;
	if (!conf->grace) {
		process_finish(FINISH_ALONE);
	} else if (!expr_process.leaving) {
		expr_process.leaving = true;
		timer_set(&grace, clock_now_ms + conf->grace);
	}
}

static void on_end(int signo)
{
	log_process(LOG_L_NOTICE, "%sEnding on signal %s.", who(), sigabbrev_np(signo));
	loop_stop();
}

static void on_pause(int signo)
{
	(void)signo;
	listening_pause();
}

static void on_resume(int signo)
{
	(void)signo;
	listening_resume();
}

static void on_dump(int signo)
{
	dump_state(signo == SIGQUIT);
}

/* What reloads a parent must not end who is none. */
static void on_reload(int signo)
{
	(void)signo;
	log_process(LOG_L_WARNING, "SIGUSR2 reloads nothing here: %s.",
		    process_self.role == ROLE_WORKER ? "it is for the parent" : "that needs -W");
}

static int process_signals(struct err *err)
{
	static const struct {
		int signo;
		void (*handler)(int signo);
	} table[] = {
		{ SIGUSR1, on_finish }, { SIGTERM, on_end },  { SIGINT, on_end },
		{ SIGHUP, on_dump },	{ SIGQUIT, on_dump }, { SIGTTOU, on_pause },
		{ SIGTTIN, on_resume }, { SIGUSR2, on_reload }, { SIGPIPE, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (signal_watch(table[i].signo, table[i].handler) < 0)
			return err_set(err, "cannot watch signals: %s", strerror(errno));
	timer_init(&hard_stop, process_end_now);
	timer_init(&grace, grace_over);
	return 0;
}

/* ---- start ------------------------------------------------------------------------------- */

/* proxy/ raises the limit of descriptors to what maxconn and the pipes need. */
static void process_limits(struct config *cfg)
{
	const struct tune *tune = config_data(cfg, &tune_module);

	limits.maxpipes = tune->nosplice ? 0 : tune->maxpipes;
}

/* Without the old process's sockets this one opens its own beside them. */
static void process_inherit(const struct args *args)
{
	struct err err;

	if (args->old_socket && inherit_fetch(args->old_socket, &err) < 0)
		log_stderr(LOG_L_WARNING, "%s; opening new ones", err.text);
}

static const struct args *old_args;

/* The old processes stop listening; if that is not enough, they go on. */
static bool process_make_room(unsigned n)
{
	enum { ATTEMPTS = 50, WAIT_US = 20000 };
	size_t i;

	if (n > 0 && n < ATTEMPTS)
		return usleep(WAIT_US) == 0;
	for (i = 0; i < old_args->old_count; i++)
		kill(old_args->old_pids[i], n == 0 ? SIGTTOU : SIGTTIN);
	return n == 0;
}

/* It cannot start. Modules that were prepared give back what they have. */
static int process_refuse(struct config *cfg, const struct err *err)
{
	process_stop_modules(cfg);
	return process_fail(err);
}

/* The parent says why, in all places where what it says goes. */
static int worker_refuse(struct config *cfg, const struct worker *worker, const struct err *err)
{
	process_stop_modules(cfg);
	if (worker->words_fd < 0 || dprintf(worker->words_fd, "%s\n", err->text) < 0)
		return process_fail(err);
	return 1;
}

static bool process_in_background(const struct args *args)
{
	return (args->daemon || conf->daemon) && !args->foreground && !args->debug;
}

/* What is done once for all processes. */
static int process_prepare(struct config *cfg, const struct args *args, struct err *err)
{
	const struct tune *tune = config_data(cfg, &tune_module);

	if (!process_self.taken_over && process_in_background(args) && daemon_start(err) < 0)
		return -1;
	if (loop_init(tune->maxpollevents) < 0)
		return err_set(err, "cannot poll: %s", strerror(errno));
	process_limits(cfg);
	if (!args->quiet && !process_self.taken_over)
		workers_doubt(conf);
	keepalive_spread_ms = conf->close_spread;
	handover_check_segment();
	process_inherit(args);
	old_args = args;
	listening_make_room = args->old_count ? process_make_room : NULL;
	listeners_shared = listeners_held = conf->worker_count > 0;
	if (conf->has_uid && geteuid() == 0)
		listen_socket_conf.owner = (int)conf->uid;
	if (conf->worker_count > 1)
		listeners_divide_batch(conf->worker_count);
	notify_start();
	if ((conf->worker_count && parent_cli_open(cfg, err) < 0) ||
	    process_prepare_modules(cfg, err) < 0)
		return -1;
	if (process_in_background(args) && log_on_terminal())
		log_stderr(LOG_L_WARNING, "log %s: in the background (-D) stdout and stderr are given back "
			   "when the service has started: lines go nowhere from then on.",
			   log_on_terminal());
	process_kept_all = inherit_close() == 0;
	global_state->start_ms = clock_now_ms;
	return 0;
}

/* A process that serves, up to its loop. worker NULL: the only one. */
static int process_start(struct config *cfg, const struct args *args, const struct worker *worker,
			 struct err *err)
{
	const struct tune *tune = config_data(cfg, &tune_module);

	if (worker && loop_init(tune->maxpollevents) < 0)
		return err_set(err, "cannot poll: %s", strerror(errno));
	handover_forget();
	workers_take_cpu(conf, process_self.number);
	if (process_signals(err) < 0 ||
	    (worker && segment_confine(segment, (unsigned)worker->row, err) < 0) ||
	    (worker && worker_start(worker, process_finish, err) < 0) ||
	    process_start_modules(cfg, err) < 0 ||
	    (!worker && announce_service(conf, args, err) < 0) || probed_start(err) < 0 ||
	    confine_rights(conf, args, err) < 0)
		return -1;
	kept_forget();
	moments_everywhere(&trace_subscriber, args->debug);
	if (worker) {
		daemon_leave();
	} else {
		obituary_prepare(-1);
		process_lead_modules(cfg);
		notify_ready(NULL);
		daemon_ready();
	}
	confine_calls(conf, args);
	reload_log_end();
	worker_ready_now();
	return 0;
}

static int process_serve(struct config *cfg, const struct args *args, const struct worker *worker)
{
	struct err err;

	if (process_start(cfg, args, worker, &err) < 0)
		return worker ? worker_refuse(cfg, worker, &err) : process_refuse(cfg, &err);
	memory_fail_begin();
	loop_run();
	probed_judge();
	streams_end_all(END_KILLED);
	keepalive_close_all();
	idle_close_all();
	while (orphan_cut())
		;
	process_stop_modules(cfg);
	loop_free();
	return 0;
}

int process_wait(struct config *cfg, const char *why)
{
	char reason[sizeof(struct err)];
	struct err err;

	snprintf(reason, sizeof(reason), "%s", why);
	loop_free();
	notify_start();
	if (!segment)
		segment = tally_room.segment;
	if (loop_init(100) < 0)
		err_set(&err, "cannot poll: %s", strerror(errno));
	else if (parent_cli_open(cfg, &err) == 0 && parent_wait(cfg, reason, &err) == 0) {
		parent_run();
		process_stop_modules(cfg);
		loop_free();
		return parent_exit_code();
	}
	return process_refuse(cfg, &err);
}

int process_run(struct config *cfg, const struct args *args)
{
	struct worker *worker = NULL;
	struct err err;

	conf = config_data(cfg, &process_module);
	if (process_prepare(cfg, args, &err) < 0)
		return process_self.taken_over ? process_wait(cfg, err.text) :
						 process_refuse(cfg, &err);
	if (conf->worker_count) {
		if (parent_start(cfg, args, &err) < 0)
			return process_refuse(cfg, &err);
		worker = parent_run();
		if (!worker) {
			process_stop_modules(cfg);
			loop_free();
			return parent_exit_code();
		}
	}
	return process_serve(cfg, args, worker);
}
