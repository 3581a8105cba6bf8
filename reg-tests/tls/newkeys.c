/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client and a server of TLS, or plain ones, with a relay between them: bytes that depend on
 * their position pass in both directions at once, and whoever speaks TLS 1.3 makes new keys
 * (KeyUpdate, RFC 8446 4.6.3) every so many bytes, every second time asking the relay for new ones,
 * too. Says what was lost, and how many new keys were asked for, made, and given in answer. Started
 * by new_keys.sh and kernel.sh.
 *
 * newkeys [-2] [-n BYTES] [-e EVERY] FRONT-PORT BACK-PORT tls|plain tls|plain CERTIFICATE-AND-KEY
 *
 * The kinds are the client's and the server's; -2: TLS 1.2 (no new keys). -e 0: no new keys.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 20000, PATIENCE_MS = 120000 };

struct side {
	const char *name;
	SSL *ssl; /* NULL: plain */
	int fd;
	uint32_t says, hears; /* seeds of what it sends and receives */
	uint64_t sent, got, next_keys;
	unsigned asked, made, heard; /* KeyUpdates: that ask for an answer, all that left, that
				      * came */
	unsigned turns;
	size_t held; /* bytes of a write that has to be repeated */
	bool ended, failed;
};

static uint64_t total = 3000000, every = 100000;

