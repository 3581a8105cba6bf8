/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parent's side of the ordered log: it applies a change to its own memory, and if that succeeds
 * sends it to all workers. Since it is one process with one loop and channels keep their order, all
 * workers make the same changes in the same order, and an answer comes behind the change. What was
 * not read by a slow worker waits in its channel, up to CHANGES_BACKLOG. A replacement is forked
 * from this memory and needs no log.
 *
 * A frame is the name of the kind, a NUL, and the bytes.
 */
#include "process/changes.h"

#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "base/wipe.h"
#include "event/change.h"
#include "log/log.h"
#include "process/channel.h"
#include "process/messages.h"
#include "process/talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct served {
	struct list node;
	struct channel *channel;
	unsigned row;
	bool overdue; /* too much waits for it: it hears no more */
};

static struct list all_served = LIST_INIT(all_served);
void (*changes_overdue)(struct channel *channel);
static uint32_t place; /* of the last change in the log */
int (*changes_delegate)(const char *frame, size_t len, struct text *said, struct err *err);

static struct served *served_find(const struct channel *channel)
{
	struct served *w;

	list_for_each(w, &all_served, node)
		if (w->channel == channel)
			return w;
	return NULL;
}

void changes_add(struct channel *channel, unsigned row, bool old)
{
	struct served *w = calloc(1, sizeof(*w));

	if (!w) {
		log_process(LOG_L_ALERT, "Out of memory: a worker hears no changes.");
		if (changes_overdue)
			changes_overdue(channel);
		return;
	}
	*w = (struct served){ .channel = channel, .row = row };
	list_append(&all_served, &w->node);
	if (old)
		changes_set_old(channel, true);
}

void changes_set_old(struct channel *channel, bool old)
{
	const uint8_t byte = old;

	channel_send(channel, MSG_OLD, 0, &byte, 1, -1);
}

static void served_free(struct served *w)
{
	list_remove(&w->node);
	free(w);
}

void changes_remove(struct channel *channel)
{
	struct served *w = served_find(channel);

	if (w)
		served_free(w);
}

void changes_forget_workers(void)
{
	while (!list_empty(&all_served))
		served_free(list_first(&all_served, struct served, node));
}

struct channel *changes_channel(unsigned row)
{
	struct served *w;

	list_for_each(w, &all_served, node)
		if (w->row == row)
			return w->channel;
	return NULL;
}

/* -- the log --------------------------------------------------------------------------------- */

/* A frame of this kind and these bytes; NULL: out of memory. The caller frees it. */
static char *frame_make(const struct change_kind *kind, const void *bytes, size_t len, size_t *size)
{
	size_t name = strlen(kind->name) + 1;
	char *frame = malloc(name + len);

	*size = name + len;
	if (!frame)
		return NULL;
	memcpy(frame, kind->name, name);
	memcpy(frame + name, bytes, len);
	return frame;
}

static void served_give_up(struct served *w)
{
	w->overdue = true;
	if (changes_overdue)
		changes_overdue(w->channel);
}

/* One change of any size may wait; but who takes none must not make us keep all that come. One that
 * missed a change must not serve on either. */
static void served_tell(struct served *w, const char *frame, size_t size)
{
	if (w->overdue)
		return;
	if (channel_backlog(w->channel) > CHANGES_BACKLOG ||
	    (channel_send(w->channel, MSG_CHANGE, place, frame, size, -1) < 0 && errno != EPIPE))
		served_give_up(w);
}

/* 0: all know of it; -1 and err: nobody does. */
static int log_append(const struct change_kind *kind, const void *bytes, size_t len,
		      struct text *said, struct err *err)
{
	struct served *w;
	size_t size;
	char *frame = frame_make(kind, bytes, len, &size);

	if (!frame)
		return err_set(err, "Out of memory.");
	if ((changes_delegate ? changes_delegate(frame, size, said, err) :
				kind->apply(bytes, len, said, err)) < 0) {
		wipe_free(frame);
		return -1;
	}
	place++;
	list_for_each(w, &all_served, node)
		served_tell(w, frame, size);
	wipe_free(frame);
	return 0;
}

