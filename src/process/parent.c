/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parent's life: its states, signals, loop. Called by run.c, which leaves this loop in a fresh
 * worker and goes on there; forks happen between two turns of the loop, never inside a callback.
 * A worker that dies is forked anew from this memory: it reads no files. The parent keeps
 * listening sockets open, writes the lines that concern all, and ends with the last worker.
 */
#include "process/parent.h"

#include "base/clock.h"
#include "base/err.h"
#include "cli/conversation.h"
#include "config/config.h"
#include "event/loop.h"
#include "event/signals.h"
#include "event/timer.h"
#include "log/log.h"
#include "net/listener.h"
#include "process/announce.h"
#include "process/args.h"
#include "process/changes.h"
#include "process/channel.h"
#include "process/daemon.h"
#include "process/dump.h"
#include "process/handover.h"
#include "process/messages.h"
#include "process/notify.h"
#include "process/obituary.h"
#include "process/parent_cli.h"
#include "process/phases.h"
#include "process/process.h"
#include "process/reload.h"
#include "process/self.h"
#include "process/spare.h"
#include "process/watchdog.h"
#include "process/worker.h"
#include "process/workers.h"
#include "session/listening.h"
#include "share/segment.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_MS = 10000,        /* after TERM; then KILL */
       KILLED_MS = 5000,      /* after KILL; then the system may have them */
       TICK_MS = 1000,
       LOOK_MS = 50,
       ANSWERS_MS = 10000,    /* for those that are under way when a reload begins */
       OLD_ACCEPT_MS = 5000 };      /* for old workers to say that they accept nothing any more */

static struct timer tick;       /* due workers, watchdog */
static struct timer grace;      /* our copies of the sockets are kept so long */
static uint64_t kill_ms;        /* PARENT_ENDS: those that are left are killed */
static uint64_t hard_stop_ms;   /* PARENT_FINISHES; 0: never */
static int exit_code;
static bool start_reported;
static struct config *config;
static const struct args *arguments;
static const struct process_conf *conf;
static bool conf_master; /* -W: it reloads */
static bool execute_wanted; /* between two turns */
static uint64_t execute_by_ms;
static struct timer patience;
static struct timer old_accept; /* until then old workers that may accept are waited for */
static bool success_due;        /* who asked for the reload has not heard yet */

/* ---- signals ----------------------------------------------------------------------------- */

static void tick_soon(void)
{
	timer_set(&tick, clock_now_ms);
}

static void parent_end_if_alone(void)
{
	if (parent_state == PARENT_WAITS && list_empty(&workers))
		log_process(LOG_L_ALERT, "No worker is left: nothing is served until a reload succeeds.");
	if (parent_state < PARENT_FINISHES || !list_empty(&workers) || loop_stopping())
		return;
	log_process(LOG_L_NOTICE, "All workers have ended.");
	loop_stop();
}

/* All are killed soon, or end by themselves. */
static void parent_end(int signo)
{
	if (parent_state == PARENT_ENDS)
		return;
	parent_state = PARENT_ENDS;
	reload_cancel();
	spare_end();
	kill_ms = clock_now_ms + END_MS;
	notify_stopping("Stopping.");
	workers_forget_waiting();
	workers_signal(signo);
	tick_soon();
	parent_end_if_alone();
}

static void on_end(int signo)
{
	log_process(LOG_L_NOTICE, "Ending on signal %s.", sigabbrev_np(signo));
	if (conf_master && signo == SIGINT)
		exit_code = 128 + signo; /* as the reference's: whoever interrupts it looks for
					  * that */
	parent_end(SIGTERM);
}

/* Our copies of the sockets go first: what connects from now on finds the workers', which accept
 * all that waits before they close the last ones. */
static void on_finish(int signo)
{
	(void)signo;
	if (parent_state >= PARENT_FINISHES)
		return;
	parent_state = PARENT_FINISHES;
	reload_cancel();
	spare_end();
	if (conf->hard_stop_after)
		hard_stop_ms = clock_now_ms + conf->grace + conf->hard_stop_after + END_MS;
	log_process(LOG_L_NOTICE, "Soft stop: workers finish.");
	notify_stopping("Soft stop: workers finish.");
	if (conf->grace)
		timer_set(&grace, clock_now_ms + conf->grace);
	else
		listening_each(listener_close);
	workers_forget_waiting();
	workers_signal(SIGUSR1);
	parent_end_if_alone();
}

static void on_grace_over(struct timer *timer)
{
	(void)timer;
	listening_each(listener_close);
}

/* Our memory is that of replacements. Workers are told, not signalled: what is told keeps its
 * order. */