static void die(const char *what)
{
	perror(what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static uint8_t byte_at(uint32_t seed, uint64_t at)
{
	return (uint8_t)((((uint32_t)(at >> 2) ^ seed) * 2654435761u) >> (8 * (at & 3)));
}

static void note(int write, int version, int type, const void *buf, size_t len, SSL *ssl, void *arg)
{
	struct side *s = arg;

	(void)version;
	(void)ssl;
	if (type != SSL3_RT_HANDSHAKE || len < 5 || *(const uint8_t *)buf != SSL3_MT_KEY_UPDATE)
		return;
	if (!write) {
		s->heard++;
		return;
	}
	s->made++;
	s->asked += ((const uint8_t *)buf)[4] == SSL_KEY_UPDATE_REQUESTED;
}

/* What became of a call that returned n: bytes, 0 for later, or the end. */
static int outcome(struct side *s, int n, const char *what)
{
	int why;

	if (n > 0)
		return n;
	if (!s->ssl) {
		if (n < 0 && errno == EAGAIN)
			return 0;
		s->failed |= n < 0;
		s->ended = true;
		return 0;
	}
	why = SSL_get_error(s->ssl, n);
	if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
		return 0;
	s->ended = true;
	if (why != SSL_ERROR_ZERO_RETURN) {
		s->failed = true;
		printf("FAILED  the %s cannot %s: %s\n", s->name, what, ERR_reason_error_string(ERR_peek_error()));
	}
	return 0;
}

static void new_keys(struct side *s)
{
	if (!every || !s->ssl || SSL_version(s->ssl) != TLS1_3_VERSION || s->sent < s->next_keys)
		return;
	s->next_keys += every;
	if (SSL_key_update(s->ssl, s->turns++ & 1 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) != 1)
		die("SSL_key_update");
}

static void say(struct side *s)
{
	uint8_t buf[PIECE];
	size_t want = s->held ? s->held : total - s->sent < PIECE ? total - s->sent : PIECE, i;
	int n;

	for (i = 0; i < want; i++)
		buf[i] = byte_at(s->says, s->sent + i);
	if (!s->held)
		new_keys(s);
	ERR_clear_error();
	n = outcome(s, s->ssl ? SSL_write(s->ssl, buf, (int)want) : (int)write(s->fd, buf, want), "send");
	s->held = n || !s->ssl ? 0 : want;
	s->sent += (uint64_t)n;
}

static void hear(struct side *s)
{
	uint8_t buf[PIECE];
	int n, i;

	do {
		ERR_clear_error();
		n = s->ssl ? SSL_read(s->ssl, buf, sizeof(buf)) : (int)read(s->fd, buf, sizeof(buf));
		n = outcome(s, n, "receive");
		for (i = 0; i < n; i++)
			if (buf[i] != byte_at(s->hears, s->got + (uint64_t)i)) {
				printf("FAILED  the %s gets a wrong byte at %llu\n", s->name, (unsigned long long)s->got + i);
				s->failed = s->ended = true;
				return;
			}
		s->got += (uint64_t)n;
	} while (n);
}

static void turn(struct side *s, short events)
{
	if (s->ended)
		return;
	if (events & (POLLIN | POLLHUP | POLLERR))
		hear(s);
	if (s->ended || !(events & POLLOUT))
		return;
	if (s->sent < total)
		say(s);
}

/* All of both directions has come. */
static bool complete(const struct side *a, const struct side *b)
{
	return a->got == total && b->got == total && a->sent == total && b->sent == total;
}

static struct sockaddr_in at_port(const char *port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void wrap(struct side *s, bool tls, const char *pem, bool accepts, int version)
{
	SSL_CTX *ctx;

	if (!tls)
		return;
	ctx = SSL_CTX_new(TLS_method());
	if (!ctx || (accepts && (SSL_CTX_use_certificate_chain_file(ctx, pem) != 1 ||
				 SSL_CTX_use_PrivateKey_file(ctx, pem, SSL_FILETYPE_PEM) != 1)))
		die(pem);
	SSL_CTX_set_max_proto_version(ctx, version);
	SSL_CTX_set_min_proto_version(ctx, version);
	SSL_CTX_set_mode(ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	s->ssl = SSL_new(ctx);
	SSL_CTX_free(ctx);
	if (!s->ssl || SSL_set_fd(s->ssl, s->fd) != 1)
		die("SSL_new");
	SSL_set_msg_callback(s->ssl, note);
	SSL_set_msg_callback_arg(s->ssl, s);
	if (accepts)
		SSL_set_accept_state(s->ssl);
	else
		SSL_set_connect_state(s->ssl);
}

/* Each question is answered, but one answer may do for several (RFC 8446 4.6.3). */
static bool judge(const struct side *s)
{
	bool keys = every && s->ssl && SSL_version(s->ssl) == TLS1_3_VERSION && total > every;
	bool good = !s->failed && s->got == total && s->sent == total && (!keys || (s->asked && s->heard));

	printf("%s the %s sent %llu bytes and got %llu; it made new keys %u times, asked for them %u times and "
	       "heard of them %u times\n", good ? "ok     " : "FAILED ", s->name, (unsigned long long)s->sent,
	       (unsigned long long)s->got, s->made, s->asked, s->heard);
	return good;
}

static void run(struct side *client, struct side *server)
{
	struct pollfd p[2] = { { .fd = client->fd }, { .fd = server->fd } };

	while (!complete(client, server) && !client->failed && !server->failed && !client->ended && !server->ended) {
		p[0].events = (short)(POLLIN | (client->sent < total ? POLLOUT : 0));
		p[1].events = (short)(POLLIN | (server->sent < total ? POLLOUT : 0));
		if (poll(p, 2, PATIENCE_MS) <= 0) {
			printf("FAILED  nothing moves any more\n");
			return;
		}
		turn(client, p[0].revents);
		turn(server, p[1].revents);
	}
}

/* The relay may want to be done with the client's handshake before it connects. */
static void accept_server(struct side *client, struct side *server, int listener)
{
	struct pollfd p[2] = { { .fd = listener, .events = POLLIN }, { .fd = client->fd, .events = POLLIN } };
	bool shaking = client->ssl;

	while (!client->ended) {
		if (shaking)
			shaking = !outcome(client, SSL_do_handshake(client->ssl), "shake hands");
		if (poll(p, shaking ? 2 : 1, PATIENCE_MS) <= 0)
			break;
		server->fd = p[0].revents ? accept(listener, NULL, NULL) : -1;
		if (server->fd >= 0)
			return;
	}
	die("nobody connects to the server");
}

int main(int argc, char **argv)
{
	struct side client = { .name = "client", .says = 1, .hears = 2 };
	struct side server = { .name = "server", .says = 2, .hears = 1 };
	int version = TLS1_3_VERSION, listener, one = 1, c;
	bool good;
	struct sockaddr_in a;

	while ((c = getopt(argc, argv, "2n:e:")) != -1) {
		if (c == '2')
			version = TLS1_2_VERSION;
		else if (c == 'n')
			total = strtoull(optarg, NULL, 10);
		else if (c == 'e')
			every = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	argv += optind;
	if (argc - optind != 5)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	client.next_keys = every;
	server.next_keys = every + every / 2;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	a = at_port(argv[1]);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 5))
		die("listen");
	client.fd = socket(AF_INET, SOCK_STREAM, 0);
	a = at_port(argv[0]);
	if (connect(client.fd, (struct sockaddr *)&a, sizeof(a)))
		die("connect");
	fcntl(client.fd, F_SETFL, O_NONBLOCK);
	wrap(&client, !strcmp(argv[2], "tls"), argv[4], false, version);
	accept_server(&client, &server, listener);
	fcntl(server.fd, F_SETFL, O_NONBLOCK);
	wrap(&server, !strcmp(argv[3], "tls"), argv[4], true, version);
	run(&client, &server);
	good = judge(&client);
	good = judge(&server) && good;
	SSL_free(client.ssl);
	SSL_free(server.ssl);
	return good ? 0 : 1;
}
