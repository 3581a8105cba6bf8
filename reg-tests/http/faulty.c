/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A relay of bytes with a fault of choice: by it httpsoak is judged. It must fail with each of the
 * faults and pass with "none". The faults are those that relays have had: bytes lost, doubled,
 * changed, held back, taken from another connection, an end made up or moved.
 */
#include "httpsoak.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_PAIRS 1024
#define RELAYED 32768

enum fault { NONE, FLIP, LOSE, DOUBLE, CUT, STALL, HOLD, DIRTY, STALE, FINISH, REPEAT };

static const struct {
	const char *name, *what;
} faults[] = {
	[NONE] = { "none", "everything is passed on" },
	[FLIP] = { "flip", "a bit of a response is changed" },
	[LOSE] = { "lose", "a byte of a response is lost" },
	[DOUBLE] = { "double", "bytes of a response are sent twice" },
	[CUT] = { "cut", "the last bytes before an end are lost" },
	[STALL] = { "stall", "nothing goes on any more" },
	[HOLD] = { "hold", "a piece waits for the next one" },
	[DIRTY] = { "dirty", "what a broken connection left behind comes out elsewhere" },
	[STALE] = { "stale", "a response is given to somebody else" },
	[FINISH] = { "finish", "what was broken off is given an end" },
	[REPEAT] = { "repeat", "a request is sent twice" },
};

/* One direction of a connection. */
struct way {
	char buf[2 * RELAYED + 64];
	size_t off, len, kept; /* bytes to send; behind len, `kept` bytes that wait (HOLD, CUT) */
	uint64_t passed;
	bool eof, shut;
};

struct pair {
	int fd[2]; /* client, server; -1: free */
	struct way way[2]; /* from the client, from the server */
	uint64_t at; /* where the fault happens in the server's bytes */
	bool had;
};

static struct pair *pairs[MAX_PAIRS];
static enum fault fault;
static uint64_t fault_dice;
static char dirty[RELAYED], stale[4096];
static size_t dirty_len, stale_len;

static void pair_free(struct pair *p)
{
	for (int i = 0; i < 2; i++)
		close(p->fd[i]);
	p->fd[0] = -1;
}

static void pair_broken(struct pair *p, int from)
{
	struct way *w = &p->way[1];

	if (fault == DIRTY && w->len && w->len <= RELAYED) {
		dirty_len = w->len;
		memcpy(dirty, w->buf, dirty_len);
	}
	if (fault == FINISH && from == 1) {
		ssize_t n = send(p->fd[0], rnd(&fault_dice) & 1 ? "0\r\n\r\n" : "\r\n0\r\n\r\n",
				 5, MSG_NOSIGNAL);

		(void)n;
	} else {
		sock_linger_zero(p->fd[!from]);
	}
	pair_free(p);
}

static bool is_small_response(const char *p, size_t n)
{
	return n < sizeof(stale) && n > 20 && !memcmp(p, "HTTP/1.1 200", 12);
}

/* The fault strikes in n fresh bytes behind w->len. Returns how many there are then. */
static size_t strike(struct pair *p, struct way *w, size_t n)
{
	char *fresh = w->buf + w->len;
	size_t k = n / 2;

	if (fault == STALE && is_small_response(fresh, n)) {
		char now[sizeof(stale)];
		size_t now_len = n;

		memcpy(now, fresh, n);
		if (stale_len) {
			memcpy(fresh, stale, stale_len);
			n = stale_len;
		}
		memcpy(stale, now, now_len);
		stale_len = now_len;
		return n;
	}
	if (p->had || w->passed + n < p->at)
		return n;
	p->had = true;
	if (fault == FLIP)
		fresh[k] ^= 1;
	if (fault == LOSE) {
		memmove(fresh + k, fresh + k + 1, n - k - 1);
		return n - 1;
	}
	if (fault == DOUBLE && n <= RELAYED) {
		memcpy(fresh + n, fresh, n);
		return 2 * n;
	}
	if (fault == DIRTY && dirty_len) {
		memcpy(fresh, dirty, dirty_len < n ? dirty_len : n);
		dirty_len = 0;
	}
	return n;
}

static bool repeats(struct pair *p, struct way *w, const char *fresh, size_t n)
{
	return fault == REPEAT && w == &p->way[0] && n < RELAYED && !memcmp(fresh, "GET ", 4) &&
	       rnd(&fault_dice) % 4 == 0;
}

