/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tls_load: puts handshakes of TLS on a server and measures them. One thread, one epoll.
 *
 *   tls_load [options] MODE ADDRESS:PORT
 *
 *   full      connect, full handshake, close
 *   resumed   the same with a session of an earlier connection
 *   idle      -c connections that make one request each and then stay; prints "ready" and holds
 *             them until its standard input ends
 *
 *   -c N connections at a time   -t SECONDS   -w SECONDS warm-up   -2 TLS 1.2   -s CIPHER (suite)
 *   -C CORE    -P PID whose CPU is counted    -A N client addresses 127.0.0.1..
 *   -n N handshakes and then the end, for counting instructions and system calls: instead of -t, -w
 *
 * Prints one line of key=value.
 */
#include "common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum mode { FULL, RESUMED, IDLE };

static const char *const mode_names[] = { "full", "resumed", "idle" };
static const char request[] = "GET /1 HTTP/1.1\r\nHost: bench\r\n\r\n";

struct client {
	int fd;
	SSL *ssl;
	uint32_t events;
	SSL_SESSION *session; /* to be resumed */
	bool asks, asked;     /* makes a request: to get a session, or before it is idle */
	bool idle;
};

static struct {
	enum mode mode;
	struct address to;
	uint32_t connections;
	double seconds, warmup;
	uint64_t count;
	int sources, version;
	const char *cipher;
	pid_t pid;
} cfg = { .connections = 16, .seconds = 1, .warmup = 0.3, .sources = 1,
	  .version = TLS1_3_VERSION };

static SSL_CTX *ctx;
static int poller;
static struct client *clients;
static uint32_t idle;
static uint64_t done, resumed, errors;

static int new_session(SSL *ssl, SSL_SESSION *session)
{
	struct client *c = SSL_get_app_data(ssl);

	if (cfg.mode != RESUMED)
		return 0;
	SSL_SESSION_free(c->session);
	c->session = session;
	return 1;
}

/* What the server shows is of no interest, and looking at it would make the client the slower of
 * the two. */
static int believe(X509_STORE_CTX *store, void *arg)
{
	(void)store;
	(void)arg;
	return 1;
}

static int connect_from(uint64_t n)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	int fd, one = 1;

	fd = socket(cfg.to.ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(n % (uint64_t)cfg.sources));
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (cfg.sources > 1 && bind(fd, (struct sockaddr *)&from, sizeof(from)))
		die("bind");
	if (connect(fd, (struct sockaddr *)&cfg.to.ss, cfg.to.len) && errno != EINPROGRESS)
		die("connect");
	return fd;
}

static void watch(struct client *c, int op, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = c };

	c->events = events;
	if (epoll_ctl(poller, op, c->fd, &e))
		die("epoll_ctl");
}

static void client_begin(struct client *c)
{
	static uint64_t serial;

	c->fd = connect_from(serial++);
	sock_nodelay(c->fd);
	c->ssl = SSL_new(ctx);
	SSL_set_app_data(c->ssl, c);
	SSL_set_fd(c->ssl, c->fd);
	SSL_set_connect_state(c->ssl);
	c->asked = false;
	c->asks = cfg.mode == IDLE || (cfg.mode == RESUMED && !c->session);
	if (c->session) { /* a copy: one of TLS 1.3 is good for one connection only */
		SSL_SESSION *copy = SSL_SESSION_dup(c->session);

		SSL_set_session(c->ssl, copy);
		SSL_SESSION_free(copy);
	}
	watch(c, EPOLL_CTL_ADD, EPOLLOUT);
}

static void client_end(struct client *c)
{
	SSL_set_quiet_shutdown(c->ssl, 0);
	SSL_shutdown(c->ssl);
	SSL_free(c->ssl);
	close(c->fd);
	client_begin(c);
}

static void client_failed(struct client *c)
{
	errors++;
	SSL_SESSION_free(c->session);
	c->session = NULL;
	client_end(c);
	if (errors > 1000)
		die("too many errors");
}

/* What it waits for: true. */
static bool client_waits(struct client *c, int r)
{
	int why = SSL_get_error(c->ssl, r);
	uint32_t events = why == SSL_ERROR_WANT_WRITE ? EPOLLOUT : EPOLLIN;

	if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
		return false;
	if (events != c->events)
		watch(c, EPOLL_CTL_MOD, events);
	return true;
}

