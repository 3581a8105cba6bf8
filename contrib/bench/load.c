/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load: puts work on a relay (or straight on `origin`) and measures it. One thread, one epoll.
 *
 *   load [options] MODE ADDRESS:PORT
 *
 *   pingpong   requests of -q bytes, responses of -r bytes, -c connections
 *   down, up, both   bulk in that direction (seen from the client) over -c connections
 *   rate       connect, one byte there and back, close; -c at a time
 *   idle       -c connections that make one exchange each and then stay; prints "ready" and holds
 *              them until its standard input ends or -t is over
 *
 *   -c N connections   -q N request bytes   -r N response bytes   -t SECONDS   -w SECONDS warm-up
 *   -n N exchanges instead of a duration    -C CORE    -P PID whose CPU is counted (repeatable)
 *   -A N client addresses 127.0.0.1.. to spread `rate` over (ports in TIME-WAIT are many)
 *
 * Prints one line of key=value. Time, CPU and counts cover the interval after the warm-up, which
 * itself begins when every connection has made its first exchange.
 */
#include "common.h"
#include "hello.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define CHUNK (128 * 1024)
#define READ_MAX (1024 * 1024)
#define BUCKETS (64 * 32)
#define MAX_PIDS 8

enum mode { PINGPONG, DOWN, UP, BOTH, RATE, IDLE };

static const char *const mode_names[] = { "pingpong", "down", "up", "both", "rate", "idle" };

struct client {
	int fd;
	bool writing;      /* EPOLLOUT is asked for */
	bool counted;      /* has made its first exchange */
	uint8_t hello_out; /* bytes of the hello that have gone */
	uint32_t to_send, to_read;
	uint64_t began;
};

/* What is counted; reset when the warm-up is over. */
struct tally {
	uint64_t exchanges, bytes, errors, began;
	uint64_t cpu, user, sys;
	uint32_t latency[BUCKETS];
};

static struct {
	enum mode mode;
	struct address to;
	uint32_t connections, request, response;
	double seconds, warmup;
	uint64_t limit;
	int sources;
	pid_t pids[MAX_PIDS];
	int n_pids;
} cfg = { .connections = 1, .request = 1024, .response = 1024, .seconds = 1, .warmup = 0.2,
	  .sources = 1 };

static char payload[READ_MAX]; /* never read, never written: MSG_TRUNC drops what comes */
static int poller;
static struct client *clients;
static uint32_t alive, warm;
static bool parked; /* while connections are opened, those that have made an exchange rest */
static struct tally tally;
static struct hello hello = { .magic = HELLO_MAGIC };

static unsigned bucket_of(uint64_t ns)
{
	unsigned exp = ns < 32 ? 0 : 59 - (unsigned)__builtin_clzll(ns);

	return ns < 32 ? (unsigned)ns : (exp << 5) + 32 + (unsigned)((ns >> exp) & 31);
}

static double bucket_us(unsigned b)
{
	unsigned exp = b < 64 ? 0 : (b - 32) >> 5;

	return b < 64 ? b / 1e3 : (double)((32ull + (b & 31)) << exp) / 1e3;
}

static double percentile(double share)
{
	uint64_t total = 0, sum = 0;

	for (unsigned b = 0; b < BUCKETS; b++)
		total += tally.latency[b];
	for (unsigned b = 0; b < BUCKETS; b++) {
		sum += tally.latency[b];
		if (total && sum >= (uint64_t)((double)total * share))
			return bucket_us(b);
	}
	return 0;
}

/* CPU of the processes under observation, since they began. */
static void read_cpu(uint64_t *ns, uint64_t *user, uint64_t *sys)
{
	*ns = *user = *sys = 0;
	for (int i = 0; i < cfg.n_pids; i++) {
		uint64_t u, s;

		*ns += proc_cpu_ns(cfg.pids[i]);
		proc_cpu_ticks(cfg.pids[i], &u, &s);
		*user += u;
		*sys += s;
	}
}

static void tally_reset(void)
{
	memset(&tally, 0, sizeof(tally));
	read_cpu(&tally.cpu, &tally.user, &tally.sys);
	tally.began = now_ns();
}

static void tally_print(void)
{
	double seconds = (double)(now_ns() - tally.began) / 1e9;
	uint64_t cpu, user, sys;

	read_cpu(&cpu, &user, &sys);
	printf("mode=%s conns=%u request=%u response=%u seconds=%.3f exchanges=%llu bytes=%llu "
	       "per_s=%.1f mb_s=%.1f p50_us=%.1f p99_us=%.1f errors=%llu cpu_ns=%llu user=%llu "
	       "sys=%llu\n",
	       mode_names[cfg.mode], cfg.connections, cfg.request, cfg.response, seconds,
	       (unsigned long long)tally.exchanges, (unsigned long long)tally.bytes,
	       (double)tally.exchanges / seconds, (double)tally.bytes / seconds / 1e6,
	       percentile(0.5), percentile(0.99), (unsigned long long)tally.errors,
	       (unsigned long long)(cpu - tally.cpu), (unsigned long long)(user - tally.user),
	       (unsigned long long)(sys - tally.sys));
	fflush(stdout);
}

