/* SPDX-License-Identifier: BSD-2-Clause */
/* The trial of colocate/: a process of its own, in a control group of its own, that is both ends of
 * a connection. It tells by its exit code which step failed. */
#include "colocate/trial.h"

#include "base/bug.h"
#include "colocate/attach.h"
#include "net/bpf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIAL_RING = 64 << 10, TRIAL_MS = 5000, MESSAGES_MOST = 4000, PIECE = 64 };

enum trial_end { HELD, HELD_BLIND, NO_GROUP, NO_SOCKETS, NOT_PAIRED, NOT_QUEUED, NOT_READ,
		 NOT_BOUNDED, NOT_IN_ORDER, NOT_BACK, NO_END, TRIAL_ENDS };

static const char *const trial_texts[TRIAL_ENDS] = {
	[NO_GROUP] = "a process cannot be put into a control group below it",
	[NO_SOCKETS] = "no connection of the loopback can be made",
	[NOT_PAIRED] = "the ends of a connection are not paired",
	[NOT_QUEUED] = "data are not queued at the receiver",
	[NOT_READ] = "queued data are not read",
	[NOT_BOUNDED] = "what is queued is not bounded: the kernel does not count it",
	[NOT_IN_ORDER] = "data come in another order than they were sent",
	[NOT_BACK] = "data are not queued again when the receiver has caught up",
	[NO_END] = "the end of a connection does not come behind its last byte",
};

struct trial {
	const struct colocate_set *set;
	int from, to;
	unsigned sent, got; /* bytes; each is the low byte of its own number */
};

static int settings_allow(const struct trial *t, unsigned port)
{
	static struct colocate_settings s; /* too large for a stack */
	const uint32_t index = 0;

	s.on = 1;
	s.ring_bytes = TRIAL_RING;
	s.readers = COLOCATE_LEVEL;
	s.ports[port] = 1;
	return bpf_map_put(t->set->maps[COLOCATE_MAP_SETTINGS], &index, &s);
}

/* Both ends wait by epoll: that is what is served. */
static int sockets_open(struct trial *t)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct epoll_event in = { .events = EPOLLIN };
	socklen_t len = sizeof(a);
	const int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0), one = 1;

	t->from = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &len) ||
	    settings_allow(t, ntohs(a.sin_port)) ||
	    connect(t->from, (struct sockaddr *)&a, sizeof(a)))
		return -1;
	t->to = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	close(listener);
	setsockopt(t->from, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(t->from, F_SETFL, O_NONBLOCK);
	return epoll_ctl(poll, EPOLL_CTL_ADD, t->to, &in) ||
	       epoll_ctl(poll, EPOLL_CTL_ADD, t->from, &in);
}