static void client_go_on(struct client *c)
{
	static char buf[65536];
	int r = c->asked ? 1 : SSL_do_handshake(c->ssl);

	if (r != 1) {
		if (!client_waits(c, r))
			client_failed(c);
		return;
	}
	if (!c->asks) {
		done++;
		resumed += (uint64_t)SSL_session_reused(c->ssl);
		client_end(c);
		return;
	}
	if (!c->asked) {
		c->asked = true;
		SSL_write(c->ssl, request, sizeof(request) - 1);
	}
	r = SSL_read(c->ssl, buf, sizeof(buf));
	if (r <= 0) {
		if (!client_waits(c, r))
			client_failed(c);
		return;
	}
	if (cfg.mode == RESUMED) {
		client_end(c);
	} else if (!c->idle) {
		c->idle = true;
		idle++;
	}
}

static bool turn(int ms)
{
	struct epoll_event ev[256];
	int n = epoll_wait(poller, ev, 256, ms);

	for (int i = 0; i < n; i++) {
		if (!ev[i].data.ptr)
			return false;
		client_go_on(ev[i].data.ptr);
	}
	return true;
}

static void hold(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };
	uint64_t until = now_ns() + 60 * NSEC;

	while (idle < cfg.connections && now_ns() < until)
		turn(10);
	if (idle < cfg.connections || errors)
		die("%u of %u connections, %llu errors", idle, cfg.connections,
		    (unsigned long long)errors);
	if (epoll_ctl(poller, EPOLL_CTL_ADD, 0, &e))
		die("standard input must be a pipe");
	puts("ready");
	fflush(stdout);
	while (turn(100) && now_ns() < until)
		;
}

static void measure(void)
{
	uint64_t until = now_ns() + (uint64_t)(cfg.warmup * 1e9), began, cpu, own;

	while (now_ns() < until)
		turn(10);
	done = resumed = errors = 0;
	cpu = proc_cpu_ns(cfg.pid);
	own = proc_cpu_ns(getpid());
	began = now_ns();
	until = began + (uint64_t)(cfg.seconds * 1e9);
	while (now_ns() < until)
		turn(10);
	printf("mode=%s conns=%u seconds=%.3f exchanges=%llu per_s=%.1f resumed=%llu errors=%llu "
	       "cpu_ns=%llu own_cpu_ns=%llu\n",
	       mode_names[cfg.mode], cfg.connections, (double)(now_ns() - began) / 1e9,
	       (unsigned long long)done, (double)done * 1e9 / (double)(now_ns() - began),
	       (unsigned long long)resumed, (unsigned long long)errors,
	       (unsigned long long)(proc_cpu_ns(cfg.pid) - cpu),
	       (unsigned long long)(proc_cpu_ns(getpid()) - own));
}

/* As many handshakes as are asked for, give or take those under way. */
static void count(void)
{
	uint64_t until = now_ns() + 600 * NSEC;

	while (done < cfg.count && now_ns() < until)
		turn(10);
	printf("mode=%s exchanges=%llu resumed=%llu errors=%llu\n", mode_names[cfg.mode],
	       (unsigned long long)done, (unsigned long long)resumed, (unsigned long long)errors);
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
	case 't': cfg.seconds = atof(optarg); break;
	case 'n': cfg.count = number_parse(optarg); break;
	case 'w': cfg.warmup = atof(optarg); break;
	case '2': cfg.version = TLS1_2_VERSION; break;
	case 's': cfg.cipher = optarg; break;
	case 'A': cfg.sources = atoi(optarg); break;
	case 'C': pin_to(atoi(optarg)); break;
	case 'P': cfg.pid = atoi(optarg); break;
	default: exit(1);
	}
}

static void prepare(void)
{
	ctx = SSL_CTX_new(TLS_client_method());
	if (!ctx || !SSL_CTX_set_min_proto_version(ctx, cfg.version) ||
	    !SSL_CTX_set_max_proto_version(ctx, cfg.version))
		die("no TLS");
	if (cfg.cipher && !(cfg.version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(ctx, cfg.cipher) :
							     SSL_CTX_set_cipher_list(ctx, cfg.cipher)))
		die("no cipher %s", cfg.cipher);
	SSL_CTX_set_cert_verify_callback(ctx, believe, NULL);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(ctx, new_session);
}

int main(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "c:t:w:n:2s:A:C:P:")) != -1)
		option(opt);
	if (argc - optind != 2)
		die("usage: tls_load [options] MODE ADDRESS:PORT");
	cfg.mode = mode_parse(argv[optind]);
	cfg.to = address_parse(argv[optind + 1]);
	want_descriptors();
	prepare();
	poller = epoll_create1(EPOLL_CLOEXEC);
	clients = calloc(cfg.connections, sizeof(*clients));
	if (poller < 0 || !clients)
		die("start");
	for (uint32_t i = 0; i < cfg.connections; i++) {
		client_begin(&clients[i]);
		turn(0);
	}
	if (cfg.mode == IDLE)
		hold();
	else if (cfg.count)
		count();
	else
		measure();
	return 0;
}
