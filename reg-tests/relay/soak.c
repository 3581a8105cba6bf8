/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soak: client and server at once around a relay; hundreds of connections at a time, each with a
 * plan of its own drawn from the seed: how much either side sends, in which pieces, with which
 * pauses and socket buffers, and how it ends: half-close, late close, full close, or a break (RST)
 * at any byte. Bytes tell their position and their stream, so anything lost, doubled or mixed is
 * seen at once.
 *
 *   soak -f ADDRESS:PORT (the relay) -b ADDRESS:PORT (its server: we) [-p PID of the relay]
 *        [-t SECONDS] [-c CONNECTIONS at a time] [-z LARGEST transfer] [-k LARGEST piece]
 *        [-S SEED] [-i IDLE crowd]
 *
 * It fails when a byte is wrong, a side that nobody broke sees an error or an early end, the other
 * side of a break is not told, nothing moves on a connection for half a minute, or an idle crowd
 * afterwards goes on using CPU. Exit: 0 or 1.
 */
#include "../../contrib/bench/common.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536
#define MAX_PAIRS 2048
#define PATIENCE (30 * NSEC)
#define MAGIC 0x6b616f73 /* the first bytes of a client's stream: magic and the number */

enum style {
	HALF_CLOSE, /* shut down behind the last byte, read to the end, close */
	LATE_CLOSE, /* shut down only when the other has ended */
	FULL_CLOSE, /* close when all is sent and all that is planned has come */
	BREAK_SENT, /* RST when so much is sent */
	BREAK_GOT   /* RST when so much is received */
};
static const char *const style_names[] = { "half-close", "late close", "full close",
					   "break by sent", "break by received" };

struct side {
	/* the plan */
	enum style style;
	uint64_t seed, total, break_at;
	size_t chunk, read_max;
	unsigned pause_every, pause_ms; /* one in so many calls is followed by a pause up to this */
	uint64_t pause_left;            /* nanoseconds of pauses still to be made */
	int sndbuf, rcvbuf;
	/* what has happened */
	int fd;            /* -1: not open (any more) */
	uint64_t sent, got;
	uint64_t write_at, read_at; /* pausing until */
	bool open, fin_sent, eof, broke, told;
};

struct pair {
	bool used;
	uint32_t number;
	uint64_t last; /* when something moved */
	struct side side[2];
};

struct header {
	uint32_t magic, number;
};

static struct {
	struct address front;
	int listener;
	pid_t relay;
	double seconds;
	unsigned at_a_time, idle;
	uint64_t largest, piece, seed;
} cfg = { .listener = -1,
	  .piece = CHUNK,
	  .seconds = 3,
	  .at_a_time = 100,
	  .idle = 100,
	  .largest = 4 << 20 };

static struct pair pairs[MAX_PAIRS];
static int unclaimed[MAX_PAIRS]; /* accepted, header not read yet */
static unsigned n_unclaimed;
static uint32_t next_number;
static uint64_t bytes, breaks, told_rst, told_fin, failures, completed, dice;
static char buffer[CHUNK];

static struct side *other(struct pair *p, struct side *s)
{
	return s == &p->side[0] ? &p->side[1] : &p->side[0];
}

static void fail(struct pair *p, struct side *s, const char *what)
{
	failures++;
	printf("FAILED  connection %u, %s: %s\n", p->number, s == p->side ? "client" : "server", what);
	for (int i = 0; i < 2; i++) {
		struct side *t = &p->side[i];

		printf("        %s: %s at %llu, %llu of %llu sent%s, %llu received%s%s\n",
		       i ? "server" : "client", style_names[t->style],
		       (unsigned long long)t->break_at, (unsigned long long)t->sent,
		       (unsigned long long)t->total, t->fin_sent ? " and FIN" : "",
		       (unsigned long long)t->got, t->eof ? " and FIN" : "",
		       t->broke ? ", broken off" : t->open && t->fd < 0 ? ", closed" : "");
	}
	fflush(stdout);
}

/* ---- plans ---- */

