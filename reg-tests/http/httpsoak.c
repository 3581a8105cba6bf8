/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * httpsoak: clients and origins at once around an HTTP proxy. Every connection of a client has a
 * plan drawn from the seed: a sequence of requests, pipelined or not, with bodies in every framing
 * (Content-Length, chunks with extensions and trailers, to the close, none, HEAD, 204, 304, 1xx,
 * Expect, Upgrade), pieces, pauses, socket buffers, and breaks (RST, FIN) on either side at any
 * byte. Bodies tell their position and their message.
 *
 *   httpsoak -f ADDRESS:PORT (the proxy) -b ADDRESS:PORT (its server: we) [-t SECONDS]
 *        [-n CONNECTIONS at least] [-c CONNECTIONS at a time] [-z LARGEST body] [-S SEED]
 *        [-w SECONDS of patience]
 *        [-F FAULT: a relay of our own with this fault listens at -f instead of a proxy]
 *        [-x  origins send a second response that nobody asked for]
 *        [-P  pipeline also behind exchanges that end the connection]
 *        [-A  without what HAProxy 2.6 loses responses of: 103, an answer right behind 100, FIN
 *             behind the last request]
 *        [-R  a body to the close that was broken off must end with RST]
 *        [-r  the proxy asks again where an origin broke off before it said anything; more of
 *             them do]
 *
 * It fails when anything of one message is in another, a byte is wrong, a request is served twice,
 * a response that was broken off looks complete, an exchange that nobody broke is cut or answered
 * by the proxy itself, an answer of its own is cut, or nothing moves on a connection. Exit: 0 or 1.
 */
#include "httpsoak.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct slot slots[MAX_SLOTS];
struct server *servers[MAX_SERVERS];
uint64_t dice;
struct soak_count count;
struct soak cfg = { .listener = -1, .seconds = 3, .at_a_time = 60, .patience = 20 * NSEC };

static const char *const framing_names[] = { "none", "length", "chunked", "to the close", "tunnel" };

static void describe(const struct slot *s, unsigned i)
{
	const struct exchange *x = &s->x[i];

	printf("        %s%s, request %s %llu%s%s; %d, response %s %llu%s%s, %u x 103, origin breaks "
	       "at %lld%s%s%s\n",
	       x->method, s->plan.http10 ? " HTTP/1.0" : "", framing_names[x->request.framing],
	       (unsigned long long)x->request.size, x->expect ? ", expect" : "",
	       x->early ? ", early" : "", x->status, framing_names[x->response.framing],
	       (unsigned long long)x->response.size, x->response.extensions ? ", extensions" : "",
	       x->response.trailer ? ", trailer" : "", x->hints, (long long)x->break_at,
	       x->break_rst ? " by RST" : "", s->fact[i].served ? ", served" : "",
	       s->fact[i].origin_broke ? ", broken off" : "");
}

void soak_fail(struct slot *s, unsigned i, const char *who, const char *what)
{
	count.failures++;
	if (s->failed)
		return;
	s->failed = true;
	printf("FAILED  connection %u (port %d), exchange %u of %u, %s: %s\n", s->number, s->port, i,
	       s->plan.exchanges, who, what);
	printf("        %u sent%s, %u complete, %llu bytes of the response, body at %llu\n", s->sending,
	       s->shut ? " and FIN" : "", s->reading, (unsigned long long)s->got,
	       (unsigned long long)s->in.pos);
	if (i < MAX_EXCHANGES)
		describe(s, i);
	fflush(stdout);
}

uint64_t soak_pause(const struct manner *m, uint64_t *left)
{
	uint64_t ns = rnd_range(&dice, 1, m->pause_ms * MSEC);

	if (!m->pause_every || rnd(&dice) % m->pause_every || ns > *left)
		return 0;
	*left -= ns;
	return now_ns() + ns;
}

/* Small windows with small segments, or TCP waits for its timers. */
void soak_buffers(const struct manner *m, int fd, bool client)
{
	int mss = 536 + m->rcvbuf % 1000, rcvbuf = m->rcvbuf + (client ? 0 : 131072);

	if (m->rcvbuf && client)
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
	if (m->sndbuf)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &m->sndbuf, sizeof(m->sndbuf));
	if (m->rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
}

/* ---- the loop ---- */