/* Bytes came from side `from`. */
static void take(struct pair *p, int from)
{
	struct way *w = &p->way[from];
	ssize_t n;

	if (w->off) {
		memmove(w->buf, w->buf + w->off, w->len + w->kept - w->off);
		w->len -= w->off;
		w->off = 0;
	}
	w->len += w->kept;
	w->kept = 0;
	if (w->len > RELAYED)
		return;
	n = recv(p->fd[from], w->buf + w->len, RELAYED, 0);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0) {
		pair_broken(p, from);
		return;
	}
	w->eof = n == 0;
	if (n && from == 1)
		n = (ssize_t)strike(p, w, (size_t)n);
	if (n && repeats(p, w, w->buf + w->len, (size_t)n)) {
		memcpy(w->buf + w->len + n, w->buf + w->len, (size_t)n);
		n *= 2;
	}
	w->passed += (uint64_t)n;
	w->len += (size_t)n;
	if (from == 1 && n > 1 && (fault == CUT || (fault == HOLD && w->passed > p->at))) {
		w->kept = (size_t)n / 2;
		w->len -= w->kept;
	}
}

static void give(struct pair *p, int from)
{
	struct way *w = &p->way[from];
	ssize_t n = 0;

	if (w->len > w->off)
		n = send(p->fd[!from], w->buf + w->off, w->len - w->off, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN) {
		pair_broken(p, !from);
		return;
	}
	w->off += n > 0 ? (size_t)n : 0;
	if (!w->eof || w->shut || w->off < w->len)
		return;
	w->shut = true;
	shutdown(p->fd[!from], SHUT_WR);
	if (p->way[!from].shut)
		pair_free(p);
}

static void accept_one(int listener, const struct address *back)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	for (unsigned i = 0; fd >= 0 && i < MAX_PAIRS; i++) {
		struct pair *p = pairs[i];

		if (p && p->fd[0] >= 0)
			continue;
		if (!p)
			p = pairs[i] = malloc(sizeof(*p));
		if (!p)
			die("memory");
		memset(p, 0, sizeof(*p));
		p->fd[0] = fd;
		p->fd[1] = sock_connect(back, true);
		p->at = rnd_range(&fault_dice, 1, 100000);
		sock_nodelay(p->fd[0]);
		sock_nodelay(p->fd[1]);
		return;
	}
}

static short way_events(struct pair *p, int side)
{
	struct way *in = &p->way[side], *out = &p->way[!side];
	bool stalled = fault == STALL && side == 1 && in->passed > p->at;

	return (short)((!in->eof && in->len - in->off <= RELAYED && !stalled ? POLLIN : 0) |
		       (out->len > out->off || (out->eof && !out->shut) ? POLLOUT : 0));
}

static void relay(int listener, const struct address *back)
{
	static struct pollfd fds[2 * MAX_PAIRS + 1];
	nfds_t n = 2 * MAX_PAIRS + 1;

	for (unsigned i = 0; i < n - 1; i++) {
		struct pair *p = pairs[i / 2];
		bool used = p && p->fd[0] >= 0;

		fds[i].events = used ? way_events(p, i % 2) : 0;
		fds[i].fd = fds[i].events ? p->fd[i % 2] : -1;
	}
	fds[n - 1] = (struct pollfd){ .fd = listener, .events = POLLIN };
	poll(fds, n, -1);
	for (unsigned i = 0; i < n - 1; i++) {
		struct pair *p = pairs[i / 2];
		int side = i % 2;

		if (fds[i].fd < 0 || !fds[i].revents)
			continue;
		if (p->fd[0] >= 0 && (fds[i].events & POLLIN))
			take(p, side);
		if (p->fd[0] >= 0 && (fds[i].events & POLLIN) && p->way[side].len > p->way[side].off)
			give(p, side);
		if (p->fd[0] >= 0 && (fds[i].events & POLLOUT))
			give(p, !side);
	}
	if (fds[n - 1].revents)
		accept_one(listener, back);
}

void faulty_list(void)
{
	for (unsigned i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		printf("  %-8s %s\n", faults[i].name, faults[i].what);
}

pid_t faulty_start(const struct address *front, const struct address *back, const char *name,
		   uint64_t seed)
{
	int listener = sock_listen(front);
	pid_t pid;

	for (fault = NONE; fault <= REPEAT && strcmp(faults[fault].name, name); fault++)
		;
	errno = 0;
	if (fault > REPEAT)
		die("'%s' is not a fault", name);
	fault_dice = seed;
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid) {
		close(listener);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		relay(listener, back);
}