static uint64_t draw_size(uint64_t *r)
{
	switch (rnd_range(r, 0, 9)) {
	case 0: case 1: return 0;
	case 2: case 3: return rnd_range(r, 1, 2000);
	case 4: case 5: case 6: return rnd_range(r, 1, 65536);
	case 7: case 8: return rnd_range(r, 1, 1 << 20);
	default: return rnd_range(r, 1, cfg.largest);
	}
}

static void draw_side(struct side *s, uint64_t *r, uint64_t header)
{
	s->fd = -1;
	s->seed = rnd(r);
	s->total = draw_size(r) + header;
	s->chunk = (size_t)rnd_range(r, 1, rnd(r) % 3 || cfg.piece < 2000 ? cfg.piece : 2000);
	s->read_max = (size_t)rnd_range(r, 1, rnd(r) % 3 ? CHUNK : 3000);
	if (s->total / s->chunk > 2000)
		s->chunk = cfg.piece;
	s->pause_every = rnd(r) % 3 ? 0 : (unsigned)rnd_range(r, 1, 50);
	s->pause_ms = (unsigned)rnd_range(r, 1, 20);
	s->pause_left = rnd_range(r, 0, 1500) * MSEC;
	s->sndbuf = rnd(r) % 4 ? 0 : (int)rnd_range(r, 2048, 300000);
	s->rcvbuf = rnd(r) % 4 ? 0 : (int)rnd_range(r, 2048, 300000);
}

/* Both sides know the whole plan from the number alone. */
static void draw_plan(struct pair *p, uint32_t number)
{
	uint64_t r = cfg.seed ^ ((uint64_t)number << 20);
	struct side *breaker;

	memset(p, 0, sizeof(*p));
	p->used = true;
	p->number = number;
	p->last = now_ns();
	draw_side(&p->side[0], &r, sizeof(struct header));
	draw_side(&p->side[1], &r, 0);
	for (int i = 0; i < 2; i++)
		if (p->side[i].read_max < 3000 && p->side[!i].total / p->side[i].read_max > 2000)
			p->side[i].read_max = CHUNK;
	p->side[rnd(&r) & 1].style = (enum style)rnd_range(&r, HALF_CLOSE, FULL_CLOSE);
	if (rnd(&r) % 4)
		return;
	breaker = &p->side[rnd(&r) & 1];
	breaker->style = rnd(&r) & 1 ? BREAK_SENT : BREAK_GOT;
	if (breaker->style == BREAK_GOT)
		breaker->break_at = rnd_range(&r, 0, other(p, breaker)->total);
	else
		breaker->break_at = rnd_range(&r, breaker == p->side ? sizeof(struct header) : 0,
					      breaker->total);
}

/* A window below one segment makes TCP wait for timers: small buffers go with small segments where
 * we have a say in it (the client's), and are not so small elsewhere. */
static void buffers(struct side *s, int fd, bool client)
{
	int mss = 536 + s->rcvbuf % 1000;

	if (s->rcvbuf && client)
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
	else if (s->rcvbuf)
		s->rcvbuf += 131072;
	if (s->sndbuf)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &s->sndbuf, sizeof(s->sndbuf));
	if (s->rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &s->rcvbuf, sizeof(s->rcvbuf));
}

/* ---- what a side does ---- */

static void side_close(struct pair *p, struct side *s, bool rst)
{
	if (rst) {
		sock_linger_zero(s->fd);
		s->broke = true;
		breaks++;
	}
	close(s->fd);
	s->fd = -1;
	p->last = now_ns();
}

/* An error, or an end too early: fine when the other broke off, a failure otherwise. */
static void side_cut(struct pair *p, struct side *s, int error)
{
	struct side *o = other(p, s);

	if (!o->broke) {
		fail(p, s, error ? strerror(error) : "the end came too early");
	} else if (!s->told) {
		s->told = true;
		told_rst += error != 0;
		told_fin += error == 0;
	}
	side_close(p, s, false);
}