static unsigned parent_submit(const struct change_kind *kind, const void *bytes, size_t len,
			      change_done *done, void *arg)
{
	char memory[CHANGE_SAID];
	struct err err = { "" };
	struct text said;
	int rc;

	text_init(&said, memory, sizeof(memory));
	rc = log_append(kind, bytes, len, &said, &err);
	if (done)
		done(arg, rc < 0 ? err.text : NULL, said.ptr, said.len);
	return 0;
}

void changes_parent(void)
{
	change_route = parent_submit;
	change_route_forget = NULL;
	talk_parent();
}

/* What stands in a frame: the kind, and where its bytes begin. NULL: it is not known here. */
static const struct change_kind *kind_of(const void *bytes, size_t size, size_t *at)
{
	const char *end = size ? memchr(bytes, 0, size) : NULL;
	size_t len = end ? (size_t)(end - (const char *)bytes) : 0;

	*at = len + 1;
	return len ? change_kind_find(bytes, len) : NULL;
}

static const struct change_kind *frame_kind(const struct frame *frame, size_t *at)
{
	return kind_of(frame->bytes, frame->len, at);
}

int changes_make(const char *frame, size_t len, struct text *said, struct err *err)
{
	size_t at;
	const struct change_kind *kind = kind_of(frame, len, &at);

	return kind ? kind->apply(frame + at, len - at, said, err) :
		      err_set(err, "this kind of change is not known here");
}

static void answer(struct channel *channel, uint32_t ticket, int rc, const char *text, size_t len)
{
	char memory[CHANGE_SAID + 1];

	if (len > CHANGE_SAID)
		len = CHANGE_SAID;
	memory[0] = rc < 0;
	memcpy(memory + 1, text, len);
	channel_send(channel, MSG_SAID, ticket, memory, len + 1, -1);
}

static void submitted(struct channel *channel, const struct frame *frame)
{
	char memory[CHANGE_SAID];
	struct err err = { "" };
	struct text said;
	size_t at;
	const struct change_kind *kind = frame_kind(frame, &at);
	int rc;

	text_init(&said, memory, sizeof(memory));
	if (!kind)
		rc = err_set(&err, "the parent does not know this kind of change");
	else if (kind->by_parent)
		rc = err_set(&err, "this kind of change is the parent's");
	else
		rc = log_append(kind, (const char *)frame->bytes + at, frame->len - at, &said, &err);
	if (rc < 0)
		answer(channel, frame->id, rc, err.text, strlen(err.text));
	else
		answer(channel, frame->id, rc, said.ptr, said.len);
	explicit_bzero(memory, said.len); /* it may be a key */
}

/* One that asks and asks and does not read the answers: they must not fill our memory. */
static bool listens(struct channel *channel)
{
	struct served *w = served_find(channel);

	if (w && !w->overdue && channel_backlog(channel) > CHANGES_BACKLOG + CHANGES_FRAME_MOST)
		served_give_up(w);
	return !w || !w->overdue;
}

bool changes_from_worker(struct channel *channel, struct frame *frame)
{
	if (!listens(channel))
		return true; /* it is on its way out */
	if (frame->kind == MSG_SUBMIT)
		submitted(channel, frame);
	else if (frame->kind == MSG_TALK)
		talk_wanted(channel, frame);
	else
		return false;
	return true;
}

/* -- a worker -------------------------------------------------------------------------------- */

struct waiting {
	struct list node;
	unsigned ticket;
	change_done *done;
	void *arg;
	char *frame; /* to be said again, to a parent that is executed anew */
	size_t size;
};

static struct channel *parent;
static struct list waiters = LIST_INIT(waiters);
static unsigned last_ticket;
bool changes_old;

