/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Listening sockets: opened with what accepted sockets inherit, accepting in batches, and
 * stepping back when there is no room. Level-triggered, EPOLLIN alone; a listener that may
 * not accept is out of the poller, never spinning in it. A socket is always removed from the
 * poller before it is closed, because a copy of it may live on in another process. Which
 * limits there are is asked through l->room; what becomes of a connection is none of our
 * business: l->accepted takes it.
 */
#include "net/listener.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/result.h"
#include "event/profile.h"
#include "net/listen_socket.h"
#include "net/orphan.h"
#include "net/share.h"
#include "net/sock.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define RETRY_MS 100 /* out of descriptors or memory: try again after that long */
#define FULL_MS 200  /* of several processes: look for room at least that often */

unsigned listener_max_accept = 4;
bool listeners_shared, listeners_held;
struct listener_stats listener_stats;
struct listener_hooks listener_hooks;

/* Those in LISTENER_FULL, oldest first. */
static struct list waiting = LIST_INIT(waiting);

static struct listener *of_source(struct source *src)
{
	return container_of(src, struct listener, src);
}

static void leave_loop(struct listener *l, enum listener_state state)
{
	if (l->src.registered)
		loop_remove(&l->src);
	if (listeners_shared && !l->bind->dgram)
		share_leave(l);
	timer_cancel(&l->retry);
	list_remove(&l->wait_node);
	l->state = state;
}

static int enter_loop(struct listener *l)
{
	leave_loop(l, LISTENER_READY);
	if (l->bind->dgram) /* each socket has one worker that receives from it */
		return listeners_held || l->elsewhere ? 0 : loop_add(&l->src, EPOLLIN);
	if (listeners_shared && !listeners_held)
		return share_enter(l);
	return listeners_held ? 0 : loop_add(&l->src, EPOLLIN);
}

void listener_full(struct listener *l)
{
	leave_loop(l, LISTENER_FULL);
	list_append(&waiting, &l->wait_node);
}

static void limit_for(struct listener *l, unsigned ms)
{
	leave_loop(l, LISTENER_LIMITED);
	timer_set(&l->retry, clock_now_ms + ms);
}

static void retry_fired(struct timer *timer)
{
	struct listener *l = container_of(timer, struct listener, retry);

	if (enter_loop(l))
		limit_for(l, RETRY_MS);
}

/* How many may be accepted now; 0: and it has left the loop. */
static unsigned room_now(struct listener *l)
{
	unsigned room = UINT_MAX, wait_ms = 0;

	if (l->room)
		room = l->room(l, &wait_ms);
	if (l->maxconn && room > l->maxconn - l->current)
		room = l->current < l->maxconn ? l->maxconn - l->current : 0;
	if (room)
		return room;
	if (wait_ms)
		limit_for(l, wait_ms);
	else
		listener_full(l);
	if (listeners_shared && !wait_ms) /* for want of a wake-up from others that was lost */
		timer_set(&l->retry, clock_now_ms + FULL_MS);
	return 0;
}

/* Nothing more can be accepted for want of descriptors or memory. */
static void out_of_resources(struct listener *l, int error)
{
	static uint64_t reported_ms;

	listener_stats.failed++;
	if (listener_hooks.out_of_resources &&
	    (!reported_ms || clock_now_ms - reported_ms >= 1000)) {
		reported_ms = clock_now_ms;
		listener_hooks.out_of_resources(l, error);
	}
	limit_for(l, RETRY_MS);
}

/* No descriptor is free: connections that nobody uses make room, for the client and the server. */
COLD static int accept_instead(struct listener *l, struct addr *from)
{
	int fd = -1, tries = 2;

	while (fd < 0 && (errno == EMFILE || errno == ENFILE) && tries-- && orphan_cut())
		fd = sock_reserve() ? listen_socket_accept(l, from) : -1;
	return fd;
}

/* Accepts one. False: no more in this batch. */
static bool accept_one(struct listener *l)
{
	struct addr from;
	int fd = sock_reserve() ? listen_socket_accept(l, &from) : -1;

	if (unlikely(fd < 0 && (errno == EMFILE || errno == ENFILE)))
		fd = accept_instead(l, &from);
	if (fd >= 0) {
		listener_stats.accepted++;
		l->accepted(l, &fd, &from);
		BUG_ON(fd != -1);
		return l->state == LISTENER_READY;
	}
	switch (errno) {
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		out_of_resources(l, errno);
		return false;
	case EAGAIN:
		return false;
	case EINVAL: /* it does not listen any more: another process has paused it */
		return false;
	case EPIPE: /* the other end of a socket pair is gone */
		leave_loop(l, LISTENER_PAUSED);
		return false;
	default: /* this connection died before it was accepted */
		return true;
	}
}

/* A call that finds nobody costs as much as one that does, and the poller tells again of those who
 * are left: so a batch takes as many as came of late, and tries for one more now and then. */
static void learn(struct listener *l, unsigned batch, unsigned taken)
{
	enum { GROW_AFTER = 4 };

	if (taken < batch) {
		l->expected = taken ? taken : 1;
		l->full_batches = 0;
	} else if (batch == l->expected && ++l->full_batches == GROW_AFTER) {
		l->expected++;
		l->full_batches = 0;
	}
}