/* What is due now that bytes or ends have been seen. */
static void side_decide(struct pair *p, struct side *s)
{
	uint64_t expected = other(p, s)->total;

	if (s->style == BREAK_SENT && s->sent >= s->break_at)
		side_close(p, s, true);
	else if (s->style == BREAK_GOT && s->got >= s->break_at)
		side_close(p, s, true);
	else if (s->eof && s->got < expected)
		side_cut(p, s, 0);
	else if (s->style == FULL_CLOSE && s->sent == s->total && s->got == expected)
		side_close(p, s, false);
	else if (s->sent == s->total && !s->fin_sent && s->style != FULL_CLOSE &&
		 (s->style != LATE_CLOSE || s->eof)) {
		s->fin_sent = true;
		if (shutdown(s->fd, SHUT_WR))
			side_cut(p, s, errno); /* an RST is there already */
	}
	if (s->fd >= 0 && s->fin_sent && s->eof)
		side_close(p, s, false);
}

static uint64_t pause_after(struct side *s)
{
	uint64_t ns = rnd_range(&dice, 1, s->pause_ms * MSEC);

	if (!s->pause_every || rnd(&dice) % s->pause_every || ns > s->pause_left)
		return 0;
	s->pause_left -= ns;
	return now_ns() + ns;
}

/* Bytes pos.. of what this side says: the client begins with its header. */
static void fill(struct pair *p, struct side *s, size_t n)
{
	struct header h = { MAGIC, p->number };

	pattern_fill(buffer, n, s->seed, s->sent);
	if (s == p->side && s->sent < sizeof(h))
		memcpy(buffer, (char *)&h + s->sent,
		       n < sizeof(h) - s->sent ? n : sizeof(h) - s->sent);
}

static void side_write(struct pair *p, struct side *s)
{
	uint64_t end = s->style == BREAK_SENT ? s->break_at : s->total;
	size_t n = end - s->sent < s->chunk ? (size_t)(end - s->sent) : s->chunk;
	ssize_t sent;

	if (s == p->side && s->sent == 0 && n < sizeof(struct header))
		n = sizeof(struct header);
	fill(p, s, n);
	sent = send(s->fd, buffer, n, MSG_NOSIGNAL);
	if (sent < 0 && errno == EAGAIN)
		return;
	if (sent < 0) {
		side_cut(p, s, errno);
		return;
	}
	s->sent += (uint64_t)sent;
	bytes += (uint64_t)sent;
	p->last = now_ns();
	s->write_at = pause_after(s);
	side_decide(p, s);
}

static void side_read(struct pair *p, struct side *s)
{
	struct side *o = other(p, s);
	ssize_t n = recv(s->fd, buffer, s->read_max, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0) {
		side_cut(p, s, errno);
		return;
	}
	if (n > 0 && (s->got + (uint64_t)n > o->total ||
		      pattern_check(buffer, (size_t)n, o->seed, s->got) < (size_t)n)) {
		fail(p, s, "a wrong byte");
		side_close(p, s, false);
		return;
	}
	s->got += (uint64_t)n;
	s->eof = n == 0;
	p->last = now_ns();
	s->read_at = pause_after(s);
	side_decide(p, s);
}

/* ---- connections ---- */

