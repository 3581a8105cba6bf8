/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens conversations between processes. The parent makes a socket pair: one end goes to the one
 * that is asked, the other to the one who asks. No address, so nobody else can knock. */
#include "process/talk.h"

#include "base/list.h"
#include "cli/cli.h"
#include "cli/talk_level.h"
#include "event/talk.h"
#include "net/listener.h"
#include "process/channel.h"
#include "process/messages.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Talks that wait for a process to take them: one that was stopped may be asked every second. */
enum { WAITING = 32 };

struct talk_frame {
	uint32_t row;
	int32_t level;
};

/* -- the parent ------------------------------------------------------------------------------ */

/* The end for who asks, -1 and why not. */
static int talk_connect(const struct talk_frame *wish, const char **error)
{
	struct channel *asked = wish->row ? changes_channel(wish->row) : NULL;
	int fds[2];

	*error = "there is no such process";
	if (wish->row ? !asked : !talk_serve)
		return -1;
	*error = "it does not listen";
	if (asked && channel_waiting_fds(asked) >= WAITING)
		return -1;
	*error = "out of descriptors";
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	if (!asked) {
		talk_serve(fds[1], wish->level); /* it is this one */
		return fds[0];
	}
	if (channel_send(asked, MSG_TALK, 0, wish, sizeof(*wish), fds[1]) < 0) {
		close(fds[0]);
		fds[0] = -1;
		*error = "out of memory";
	}
	close(fds[1]);
	return fds[0];
}

/* A worker may have been taken over. What it passes on of the stats socket shows something, or
 * ends a session: that needs no modes; and the parent has no sessions. What is asked for the
 * service comes from the parent alone, so that nobody asks in a round. */
static void talk_limit(struct talk_frame *wish)
{
	const int most = wish->row ? LEVEL_ADMIN : LEVEL_OPERATOR;
	int level = wish->level & TALK_LEVEL;

	wish->level = (level < most ? level : most) | (wish->level & TALK_SEVERITY);
}

void talk_wanted(struct channel *channel, const struct frame *frame)
{
	const char *error = "a broken question";
	struct talk_frame wish;
	int fd = -1;

	if (frame->len == sizeof(wish)) {
		memcpy(&wish, frame->bytes, sizeof(wish));
		talk_limit(&wish);
		error = "out of descriptors"; /* those for this one that are not read */
		if (channel_waiting_fds(channel) < WAITING)
			fd = talk_connect(&wish, &error);
	}
	channel_send(channel, MSG_TALK_SAID, frame->id, error, fd < 0 ? strlen(error) : 0, fd);
	if (fd >= 0)
		close(fd);
}

static unsigned parent_open(unsigned row, int level, talk_opened *opened, void *arg)
{
	struct talk_frame wish = { row, level };
	const char *error;
	int fd = talk_connect(&wish, &error);

	opened(arg, fd, fd < 0 ? error : NULL);
	return 0;
}

static void parent_forget(unsigned ticket)
{
	(void)ticket; /* it never waits */
}

void talk_parent(void)
{
	talk_open = parent_open;
	talk_forget = parent_forget;
}

/* -- a worker -------------------------------------------------------------------------------- */

struct asking {
	struct list node;
	unsigned ticket;
	talk_opened *opened; /* NULL: has gone */
	void *arg;
	struct talk_frame wish;
};

static struct channel *parent;
static struct list askers = LIST_INIT(askers);
static unsigned last_ticket;

static unsigned worker_open(unsigned row, int level, talk_opened *opened, void *arg)
{
	struct talk_frame wish = { row, level };
	struct asking *a = parent ? calloc(1, sizeof(*a)) : NULL;

	if (a) {
		*a = (struct asking){ .ticket = ++last_ticket ? last_ticket : ++last_ticket,
				      .opened = opened, .arg = arg, .wish = wish };
		if (channel_send(parent, MSG_TALK, a->ticket, &wish, sizeof(wish), -1) == 0 ||
		    errno == EPIPE) { /* then a new channel comes, or its end is told */
			list_append(&askers, &a->node);
			return a->ticket;
		}
		free(a);
	}
	opened(arg, -1, parent ? "out of memory" : "the parent process has gone");
	return 0;
}

static struct asking *asking_find(unsigned ticket)
{
	struct asking *a;

	list_for_each(a, &askers, node)
		if (a->ticket == ticket)
			return a;
	return NULL;
}

static void worker_forget(unsigned ticket)
{
	struct asking *a = asking_find(ticket);

	if (a)
		a->opened = NULL;
}

void talk_worker(struct channel *channel)
{
	parent = channel;
	talk_open = worker_open;
	talk_forget = worker_forget;
}

static void asking_end(struct asking *a, int fd, const char *error)
{
	list_remove(&a->node);
	if (a->opened)
		a->opened(a->arg, fd, error);
	else if (fd >= 0)
		close(fd);
	free(a);
}

void talk_here(struct frame *frame)
{
	struct asking *a = asking_find(frame->id);
	char error[128];
	size_t len = frame->len < sizeof(error) ? frame->len : sizeof(error) - 1;
	int fd = frame->fd;

	if (!a)
		return;
	memcpy(error, frame->bytes, len);
	error[len] = 0;
	frame->fd = -1;
	asking_end(a, fd, fd >= 0 ? NULL : len ? error : "out of descriptors");
}

void talk_asked(struct frame *frame)
{
	struct talk_frame wish;
	int fd = frame->fd;

	if (fd < 0 || frame->len != sizeof(wish) || !talk_serve)
		return;
	memcpy(&wish, frame->bytes, sizeof(wish));
	frame->fd = -1;
	talk_serve(fd, wish.level);
}

void talk_moved(void)
{
	struct asking *a, *next;

	list_for_each_safe(a, next, &askers, node)
		if (!a->opened)
			asking_end(a, -1, "");
		else
			channel_send(parent, MSG_TALK, a->ticket, &a->wish, sizeof(a->wish), -1);
}

void talk_orphaned(void)
{
	parent = NULL;
	while (!list_empty(&askers))
		asking_end(list_first(&askers, struct asking, node), -1,
			   "the parent process has gone");
}