static void on_pause(int signo)
{
	(void)signo;
	listening_pause();
	spare_pause(true);
	workers_tell(MSG_PAUSE);
}

static void on_resume(int signo)
{
	(void)signo;
	listening_resume();
	spare_pause(false);
	workers_tell(MSG_RESUME);
}

static void on_pools(int signo)
{
	dump_state(true);
	workers_signal(signo);
}

static void on_hup(int signo)
{
	(void)signo;
	if (conf_master)
		reload_request(-1);
	else
		dump_state(false);
}

static void on_reload(int signo)
{
	(void)signo;
	if (conf_master)
		reload_request(-1);
}

/* Who asked for the reload hears of it when nobody accepts any more who knows less. */
static void tell_success(void)
{
	if (!success_due || parent_state != PARENT_SERVES || (timer_armed(&old_accept) && workers_old_accept()))
		return;
	timer_cancel(&old_accept);
	success_due = false;
	reload_succeeded();
	reload_resume();
}

static void on_old_overdue(struct timer *timer)
{
	(void)timer;
	tell_success();
}

/* ---- a worker's end ---------------------------------------------------------------------- */

/* Only what was there before the reload goes on. The sockets that it does not have must not seem to
 * be served. */
static void close_if_new(struct listener *l)
{
	if (!l->handed && !l->inherited)
		listener_close(l);
}

static void parent_go_waiting(const char *why)
{
	parent_state = PARENT_WAITS;
	listening_each(close_if_new);
	spare_begin();
	process_wait_modules(config);
	reload_failed(why);
	reload_resume();
}

/* It belongs to no generation: the number of its own goes to the next one, while it still ends. */
static void worker_disown(struct worker *w)
{
	w->state = WORKER_FINISHES;
	w->generation = 0;
	if (w->row >= 0)
		atomic_store(&segment_row(segment, (unsigned)w->row)->generation, 0);
}

/* The first ones could not start: the service could not. */
static void start_failed(void)
{
	struct worker *w, *next;

	if (workers_have_old()) {
		list_for_each_safe(w, next, &workers, node) {
			if (worker_is_old(w))
				continue;
			worker_disown(w);
			if (w->pid > 0)
				kill(w->pid, SIGTERM);
			else
				worker_free(w);
		}
		process_set_generation(process_self.generation - 1);
		workers_are_present();
		parent_go_waiting("a worker could not start");
		return;
	}
	exit_code = 1;
	log_stderr(LOG_L_ALERT, "A worker could not start: nothing was started.");
	parent_end(SIGTERM);
}

static bool can_replace(const struct worker *w)
{
	if (parent_state == PARENT_WAITS)
		return spare_here() && w->row >= 0;
	return parent_state == PARENT_STARTS || parent_state == PARENT_SERVES;
}

/* One of the first was killed. A reload that found no worker alive has none to go back to: to end
 * would make an outage of it. */
static bool must_try_again(int status)
{
	return process_self.taken_over && !workers_have_old() && WIFSIGNALED(status);
}

static void worker_ended(struct worker *w, int status)
{
	enum worker_state was = w->state;
	unsigned delay;

	obituary_log(w, status);
	worker_let_go(w);
	if (parent_state == PARENT_STARTS && was == WORKER_STARTS && !must_try_again(status)) {
		worker_free(w);
		start_failed();
	} else if (!can_replace(w) || was == WORKER_FINISHES || worker_is_old(w)) {
		worker_free(w);
	} else {
		delay = worker_delay(w);
		w->state = WORKER_WAITS;
		w->due_ms = clock_now_ms + delay;
		if (delay)
			log_process(LOG_L_WARNING, "Worker %u is replaced in %u seconds, because it "
				    "has died %u times in a row soon after its start.", w->number,
				    delay / 1000, w->early_deaths);
		tick_soon();
	}
	workers_choose_checker();
	tell_success();
	parent_end_if_alone();
}

static void on_child(int signo)
{
	struct worker *w;
	int status;
	pid_t pid;

	(void)signo;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		w = worker_of_pid(pid);
		if (w)
			worker_ended(w, status);
		else if (!spare_ended(pid))
			reload_child_ended(pid, status);
	}
}

/* It was stopped, or is slower than what it is told. Killed, it is replaced by one that has it
 * all. */
static void worker_overdue(struct channel *channel)
{
	struct worker *w;

	list_for_each(w, &workers, node) {
		if (w->channel != channel || w->pid <= 0)
			continue;
		log_process(LOG_L_ALERT, "Worker %u (%d) takes no changes, and %zu bytes of them wait: "
			    "it is killed.", w->number, (int)w->pid, channel_backlog(channel));
		kill(w->pid, SIGKILL);
	}
}

