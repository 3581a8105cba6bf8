/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floor: the barest relay that can be written, as the yardstick for what the kernel allows.
 * One thread, edge-triggered epoll, one server, no configuration, no timers, no limits, no
 * statistics. It passes half-closes on and ends both sides when either breaks.
 *
 *   floor [-C CORE] copy|splice LISTEN:PORT SERVER:PORT
 *
 * copy: one scratch buffer of 64 kB for the process; what a send leaves over is kept aside.
 * splice: pipes of 1 MiB from a stack; a direction keeps one only while bytes sit in it.
 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define SCRATCH (64 * 1024)
#define PIPE_SIZE (1024 * 1024)

struct pipe {
	int r, w;
	struct pipe *next;
};

/* One socket, and what is on its way out of it. */
struct side {
	int fd;
	bool readable, writable;
	bool short_read; /* the last recv emptied the socket, or the peer's end is near: read on */
	bool eof;        /* the peer has ended */
	bool shut;       /* and so have we, towards it */
	char *left;      /* copy: bytes that could not be sent yet */
	size_t left_pos;
	size_t pending;  /* bytes in `left` or in `pipe` */
	struct pipe *pipe;
	struct side *peer;
	struct side *next_dead;
	bool dead;
};

static bool by_splice;
static int poller, listener;
static struct address server;
static char scratch[SCRATCH];
static struct pipe *pipes;
static struct side *graveyard;

static struct pipe *pipe_take(void)
{
	struct pipe *p = pipes;
	int fds[2];

	if (p) {
		pipes = p->next;
		return p;
	}
	p = malloc(sizeof(*p));
	if (!p || pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		die("pipe");
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_SIZE);
	p->r = fds[0];
	p->w = fds[1];
	return p;
}

static void pipe_give(struct side *to, bool clean)
{
	struct pipe *p = to->pipe;

	to->pipe = NULL;
	if (!p)
		return;
	if (clean) {
		p->next = pipes;
		pipes = p;
		return;
	}
	close(p->r);
	close(p->w);
	free(p);
}

static void both_die(struct side *a)
{
	if (a->dead)
		return;
	a->dead = a->peer->dead = true;
	a->peer->next_dead = graveyard;
	a->next_dead = a->peer;
	graveyard = a;
}

static void bury(void)
{
	while (graveyard) {
		struct side *s = graveyard;

		graveyard = s->next_dead;
		pipe_give(s, false);
		free(s->left);
		close(s->fd);
		free(s);
	}
}

/* Pushes what waits for `to`. false: it does not go out now. */
static bool push(struct side *to)
{
	ssize_t n;

	while (to->pending) {
		if (!to->writable)
			return false;
		if (to->pipe)
			n = splice(to->pipe->r, NULL, to->fd, NULL, to->pending, SPLICE_F_NONBLOCK);
		else
			n = send(to->fd, to->left + to->left_pos, to->pending, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN) {
			to->writable = false;
			return false;
		}
		if (n <= 0) {
			both_die(to);
			return false;
		}
		to->pending -= (size_t)n;
		to->left_pos += (size_t)n;
	}
	if (to->pipe)
		pipe_give(to, true);
	free(to->left);
	to->left = NULL;
	return true;
}

/* Sends n fresh bytes of the scratch buffer and keeps what does not go out. */
static bool send_fresh(struct side *to, size_t n)
{
	ssize_t sent = to->writable ? send(to->fd, scratch, n, MSG_NOSIGNAL) : 0;

	if (sent < 0 && errno != EAGAIN) {
		both_die(to);
		return false;
	}
	if (sent == (ssize_t)n)
		return true;
	sent = sent < 0 ? 0 : sent;
	to->writable = false;
	to->pending = n - (size_t)sent;
	to->left_pos = 0;
	to->left = malloc(to->pending);
	if (!to->left)
		die("memory");
	memcpy(to->left, scratch + sent, to->pending);
	return false;
}

static ssize_t pull(struct side *from, struct side *to)
{
	ssize_t n;

	if (!by_splice)
		return recv(from->fd, scratch, SCRATCH, 0);
	to->pipe = pipe_take();
	n = splice(from->fd, NULL, to->pipe->w, NULL, PIPE_SIZE, SPLICE_F_NONBLOCK);
	if (n > 0)
		to->pending = (size_t)n;
	else
		pipe_give(to, true);
	return n;
}

static void move(struct side *from, struct side *to)
{
	if (!push(to))
		return;
	while (from->readable && !from->eof) {
		ssize_t n = pull(from, to);

		if (n < 0 && errno == EAGAIN) {
			from->readable = false;
			return;
		}
		if (n < 0) {
			both_die(from);
			return;
		}
		if (n == 0) {
			from->eof = true;
			break;
		}
		if (!by_splice && n < SCRATCH && !from->short_read)
			from->readable = false;
		if (by_splice ? !push(to) : !send_fresh(to, (size_t)n))
			return;
	}
	if (from->eof && !to->shut) {
		to->shut = true;
		shutdown(to->fd, SHUT_WR);
		if (to->eof)
			both_die(to);
	}
}

static void side_ready(struct side *s, uint32_t events)
{
	if (s->dead)
		return;
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI))
		s->short_read = true;
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		s->readable = true;
	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		s->writable = true;
	if (s->readable)
		move(s, s->peer);
	if (!s->dead && s->writable && (s->pending || s->peer->readable))
		move(s->peer, s);
}

static struct side *side_new(int fd)
{
	struct side *s = calloc(1, sizeof(*s));

	if (!s)
		die("memory");
	s->fd = fd;
	sock_nodelay(fd);
	return s;
}

static void side_watch(struct side *s)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = s };

	if (epoll_ctl(poller, EPOLL_CTL_ADD, s->fd, &e))
		die("epoll_ctl");
}

static void accept_some(void)
{
	for (int i = 0; i < 64; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct side *c, *s;
		int to;

		if (fd < 0)
			return;
		to = sock_connect(&server, true);
		if (to < 0)
			die("connect");
		c = side_new(fd);
		s = side_new(to);
		c->peer = s;
		s->peer = c;
		side_watch(c);
		side_watch(s);
	}
}

int main(int argc, char **argv)
{
	struct epoll_event ev[256], e = { .events = EPOLLIN, .data.ptr = NULL };
	struct address a;
	int opt, cpu = -1;

	while ((opt = getopt(argc, argv, "C:")) != -1) {
		if (opt != 'C')
			return 1;
		cpu = atoi(optarg);
	}
	if (argc - optind != 3)
		die("usage: floor [-C CORE] copy|splice LISTEN:PORT SERVER:PORT");
	by_splice = !strcmp(argv[optind], "splice");
	a = address_parse(argv[optind + 1]);
	server = address_parse(argv[optind + 2]);
	signal(SIGPIPE, SIG_IGN); /* splice has no MSG_NOSIGNAL */
	pin_to(cpu);
	want_descriptors();
	poller = epoll_create1(EPOLL_CLOEXEC);
	listener = sock_listen(&a);
	epoll_ctl(poller, EPOLL_CTL_ADD, listener, &e);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int n = epoll_wait(poller, ev, 256, -1);

		for (int i = 0; i < n; i++) {
			if (!ev[i].data.ptr)
				accept_some();
			else
				side_ready(ev[i].data.ptr, ev[i].events);
		}
		bury();
	}
}