/* What the sender's flow is now; false: it has none. */
static bool flow_now(const struct trial *t, struct colocate_flow *flow)
{
	const int map = t->set->maps[COLOCATE_MAP_FLOWS];
	uint64_t cookie = 0, key;
	socklen_t len = sizeof(cookie);
	int r;

	getsockopt(t->from, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	for (r = bpf_map_next(map, NULL, &key); !r; r = bpf_map_next(map, &key, &key))
		if (!bpf_map_get(map, &key, flow) && flow->cookie == cookie)
			return true;
	return false;
}

static bool trial_send(struct trial *t, unsigned len)
{
	unsigned char piece[PIECE];
	unsigned i;

	for (i = 0; i < len; i++)
		piece[i] = (unsigned char)(t->sent + i);
	if (send(t->from, piece, len, MSG_NOSIGNAL) != (ssize_t)len)
		return false;
	t->sent += len;
	return true;
}

/* Reads until all that was sent has come; false: something else came, or nothing more. */
static bool trial_recv(struct trial *t)
{
	struct pollfd fd = { .fd = t->to, .events = POLLIN };
	unsigned char bytes[4096];
	ssize_t n, i;

	while (t->got < t->sent && poll(&fd, 1, TRIAL_MS) == 1) {
		n = recv(t->to, bytes, sizeof(bytes), 0);
		if (n <= 0)
			return false;
		for (i = 0; i < n; i++)
			if (bytes[i] != (unsigned char)t->got++)
				return false;
	}
	return t->got == t->sent;
}

static bool splice_sees(const struct trial *t)
{
	int fds[2];
	ssize_t n;

	if (pipe2(fds, O_NONBLOCK))
		return false;
	/* what it moves is gone: so one byte, which is put back into the count */
	n = splice(t->to, NULL, fds[1], NULL, 1, SPLICE_F_NONBLOCK);
	close(fds[0]);
	close(fds[1]);
	return n == 1;
}

/* Sends until the receiver, which does not read, is behind, and a little more. */
static enum trial_end trial_bound(struct trial *t)
{
	struct colocate_flow before, now;
	int n;

	if (!flow_now(t, &before))
		return NOT_PAIRED;
	for (n = 0; n < MESSAGES_MOST && trial_send(t, PIECE); n++)
		;
	if (!flow_now(t, &now) || !now.behind ||
	    now.queue_bytes - before.queue_bytes > TRIAL_RING ||
	    now.queue_messages - before.queue_messages >
		    COLOCATE_MARKS * COLOCATE_MARK_EVERY + COLOCATE_MARK_EVERY)
		return NOT_BOUNDED;
	return trial_recv(t) ? HELD : NOT_IN_ORDER;
}

static enum trial_end trial_steps(struct trial *t)
{
	struct colocate_flow flow, later;
	enum trial_end end = HELD, bound;
	struct pollfd fd;
	char c;

	if (sockets_open(t))
		return NO_SOCKETS;
	if (!trial_send(t, 1) || !trial_recv(t) || !flow_now(t, &flow) || !flow.peer_cookie)
		return NOT_PAIRED;
	if (!trial_send(t, PIECE) || !flow_now(t, &later) ||
	    later.queue_bytes != flow.queue_bytes + PIECE)
		return NOT_QUEUED;
	if (!splice_sees(t))
		end = HELD_BLIND;
	else
		t->got++;
	if (!trial_recv(t))
		return NOT_READ;
	bound = trial_bound(t);
	if (bound != HELD)
		return bound;
	if (!flow_now(t, &flow) || !trial_send(t, PIECE) || !flow_now(t, &later) ||
	    later.queue_bytes != flow.queue_bytes + PIECE)
		return NOT_BACK;
	shutdown(t->from, SHUT_WR);
	fd = (struct pollfd){ .fd = t->to, .events = POLLIN };
	if (!trial_recv(t) || poll(&fd, 1, TRIAL_MS) != 1 || recv(t->to, &c, 1, 0) != 0)
		return NO_END;
	return end;
}

static int group_enter(const char *group)
{
	char path[PATH_MAX + 16];
	int fd, r;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	r = fd < 0 || write(fd, "0", 1) != 1 ? -1 : 0;
	if (fd >= 0)
		close(fd);
	return r;
}

static int trial_process(const struct colocate_set *set, const char *group)
{
	struct trial t = { .set = set };
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(group_enter(group) ? NO_GROUP : (int)trial_steps(&t));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return NO_GROUP;
	return WEXITSTATUS(status);
}

int trial_run(const struct colocate_set *set, const char *cgroup, bool *splice_blind,
	      struct err *err)
{
	char group[PATH_MAX];
	int link, end;

	snprintf(group, sizeof(group), "%s/penstock-trial-%d", cgroup, (int)getpid());
	if (mkdir(group, 0700) < 0)
		return err_set(err, "%s: %s", group, strerror(errno));
	link = attach_link(set->pair, group, err);
	if (link < 0) {
		rmdir(group);
		return -1;
	}
	end = trial_process(set, group);
	close(link);
	rmdir(group);
	*splice_blind = end == HELD_BLIND;
	if (end == HELD || end == HELD_BLIND)
		return 0;
	return err_set(err, "tried on this kernel, it does not work: %s",
		       end < TRIAL_ENDS ? trial_texts[end] : "the trial was broken off");
}