/* ---- what workers say -------------------------------------------------------------------- */

/* All workers serve for the first time: who waits for the start is let go. */
static int parent_ready(struct err *err)
{
	if (announce_service(conf, arguments, err) < 0)
		return -1;
	notify_ready("Ready.");
	daemon_ready();
	log_process(LOG_L_NOTICE, "Loading success.");
	reload_start_said();
	return 0;
}

static void worker_ready(struct worker *w)
{
	struct err err;

	if (w->state != WORKER_STARTS)
		return;
	w->state = WORKER_SERVES;
	w->turned_ms = clock_now_ms;
	workers_choose_checker();
	if (parent_state != PARENT_STARTS || !workers_all_serve())
		return;
	parent_state = PARENT_SERVES;
	if (parent_ready(&err) < 0) {
		log_stderr(LOG_L_ALERT, "%s", err.text);
		exit_code = 1;
		parent_end(SIGTERM);
		return;
	}
	spare_end(); /* before they close sockets that it has, too */
	workers_relieve(conf->max_reloads);
	workers_choose_checker();
	success_due = process_self.taken_over && !start_reported;
	start_reported = true;
	timer_set(&old_accept, clock_now_ms + OLD_ACCEPT_MS);
	if (success_due)
		tell_success();
	else
		reload_resume();
}

static void worker_said(struct channel *channel, struct frame *frame, void *arg)
{
	struct worker *w = arg;

	if (frame->kind == MSG_READY) {
		worker_ready(w);
	} else if (frame->kind == MSG_DEAF) {
		w->may_accept = false;
		tell_success();
	} else {
		changes_from_worker(channel, frame);
	}
}

/* Its end is told by SIGCHLD. One that has closed the channel and lives on cannot be led: it may
 * have been taken over. */
static void worker_gone(struct channel *channel, void *arg)
{
	struct worker *w = arg;

	(void)channel;
	if (w->pid > 0)
		kill(w->pid, SIGKILL);
}

static void worker_not_forked(void)
{
	if (parent_state == PARENT_STARTS)
		start_failed();
}

/* In a fresh child. */
static void parent_drop(void)
{
	timer_cancel(&tick);
	timer_cancel(&grace);
	timer_cancel(&patience);
	timer_cancel(&old_accept);
	parent_cli_drop(config);
	reload_forget();
}

/* This image began while it waited to be replaced. */
static void worker_died_before(struct worker *w)
{
	if (parent_state != PARENT_WAITS || !can_replace(w) || worker_is_old(w)) {
		worker_free(w);
		return;
	}
	w->state = WORKER_WAITS;
	w->due_ms = clock_now_ms;
}

/* The segment knows whose rows they are. */
static void check_rows(void)
{
	struct worker *w;

	list_for_each(w, &workers, node)
		if (w->row >= 0 && (!segment || (unsigned)w->row >= segment_capacity(segment) || !w->row ||
				    atomic_load(&segment_row(segment, (unsigned)w->row)->pid) != w->pid))
			w->row = -1;
}

/* Ties workers whose channel_fd is set to this image. */
static void parent_adopt_workers(void)
{
	struct worker *w, *next;

	check_rows();
	list_for_each_safe(w, next, &workers, node) {
		if (!w->pid && w->state == WORKER_FINISHES)
			worker_died_before(w);
		else if (w->channel_fd < 0)
			continue;
		else
			worker_move(w);
	}
	on_child(SIGCHLD); /* who ended between two images */
}

/* Forks those that are due. The worker, in the child. */
static struct worker *parent_fork_due(void)
{
	enum fork_result result;
	struct worker *w;