static void watch(struct client *c, int op, bool writing)
{
	struct epoll_event e = { .events = EPOLLIN | (writing ? EPOLLOUT : 0), .data.ptr = c };

	c->writing = writing;
	if (epoll_ctl(poller, op, c->fd, &e))
		die("epoll_ctl");
}

/* `rate` on one address would run out of ports: bind the n-th connection to 127.0.0.(1 + n). */
static int connect_from(uint64_t n)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	int fd, one = 1;

	if (cfg.sources < 2 || cfg.to.ss.ss_family != AF_INET)
		return sock_connect(&cfg.to, true);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(n % (uint64_t)cfg.sources));
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)))
		die("bind");
	if (connect(fd, (struct sockaddr *)&cfg.to.ss, cfg.to.len) && errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
}

static void client_begin(struct client *c)
{
	static uint64_t serial;

	memset(c, 0, sizeof(*c));
	c->fd = connect_from(serial++);
	if (c->fd < 0)
		die("connect");
	sock_nodelay(c->fd);
	c->began = now_ns();
	c->to_send = cfg.request;
	c->to_read = cfg.response;
	if (cfg.mode == RATE)
		c->hello_out = sizeof(hello);
	watch(c, EPOLL_CTL_ADD, true);
	alive++;
}

static void client_end(struct client *c, bool failed)
{
	close(c->fd);
	c->fd = -1;
	alive--;
	tally.errors += failed;
	if (failed && !c->counted)
		warm++;
	if (cfg.mode == RATE)
		client_begin(c);
}

static void exchange_done(struct client *c)
{
	uint64_t now = now_ns();

	tally.exchanges++;
	tally.latency[bucket_of(now - c->began)]++;
	if (!c->counted) {
		c->counted = true;
		warm++;
	}
	if (cfg.mode == RATE) {
		client_end(c, false);
		return;
	}
	c->began = now;
	c->to_read = cfg.response;
	c->to_send = parked ? 0 : cfg.request;
}

static bool send_some(struct client *c, const void *buf, size_t len, size_t *sent)
{
	ssize_t n = send(c->fd, buf, len, MSG_NOSIGNAL);

	*sent = n > 0 ? (size_t)n : 0;
	return n >= 0 || errno == EAGAIN;
}

/* Sends what is due. false: the connection is gone. */
static bool client_write(struct client *c)
{
	int turns = 16;
	size_t n = 0;

	if (c->hello_out < sizeof(hello)) {
		if (!send_some(c, (char *)&hello + c->hello_out, sizeof(hello) - c->hello_out, &n))
			return false;
		c->hello_out += (uint8_t)n;
		if (c->hello_out < sizeof(hello))
			return true;
	}
	while (c->to_send && turns--) {
		size_t len = c->to_send < CHUNK ? c->to_send : CHUNK;

		if (!send_some(c, payload, len, &n))
			return false;
		if (!n)
			break;
		if (cfg.mode == UP || cfg.mode == BOTH)
			tally.bytes += n;
		else
			c->to_send -= (uint32_t)n;
	}
	if ((c->to_send > 0) != c->writing)
		watch(c, EPOLL_CTL_MOD, c->to_send > 0);
	return true;
}

/* Reads what came. false: the connection is gone. */
static bool client_read(struct client *c)
{
	bool bulk = cfg.mode == DOWN || cfg.mode == BOTH;
	size_t max = bulk || c->to_read > READ_MAX ? READ_MAX : c->to_read;
	ssize_t n = recv(c->fd, payload, max, MSG_TRUNC);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	tally.bytes += (size_t)n;
	if (bulk && !c->counted) {
		c->counted = true;
		warm++;
	}
	if (bulk)
		return true;
	c->to_read -= (uint32_t)n;
	if (c->to_read)
		return true;
	exchange_done(c);
	return c->fd < 0 || !c->to_send || cfg.mode == RATE || client_write(c);
}

static void client_ready(struct client *c, uint32_t events)
{
	bool ok = true;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		ok = client_read(c);
	if (ok && (events & EPOLLOUT) && c->fd >= 0)
		ok = client_write(c);
	if (!ok)
		client_end(c, true);
}