static unsigned worker_submit(const struct change_kind *kind, const void *bytes, size_t len,
			      change_done *done, void *arg)
{
	struct waiting *w = calloc(1, sizeof(*w));
	size_t size;
	char *frame = frame_make(kind, bytes, len, &size);
	int rc = -1;

	if (w && frame && parent) {
		*w = (struct waiting){ .ticket = ++last_ticket ? last_ticket : ++last_ticket,
				       .done = done, .arg = arg, .frame = frame, .size = size };
		rc = channel_send(parent, MSG_SUBMIT, w->ticket, frame, size, -1);
		if (rc < 0 && errno == EPIPE)
			rc = 0; /* a new channel comes, or its end is told */
	}
	if (rc < 0) {
		wipe_free(frame);
		free(w);
		if (done)
			done(arg, parent ? "Out of memory." : "the parent process has gone", "", 0);
		return 0;
	}
	list_append(&waiters, &w->node);
	return w->ticket;
}

static struct waiting *waiting_find(unsigned ticket)
{
	struct waiting *w;

	list_for_each(w, &waiters, node)
		if (w->ticket == ticket)
			return w;
	return NULL;
}

static void waiting_end(struct waiting *w, const char *error, const char *said, size_t len)
{
	list_remove(&w->node);
	if (w->done)
		w->done(w->arg, error, said, len);
	wipe_free(w->frame);
	free(w);
}

static void worker_forget(unsigned ticket)
{
	struct waiting *w = waiting_find(ticket);

	if (w)
		w->done = NULL;
}

void changes_worker(struct channel *channel)
{
	parent = channel;
	change_route = worker_submit;
	change_route_forget = worker_forget;
	talk_worker(channel);
}

static void answered(const struct frame *frame)
{
	struct waiting *w = waiting_find(frame->id);
	const char *bytes = frame->bytes;
	char error[sizeof(struct err)];
	size_t len;

	if (!w || !frame->len)
		return;
	if (!bytes[0]) {
		waiting_end(w, NULL, bytes + 1, frame->len - 1);
		return;
	}
	len = frame->len - 1 < sizeof(error) - 1 ? frame->len - 1 : sizeof(error) - 1;
	memcpy(error, bytes + 1, len);
	error[len] = 0;
	waiting_end(w, error, "", 0);
}

/* The parent has made it: whoever cannot follow must not serve on. */
static void apply(const struct frame *frame)
{
	char memory[CHANGE_SAID];
	struct err err = { "its kind is not known here" };
	struct text said;
	size_t at;
	const struct change_kind *kind = frame_kind(frame, &at);
	int rc = -1;

	text_init(&said, memory, sizeof(memory));
	change_first = false;
	if (kind)
		rc = kind->apply((const char *)frame->bytes + at, frame->len - at, &said, &err);
	change_first = true;
	if (rc == 0 || changes_old)
		return;
	log_process(LOG_L_ALERT, "Change %u (%s) cannot be applied in this process, which ends: %s",
		    frame->id, kind ? kind->name : "?", err.text);
	exit(1);
}

bool changes_from_parent(struct frame *frame)
{
	if (frame->kind == MSG_CHANGE)
		apply(frame);
	else if (frame->kind == MSG_SAID)
		answered(frame);
	else if (frame->kind == MSG_TALK_SAID)
		talk_here(frame);
	else if (frame->kind == MSG_TALK)
		talk_asked(frame);
	else if (frame->kind == MSG_OLD)
		changes_old = frame->len && *(const uint8_t *)frame->bytes;
	else
		return false;
	return true;
}

void changes_moved(struct channel *channel)
{
	struct waiting *w;

	changes_worker(channel);
	list_for_each(w, &waiters, node)
		channel_send(channel, MSG_SUBMIT, w->ticket, w->frame, w->size, -1);
	talk_moved();
}

void changes_orphaned(void)
{
	parent = NULL;
	while (!list_empty(&waiters))
		waiting_end(list_first(&waiters, struct waiting, node),
			    "the parent process has gone", "", 0);
	talk_orphaned();
}