	list_for_each(w, &workers, node) {
		if (w->state != WORKER_WAITS || w->due_ms > clock_now_ms)
			continue;
		result = worker_fork(w);
		if (result == FORK_CHILD)
			return w;
		if (result == FORK_REFUSED)
			worker_not_forked();
	}
	return NULL;
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void on_tick(struct timer *timer)
{
	struct worker *w;
	bool due = parent_state == PARENT_ENDS && clock_now_ms >= kill_ms;

	notify_alive(clock_now_ms);
	if (due && clock_now_ms >= kill_ms + KILLED_MS) {
		log_process(LOG_L_ALERT, "Workers do not end, although they are killed.");
		loop_stop();
	}
	if (parent_state == PARENT_FINISHES && hard_stop_ms && clock_now_ms >= hard_stop_ms)
		parent_end(SIGTERM);
	list_for_each(w, &workers, node) {
		if (due && w->pid > 0)
			kill(w->pid, SIGKILL);
		if (w->row >= 0 && w->state >= WORKER_SERVES)
			watchdog_look(w);
	}
	timer_set(timer, clock_now_ms + TICK_MS);
}

static int parent_signals(struct err *err)
{
	static const struct {
		int signo;
		void (*handler)(int signo);
	} table[] = {
		{ SIGUSR1, on_finish }, { SIGUSR2, on_reload }, { SIGTERM, on_end },
		{ SIGINT, on_end },	{ SIGHUP, on_hup },	{ SIGQUIT, on_pools },
		{ SIGTTOU, on_pause },	{ SIGTTIN, on_resume }, { SIGCHLD, on_child },
		{ SIGPIPE, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++)
		if (signal_watch(table[i].signo, table[i].handler) < 0)
			return err_set(err, "cannot watch signals: %s", strerror(errno));
	return 0;
}

static void on_patience(struct timer *timer)
{
	timer_set(timer, clock_now_ms + LOOK_MS); /* whether it is quiet: parent_run */
}

/* The loop's furniture. */
static int parent_open(struct config *cfg, struct err *err)
{
	timer_init(&tick, on_tick);
	timer_init(&patience, on_patience);
	timer_init(&old_accept, on_old_overdue);
	timer_init(&grace, on_grace_over);
	changes_overdue = worker_overdue;
	forking_hooks.said = worker_said;
	forking_hooks.gone = worker_gone;
	forking_hooks.forget = parent_drop;
	if (parent_signals(err) < 0 || parent_cli_start(cfg, err) < 0)
		return -1;
	if (!reload_info.started_ms)
		reload_info.started_ms = clock_now_ms;
	parent_adopt_workers();
	handover_resume_conversations();
	return 0;
}

int parent_wait(struct config *cfg, const char *why, struct err *err)
{
	config = cfg;
	conf = config_data(cfg, &process_module);
	conf_master = true;
	process_self.role = ROLE_PARENT;
	parent_state = PARENT_WAITS;
	changes_parent();
	spare_begin();
	if (parent_open(cfg, err) < 0)
		return -1;
	parent_go_waiting(why);
	tick_soon();
	return 0;
}

bool parent_is_busy(void)
{
	return success_due || (parent_state != PARENT_SERVES && parent_state != PARENT_WAITS);
}

void parent_execute(void)
{
	execute_wanted = true;
	execute_by_ms = clock_now_ms + ANSWERS_MS;
	parent_cli_wait(true);
	on_patience(&patience);
}

/* Answers that are under way on the parent's socket would be cut. */
static bool may_execute(void)
{
	return execute_wanted && (clock_now_ms >= execute_by_ms || !conversations_busy());
}

/* Between two turns of the loop: the spare is forked from here. The worker that it forks has
 * become, in that worker. */
static struct worker *parent_execute_now(void)
{
	bool had_spare = spare_here();
	struct err err;

	execute_wanted = false;
	timer_cancel(&patience);
	if (parent_is_busy())
		return NULL; /* it ends */
	if (parent_state == PARENT_SERVES && spare_fork()) {
		handover_forget();
		return spare_serve();
	}
	handover_execute(config, &err);
	parent_adopt_workers(); /* their channels are new */
	if (!had_spare)
		spare_end();
	parent_cli_wait(false);
	reload_not_executed(err.text);
	return NULL;
}

int parent_start(struct config *cfg, const struct args *args, struct err *err)
{
	unsigned i;

	config = cfg;
	arguments = args;
	conf = config_data(cfg, &process_module);
	conf_master = conf->master_worker;
	process_self.role = ROLE_PARENT;
	if (!reload_info.started_ms)
		reload_info.started_ms = clock_now_ms;
	atomic_store(&segment_own->pid, getpid());
	changes_parent();
	if (process_self.taken_over)
		process_set_generation(workers_last_generation() + 1);
	if (parent_open(cfg, err) < 0 || log_parent_start(err) < 0)
		return -1;
	process_lead_modules(cfg);
	for (i = 1; i <= conf->worker_count; i++)
		if (worker_new(i, err) < 0)
			return -1;
	tick_soon();
	return 0;
}

struct worker *parent_run(void)
{
	struct worker *fresh = NULL;

	while (!loop_stopping() && !fresh) {
		fresh = may_execute() ? parent_execute_now() : parent_fork_due();
		if (!fresh)
			loop_turn(may_execute() ? 0 : -1);
	}
	return fresh;
}

int parent_exit_code(void)
{
	return exit_code;
}