/* One turn of the loop; at most `ms` of waiting. false: standard input has ended. */
static bool turn(int ms)
{
	struct epoll_event ev[256];
	int n = epoll_wait(poller, ev, 256, ms);

	for (int i = 0; i < n; i++) {
		if (!ev[i].data.ptr)
			return false;
		client_ready(ev[i].data.ptr, ev[i].events);
	}
	return true;
}

/* Lets the connections go that were held back while others were opened. */
static void unpark(void)
{
	if (!parked)
		return;
	parked = false;
	for (uint32_t i = 0; i < cfg.connections; i++) {
		struct client *c = &clients[i];

		if (c->fd < 0)
			continue;
		c->began = now_ns();
		c->to_send = cfg.request;
		if (!client_write(c))
			client_end(c, true);
	}
}

/* Opens everything in steps that no backlog minds, and waits for the first exchanges. */
static void warm_up(void)
{
	uint64_t until = now_ns() + 20 * NSEC;
	uint32_t begun = 0;

	parked = cfg.mode == PINGPONG || cfg.mode == IDLE;
	if (cfg.mode == UP)
		warm = cfg.connections;
	while (begun < cfg.connections || warm < cfg.connections) {
		for (int i = 0; i < 32 && begun < cfg.connections && begun < warm + 256; i++)
			client_begin(&clients[begun++]);
		turn(begun < cfg.connections ? 0 : 10);
		if (cfg.mode == UP && begun == cfg.connections)
			break;
		if (now_ns() > until)
			die("only %u of %u connections work", warm, cfg.connections);
	}
	if (cfg.mode == IDLE)
		return;
	unpark();
	until = now_ns() + (uint64_t)(cfg.warmup * 1e9);
	while (now_ns() < until)
		turn(10);
}

static void hold(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };
	uint64_t until = now_ns() + (uint64_t)(cfg.seconds * 1e9);

	if (epoll_ctl(poller, EPOLL_CTL_ADD, 0, &e))
		die("standard input must be a pipe");
	if (tally.errors)
		die("%llu connections failed", (unsigned long long)tally.errors);
	puts("ready");
	fflush(stdout);
	while (now_ns() < until && turn(100))
		;
}

static void measure(void)
{
	uint64_t until = now_ns() + (uint64_t)(cfg.seconds * 1e9);

	tally_reset();
	while (alive && (cfg.limit ? tally.exchanges < cfg.limit : now_ns() < until))
		turn(10);
	tally_print();
}

static enum mode mode_parse(const char *name)
{
	for (unsigned i = 0; i < sizeof(mode_names) / sizeof(*mode_names); i++)
		if (!strcmp(mode_names[i], name))
			return (enum mode)i;
	errno = 0;
	die("'%s' is not a mode", name);
}

static void option(int opt)
{
	switch (opt) {
	case 'c': cfg.connections = (uint32_t)number_parse(optarg); break;
	case 'q': cfg.request = (uint32_t)number_parse(optarg); break;
	case 'r': cfg.response = (uint32_t)number_parse(optarg); break;
	case 'n': cfg.limit = number_parse(optarg); break;
	case 't': cfg.seconds = atof(optarg); break;
	case 'w': cfg.warmup = atof(optarg); break;
	case 'A': cfg.sources = atoi(optarg); break;
	case 'C': pin_to(atoi(optarg)); break;
	case 'P':
		if (cfg.n_pids < MAX_PIDS)
			cfg.pids[cfg.n_pids++] = atoi(optarg);
		break;
	default: exit(1);
	}
}

int main(int argc, char **argv)
{
	static const uint8_t hello_modes[] = { HELLO_PINGPONG, HELLO_SOURCE, HELLO_SINK,
					       HELLO_BOTH,     HELLO_PINGPONG, HELLO_PINGPONG };
	int opt;

	while ((opt = getopt(argc, argv, "c:q:r:n:t:w:A:C:P:")) != -1)
		option(opt);
	if (argc - optind != 2) {
		errno = 0;
		die("usage: load [options] MODE ADDRESS:PORT");
	}
	cfg.mode = mode_parse(argv[optind]);
	cfg.to = address_parse(argv[optind + 1]);
	if (cfg.mode == RATE)
		cfg.request = cfg.response = 1;
	if (cfg.mode == DOWN)
		cfg.request = 0;
	if (cfg.mode == UP || cfg.mode == BOTH)
		cfg.request = UINT32_MAX;
	hello.mode = hello_modes[cfg.mode];
	hello.request = cfg.request;
	hello.response = cfg.response;
	want_descriptors();
	poller = epoll_create1(EPOLL_CLOEXEC);
	clients = calloc(cfg.connections, sizeof(*clients));
	if (poller < 0 || !clients)
		die("memory");
	warm_up();
	if (cfg.mode == IDLE)
		hold();
	else
		measure();
	return 0;
}