/* Of several processes: each place below a limit is promised singly. */
static bool take_one_shared(struct listener *l)
{
	uint64_t before = listener_stats.accepted;

	if (!room_now(l))
		return false;
	DROPPED(accept_one(l), "whether there are more: one is taken at a time");
	if (l->settled)
		l->settled(l);
	return listener_stats.accepted != before;
}

/* How many of those for which there is room are taken in a row. */
static unsigned batch_of(const struct listener *l, unsigned room)
{
	unsigned batch = room < listener_max_accept ? room : listener_max_accept;

	return l->expected && batch > l->expected ? l->expected : batch;
}

/* Not many in a row: all would come to the one that is awake. */
static void take_shared(struct listener *l)
{
	unsigned batch = batch_of(l, UINT_MAX), taken = 0;

	while (taken < batch && take_one_shared(l)) {
		taken++;
		if (!share_accepted(l))
			return; /* others have less */
	}
	learn(l, batch, taken);
}

static void listener_ready(struct source *src, uint32_t events)
{
	struct listener *l = of_source(src);
	unsigned batch, taken = 0;

	(void)events;
	if (l->state != LISTENER_READY)
		return;
	if (listeners_shared) {
		take_shared(l);
		return;
	}
	batch = batch_of(l, room_now(l));
	while (taken < batch && accept_one(l))
		taken++;
	learn(l, batch, taken);
}

void listeners_divide_batch(unsigned processes)
{
	if (listener_max_accept == UINT_MAX)
		return;
	listener_max_accept /= 2 * processes;
	if (!listener_max_accept)
		listener_max_accept = 1;
}

void listener_init(struct listener *l, struct bind_conf *bind)
{
	l->src.fd = -1;
	l->src.ready = listener_ready;
	l->bind = bind;
	l->maxconn = bind->maxconn;
	l->state = LISTENER_NEW;
	list_init(&l->wait_node);
	list_init(&l->share_node);
	timer_init(&l->retry, retry_fired);
	list_append(&bind->listeners, &l->node);
}

int listener_open(struct listener *l, const struct listen_options *opt, struct err *err)
{
	BUG_ON(l->src.fd != -1);
	l->bind->opt = *opt;
	l->backlog = l->bind->backlog ? l->bind->backlog : opt->default_backlog;
	l->src.fd = listen_socket_open(l, opt, err);
	return l->src.fd < 0 ? -1 : 0;
}

int listener_start(struct listener *l)
{
	if (l->state == LISTENER_CLOSED || l->src.fd < 0)
		return -1;
	return enter_loop(l);
}

/* Takes what waits in the kernel, as far as there is room, before the socket stops listening:
 * the kernel would reset it. */
static void drain(struct listener *l)
{
	unsigned left;

	if (l->src.fd < 0 || l->state != LISTENER_READY || listeners_held || l->bind->dgram)
		return;
	listen_socket_steer_away(l, true);
	if (listeners_shared) { /* no more than can have waited: others accept, too */
		for (left = (unsigned)l->backlog + 1; left && l->state == LISTENER_READY; left--)
			if (!take_one_shared(l))
				break;
	} else {
		left = room_now(l);
		while (left && accept_one(l))
			left--;
	}
	listen_socket_steer_away(l, false);
}

/* Two processes cannot have the same one. */
static bool abstract(const struct listener *l)
{
	return l->addr.family == AF_UNIX && l->addr.path && *l->addr.path == '@' && !l->inherited;
}

void listener_pause(struct listener *l)
{
	if (l->state == LISTENER_CLOSED || l->state == LISTENER_PAUSED)
		return;
	drain(l);
	leave_loop(l, LISTENER_PAUSED);
	if (listeners_held || (listeners_shared && abstract(l)))
		return; /* connections wait in the kernel, or the workers do it */
	if (abstract(l)) {
		close(l->src.fd);
		l->src.fd = -1;
	} else {
		listen_socket_unlisten(l);
	}
}

int listener_resume(struct listener *l)
{
	if (l->state != LISTENER_PAUSED)
		return 0;
	if (l->src.fd < 0 ? listener_open(l, &l->bind->opt, NULL) : listen_socket_hear(l))
		return -1;
	return listener_start(l);
}

void listener_close(struct listener *l)
{
	leave_loop(l, LISTENER_CLOSED);
	if (l->src.fd < 0)
		return;
	close(l->src.fd);
	l->src.fd = -1;
}

void listener_finish(struct listener *l)
{
	drain(l);
	if (l->finishing && l->src.fd >= 0)
		l->finishing(l);
	listener_close(l);
}

void listeners_wake(void)
{
	struct listener *l, *next;

	list_for_each_safe(l, next, &waiting, wait_node) {
		unsigned wait_ms = 0;

		if (!listeners_shared && l->maxconn && l->current >= l->maxconn)
			continue;
		if (!listeners_shared && l->room && !l->room(l, &wait_ms) && !wait_ms)
			continue;
		if (enter_loop(l))
			limit_for(l, RETRY_MS);
	}
}

const struct profile_name listener_profile = PROFILE_NAME(listener_ready);