static void pair_begin(struct pair *p)
{
	struct side *c = &p->side[0];

	draw_plan(p, next_number++);
	c->fd = socket(cfg.front.ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		die("socket");
	buffers(c, c->fd, true);
	if (connect(c->fd, (struct sockaddr *)&cfg.front.ss, cfg.front.len) && errno != EINPROGRESS)
		die("connect");
	sock_nodelay(c->fd);
	c->open = true;
}

static void accept_all(void)
{
	int fd;

	while (n_unclaimed < MAX_PAIRS &&
	       (fd = accept4(cfg.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		sock_nodelay(fd);
		unclaimed[n_unclaimed++] = fd;
	}
}

static struct pair *pair_of(const struct header *h)
{
	for (unsigned i = 0; i < cfg.at_a_time; i++)
		if (pairs[i].used && pairs[i].number == h->number && !pairs[i].side[1].open)
			return &pairs[i];
	return NULL;
}

/* Reads the header of an accepted connection. true: it is claimed, or gone. */
static bool claim(int fd)
{
	struct header h;
	ssize_t n = recv(fd, &h, sizeof(h), MSG_PEEK);
	struct pair *p;

	if ((n < 0 && errno == EAGAIN) || (n > 0 && n < (ssize_t)sizeof(h)))
		return false;
	p = n == sizeof(h) && h.magic == MAGIC ? pair_of(&h) : NULL;
	if (!p) {
		/* The client broke off before its header came through, or is gone already. */
		if (n == sizeof(h) && h.magic != MAGIC) {
			failures++;
			printf("FAILED  a connection that begins with somebody else's bytes\n");
		}
		close(fd);
		return true;
	}
	p->side[1].fd = fd;
	p->side[1].open = true;
	p->side[1].got = (uint64_t)recv(fd, &h, sizeof(h), 0);
	buffers(&p->side[1], fd, false);
	p->last = now_ns();
	side_decide(p, &p->side[1]);
	return true;
}

static bool pair_done(struct pair *p)
{
	struct side *c = &p->side[0], *s = &p->side[1];

	if (c->fd >= 0 || s->fd >= 0)
		return false;
	/* A client that broke off early may have left nothing to accept. */
	return s->open || now_ns() - p->last > NSEC / 10;
}

static void pair_watch(struct pair *p)
{
	if (pair_done(p)) {
		completed++;
		p->used = false;
	} else if (now_ns() - p->last > PATIENCE) {
		fail(p, p->side[0].fd >= 0 ? &p->side[0] : &p->side[1], "nothing moves any more");
		for (int i = 0; i < 2; i++)
			if (p->side[i].fd >= 0)
				side_close(p, &p->side[i], false);
		p->used = false;
	}
}

static bool may_write(const struct side *s, uint64_t now)
{
	uint64_t end = s->style == BREAK_SENT ? s->break_at : s->total;

	return s->fd >= 0 && s->sent < end && s->write_at <= now;
}

/* A side whose plan has nothing to send must still begin, and ends be decided upon. */
static void pair_kick(struct pair *p)
{
	for (int i = 0; i < 2; i++)
		if (p->side[i].fd >= 0 && p->side[i].sent >= (i ? 0 : sizeof(struct header)))
			side_decide(p, &p->side[i]);
}

static void turn(void)
{
	static struct pollfd fds[3 * MAX_PAIRS + 1];
	uint64_t now = now_ns();
	unsigned n = 0;

	for (unsigned i = 0; i < cfg.at_a_time; i++)
		for (int k = 0; k < 2; k++, n++) {
			struct side *s = &pairs[i].side[k];
			bool reads = pairs[i].used && s->fd >= 0 && !s->eof && s->read_at <= now;
			bool writes = pairs[i].used && may_write(s, now);

			fds[n].fd = reads || writes ? s->fd : -1;
			fds[n].events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
		}
	fds[n++] = (struct pollfd){ .fd = cfg.listener, .events = POLLIN };
	poll(fds, n, 1);
	for (unsigned i = 0; i < cfg.at_a_time; i++)
		for (int k = 0; k < 2; k++) {
			struct pollfd *f = &fds[2 * i + k];
			struct side *s = &pairs[i].side[k];

			/* An error is met by the next call, whichever is due. */
			if (f->fd >= 0 && (f->revents & (POLLOUT | POLLERR)) && (f->events & POLLOUT))
				side_write(&pairs[i], s);
			if (f->fd >= 0 && s->fd == f->fd && (f->events & POLLIN) &&
			    (f->revents & (POLLIN | POLLERR | POLLHUP)))
				side_read(&pairs[i], s);
		}
	accept_all();
	for (unsigned i = 0; i < n_unclaimed;)
		if (claim(unclaimed[i]))
			unclaimed[i] = unclaimed[--n_unclaimed];
		else
			i++;
}

static void soak(void)
{
	uint64_t until = now_ns() + (uint64_t)(cfg.seconds * 1e9);
	unsigned busy;

	do {
		busy = 0;
		for (unsigned i = 0; i < cfg.at_a_time; i++) {
			if (!pairs[i].used && now_ns() < until && failures < 20)
				pair_begin(&pairs[i]);
			if (!pairs[i].used)
				continue;
			busy++;
			pair_kick(&pairs[i]);
			pair_watch(&pairs[i]);
		}
		turn();
	} while (busy);
}

/* ---- the idle crowd ---- */

static bool wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, 30000) == 1;
}

/* Idle connections, each after an exchange of 100 kB; the relay must rest. */
static void crowd(void)
{
	int (*fds)[2] = calloc(cfg.idle, sizeof(*fds));
	uint64_t cpu, began;
	double share = 1;

	for (unsigned i = 0; fds && i < cfg.idle; i++) {
		size_t left = 100000;

		fds[i][0] = sock_connect(&cfg.front, false);
		if (!wait_for(cfg.listener, POLLIN))
			die("the idle crowd");
		fds[i][1] = accept4(cfg.listener, NULL, NULL, SOCK_CLOEXEC);
		while (left) {
			size_t n = left < CHUNK ? left : CHUNK, got = 0;

			if (send(fds[i][1], buffer, n, MSG_NOSIGNAL) != (ssize_t)n)
				die("the idle crowd");
			while (got < n && wait_for(fds[i][0], POLLIN))
				got += (size_t)recv(fds[i][0], buffer, n - got, 0);
			left -= n;
		}
	}
	/* What went on before may still have to be cleaned up; one that spins does so each time. */
	for (int look = 0; look < 20 && share >= 0.01; look++) {
		began = now_ns();
		cpu = proc_cpu_ns(cfg.relay);
		while (now_ns() - began < NSEC)
			poll(NULL, 0, 100);
		share = (double)(proc_cpu_ns(cfg.relay) - cpu) / (double)(now_ns() - began);
	}
	printf("%s  an idle crowd of %u: %.2f %% of a core\n", share < 0.01 ? "ok    " : "FAILED", cfg.idle,
	       share * 100);
	failures += share >= 0.01;
	free(fds);
}

static void option(int c)
{
	struct address a;

	switch (c) {
	case 'f': cfg.front = address_parse(optarg); break;
	case 'b':
		a = address_parse(optarg);
		cfg.listener = sock_listen(&a);
		break;
	case 'p': cfg.relay = atoi(optarg); break;
	case 't': cfg.seconds = atof(optarg); break;
	case 'c': cfg.at_a_time = (unsigned)number_parse(optarg); break;
	case 'z': cfg.largest = number_parse(optarg); break;
	case 'k': cfg.piece = number_parse(optarg); break;
	case 'S': cfg.seed = number_parse(optarg); break;
	case 'i': cfg.idle = (unsigned)number_parse(optarg); break;
	default: exit(1);
	}
}

int main(int argc, char **argv)
{
	int c;

	cfg.seed = now_ns();
	while ((c = getopt(argc, argv, "f:b:p:t:c:z:k:S:i:")) != -1)
		option(c);
	if (cfg.listener < 0 || !cfg.front.len || cfg.at_a_time > MAX_PAIRS ||
	    !cfg.piece || cfg.piece > CHUNK)
		die("usage: soak -f FRONT -b BACK [-p PID] [-t SECONDS] [-c N] [-z N] [-k N] [-S "
		    "SEED] [-i N]");
	want_descriptors();
	dice = cfg.seed;
	printf("# soak: seed %llu\n", (unsigned long long)cfg.seed);
	fflush(stdout);
	soak();
	printf("%s  %llu connections, %llu MB; %llu broken off, told by RST %llu, by FIN %llu; "
	       "%llu failures\n", failures ? "FAILED" : "ok    ", (unsigned long long)completed,
	       (unsigned long long)(bytes >> 20), (unsigned long long)breaks,
	       (unsigned long long)told_rst, (unsigned long long)told_fin,
	       (unsigned long long)failures);
	if (cfg.relay)
		crowd();
	return failures ? 1 : 0;
}