static void turn(void)
{
	static struct pollfd fds[MAX_SLOTS + MAX_SERVERS + 1];
	uint64_t now = now_ns();
	nfds_t n = cfg.at_a_time + MAX_SERVERS + 1;

	for (unsigned i = 0; i < n; i++) {
		struct pollfd *f = &fds[i];

		if (i < cfg.at_a_time)
			f->events = slot_events(&slots[i], now);
		else if (i < cfg.at_a_time + MAX_SERVERS)
			f->events = server_events(servers[i - cfg.at_a_time], now);
		else
			f->events = POLLIN;
		f->fd = !f->events ? -1 : i < cfg.at_a_time ? slots[i].fd :
			i == n - 1 ? cfg.listener : servers[i - cfg.at_a_time]->fd;
	}
	poll(fds, n, 1);
	for (unsigned i = 0; i < n - 1; i++) {
		struct slot *s = i < cfg.at_a_time ? &slots[i] : NULL;
		struct server *v = s ? NULL : servers[i - cfg.at_a_time];
		short got = fds[i].fd < 0 ? 0 : fds[i].revents & (fds[i].events | POLLERR | POLLHUP);

		if (s)
			slot_ready(s, got ? fds[i].events : 0);
		else if (v)
			server_ready(v, got ? fds[i].events : 0);
	}
	server_accept();
}

static void soak(void)
{
	uint64_t until = now_ns() + (uint64_t)(cfg.seconds * 1e9);
	bool more;
	unsigned busy;

	do {
		more = count.failures < 20 && (now_ns() < until || count.connections < cfg.least);
		busy = 0;
		for (unsigned i = 0; i < cfg.at_a_time; i++) {
			if (!slots[i].used && more)
				slot_begin(&slots[i]);
			if (!slots[i].used)
				continue;
			busy++;
			slot_watch(&slots[i]);
		}
		turn();
	} while (busy);
}

static void print_counts(void)
{
	printf("%s  %llu connections, %llu exchanges, %llu MB; broken off by clients %llu, by origins "
	       "%llu (answered by the proxy %llu, cut %llu, of them by RST %llu; FIN instead of RST "
	       "%llu); tunnels %llu, 100 %llu, 103 %llu, trailers %llu, asked again %llu; "
	       "%llu failures\n",
	       count.failures ? "FAILED" : "ok    ", (unsigned long long)count.connections,
	       (unsigned long long)count.exchanges, (unsigned long long)(count.bytes >> 20),
	       (unsigned long long)count.client_breaks, (unsigned long long)count.origin_breaks,
	       (unsigned long long)count.own, (unsigned long long)count.cut,
	       (unsigned long long)count.reset, (unsigned long long)count.hidden,
	       (unsigned long long)count.tunnels, (unsigned long long)count.continued,
	       (unsigned long long)count.hints, (unsigned long long)count.trailers,
	       (unsigned long long)count.retries, (unsigned long long)count.failures);
}

static void usage(void)
{
	errno = 0;
	faulty_list();
	die("usage: httpsoak -f FRONT -b BACK [-t SECONDS] [-n N] [-c N] [-z N] [-S SEED] "
	    "[-w SECONDS] [-F FAULT] [-x] [-P] [-R] [-r] [-A]");
}

static struct address back;

static void option(int c)
{
	switch (c) {
	case 'f': cfg.front = address_parse(optarg); break;
	case 'b':
		back = address_parse(optarg);
		cfg.listener = sock_listen(&back);
		break;
	case 't': cfg.seconds = atof(optarg); break;
	case 'c': cfg.at_a_time = (unsigned)number_parse(optarg); break;
	case 'z': limits.largest = number_parse(optarg); break;
	case 'S': limits.seed = number_parse(optarg); break;
	case 'w': cfg.patience = (uint64_t)(atof(optarg) * 1e9); break;
	case 'F': cfg.fault = optarg; break;
	case 'x': limits.excess = true; break;
	case 'P': limits.pipe_always = true; break;
	case 'n': cfg.least = number_parse(optarg); break;
	case 'A': limits.no_half_close = limits.no_hints = true; break;
	case 'R': cfg.want_rst = true; break;
	case 'r': limits.retries = true; break;
	default: usage();
	}
}

int main(int argc, char **argv)
{
	pid_t relay = 0;
	int c;

	limits.seed = now_ns();
	while ((c = getopt(argc, argv, "f:b:t:n:c:z:S:w:F:xPRrA")) != -1)
		option(c);
	if (cfg.listener < 0 || !cfg.front.len || !cfg.at_a_time || cfg.at_a_time > MAX_SLOTS)
		usage();
	want_descriptors();
	dice = limits.seed;
	printf("# httpsoak: seed %llu\n", (unsigned long long)limits.seed);
	fflush(stdout);
	if (cfg.fault) {
		limits.http11_only = true;
		relay = faulty_start(&cfg.front, &back, cfg.fault, limits.seed);
	}
	soak();
	if (relay) {
		kill(relay, SIGKILL);
		waitpid(relay, NULL, 0); /* until then its address is in use */
	}
	print_counts();
	return count.failures ? 1 : 0;
}
