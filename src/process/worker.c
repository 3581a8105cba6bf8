/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a worker does that an only process does not: it hears its parent, and tells it that it
 * serves. A worker whose parent has gone finishes: its sockets must make way for a successor, and
 * nobody could tell it anything any more.
 */
#include "process/worker.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/version.h"
#include "expr/state.h"
#include "log/log.h"
#include "process/changes.h"
#include "process/channel.h"
#include "process/messages.h"
#include "process/obituary.h"
#include "process/self.h"
#include "process/worker_entry.h"
#include "session/listening.h"
#include "share/segment.h"

#include <stdio.h>

int worker_channel_fd = -1;

static struct channel *parent;
static void (*worker_finish)(enum listening_finish how);

static void got(struct channel *channel, struct frame *frame, void *arg);
static void gone(struct channel *channel, void *arg);

/* A new generation serves. The parent hears when we do not accept any more. */
static void relieved(const struct frame *frame)
{
	const uint8_t *all = frame->bytes;

	changes_old = true;
	worker_finish(frame->len && *all ? FINISH_RELIEVED : FINISH_SOME);
	channel_send(parent, MSG_DEAF, 0, NULL, 0, -1);
}

/* The parent executes itself anew. */
static void move(struct frame *frame)
{
	if (frame->fd < 0)
		return;
	channel_free(&parent);
	parent = channel_new(frame->fd, got, gone, NULL);
	frame->fd = -1;
	if (parent) {
		changes_moved(parent);
		return;
	}
	changes_orphaned();
	worker_finish(FINISH_ALONE);
}

static void got(struct channel *channel, struct frame *frame, void *arg)
{
	(void)channel;
	(void)arg;
	if (frame->kind == MSG_FINISH)
		relieved(frame);
	else if (frame->kind == MSG_MOVE)
		move(frame);
	else if (frame->kind == MSG_PAUSE)
		listening_pause();
	else if (frame->kind == MSG_RESUME)
		listening_resume();
	else
		changes_from_parent(frame);
}

static void gone(struct channel *channel, void *arg)
{
	(void)channel;
	(void)arg;
	log_process(LOG_L_ALERT, "The parent process has gone: worker %u finishes.",
		    process_self.number);
	channel_free(&parent);
	changes_orphaned();
	worker_finish(FINISH_ALONE);
}

int worker_start(const struct worker *self, void (*finish)(enum listening_finish how),
		 struct err *err)
{
	worker_finish = finish;
	obituary_prepare(self->words_fd);
	parent = channel_new(worker_channel_fd, got, gone, NULL);
	worker_channel_fd = -1;
	if (!parent)
		return err_set(err, "cannot listen to the parent process");
	changes_worker(parent);
	expr_process.number = (int)process_self.number;
	return 0;
}

void worker_ready_now(void)
{
	snprintf(segment_own->version, sizeof(segment_own->version), "%s", version_for_tools);
	atomic_store(&segment_own->started_ms, clock_now_ms);
	if (parent)
		channel_send(parent, MSG_READY, 0, NULL, 0, -1);
}
