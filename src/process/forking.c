/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forking of workers: channel and pipe, what the child forgets and takes, what the parent notes.
 * Called by parent.c between two turns of its loop, never inside a callback.
 */
#include "process/workers.h"

#include "base/clock.h"
#include "event/loop.h"
#include "event/signals.h"
#include "log/log.h"
#include "net/listener.h"
#include "process/changes.h"
#include "process/channel.h"
#include "process/notify.h"
#include "process/self.h"
#include "process/spare.h"
#include "process/worker.h"
#include "process/workers_conf.h"
#include "proxy/proxy.h"
#include "proxy/states.h"
#include "share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_MS = 1000 };

struct forking_hooks forking_hooks;

/* ---- in the child ------------------------------------------------------------------------ */

/* What a fresh worker has of us, and must not use: descriptors of others, timers, the loop. */
void child_forget(struct worker *self)
{
	struct worker *w;

	/* First: the poller is still the parent's, and what is dropped would be taken out of it. */
	loop_free();
	forking_hooks.forget();
	list_for_each(w, &workers, node) {
		if (w->channel)
			channel_drop(&w->channel);
		if (w != self && w->words_fd >= 0)
			close(w->words_fd);
	}
	changes_forget_workers();
	notify_stop();
	log_forked();
	signals_forget();
	listeners_held = false;
}

/* In the child: which ends are ours. */
void child_take(struct worker *w, int channel_fd, int words_fd)
{
	process_self.role = ROLE_WORKER;
	process_self.number = w->number;
	w->words_fd = words_fd;
	worker_channel_fd = channel_fd;
	states_own_row((unsigned)w->row);
	atomic_store(&segment_own->pulse.asleep, 0);
	atomic_store(&segment_own->flags, workers_are_threads ? ROW_THREAD : 0);
	segment_own->at_hand.stream = 0;
}

/* ---- in the parent ----------------------------------------------------------------------- */

void worker_listen(struct worker *w, int fd)
{
	w->channel_fd = -1;
	w->channel = channel_new(fd, forking_hooks.said, forking_hooks.gone, w);
	if (!w->channel)
		kill(w->pid, SIGKILL);
	else
		changes_add(w->channel, (unsigned)w->row, worker_is_old(w));
}

void worker_move(struct worker *w)
{
	changes_remove(w->channel);
	channel_free(&w->channel);
	worker_listen(w, w->channel_fd);
}

static void worker_forked(struct worker *w, pid_t pid, int channel_fd, int words_fd)
{
	w->pid = pid;
	w->state = WORKER_STARTS;
	w->started_ms = clock_now_ms;
	w->reloads = reload_info.reloads;
	w->words_fd = words_fd;
	w->aborted = false;
	w->turns = UINT64_MAX; /* not looked at yet */
	atomic_store(&segment_row(segment, (unsigned)w->row)->pid, pid);
	worker_listen(w, channel_fd);
	log_process(LOG_L_NOTICE, "New worker %u (%d) forked.", w->number, (int)pid);
}

static bool worker_pipes(int ends[2], int words[2])
{
	if (channel_pair(ends) < 0)
		return false;
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) == 0)
		return true;
	close(ends[0]);
	close(ends[1]);
	return false;
}

enum fork_result worker_fork(struct worker *w)
{
	int ends[2], words[2];
	pid_t pid;

	if (!worker_pipes(ends, words)) {
		w->due_ms = clock_now_ms + RETRY_MS;
		return FORK_LATER;
	}
	fflush(NULL);
	pid = spare_serves() ? spare_fork_worker(w, ends[1], words[1]) : fork();
	if (pid == 0) {
		close(ends[0]);
		close(words[0]);
		child_forget(w);
		child_take(w, ends[1], words[1]);
		return FORK_CHILD;
	}
	close(ends[1]);
	close(words[1]);
	if (pid > 0) {
		worker_forked(w, pid, ends[0], words[0]);
		return FORK_DONE;
	}
	log_process(LOG_L_ALERT, "Cannot fork a worker: %s.", strerror(errno));
	close(ends[0]);
	close(words[0]);
	w->due_ms = clock_now_ms + RETRY_MS;
	return FORK_REFUSED;
}
