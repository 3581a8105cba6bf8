/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets towards servers, on the loopback: from which address and port they come, what is set on
 * them, and how it is told that there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "net/sock.h"
#include "proxy/proxy.h"
#include "proxy/server_dial.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static int listening = -1;
static struct addr there;
static const struct addr client = { .family = AF_INET, .port = 4321 };

/* Was the first acknowledgement held back? The kernel takes that word only until it is connected. */
static bool held_back;

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (level == IPPROTO_TCP && name == TCP_QUICKACK)
		held_back = !*(const int *)value;
	return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
}

/* Somebody who is connected to, and never accepts. */
static int listen_somewhere(void **state)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	socklen_t len = sizeof(sin);

	(void)state;
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listening, (struct sockaddr *)&sin, len), 0);
	assert_int_equal(listen(listening, 100), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&sin, &len), 0);
	there = (struct addr){ .family = AF_INET, .port = ntohs(sin.sin_port) };
	there.v4 = sin.sin_addr;
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	close(listening);
	return 0;
}

static int cleanup(void **state)
{
	(void)state;
	sock_tune = (struct sock_tune){ 0 };
	if (cfg)
		segment_free(&((struct proxies *)config_data(cfg, &proxy_module))->segment);
	config_free(&cfg);
	return 0;
}

/* The server of a backend with this line; its own line ends in words. */
static struct server *server(const char *line, const char *words)
{
	char text[500];

	cleanup(NULL);
	snprintf(text, sizeof(text),
		 "defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
		 "backend b\n %s\n server s 127.0.0.1:1 %s\n", line, words);
	cfg = test_config_read(list, text);
	return proxy_find(config_data(cfg, &proxy_module), "b", PROXY_BACKEND)->servers;
}

static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

/* Its side of the socket. */
static struct sockaddr_in own(int fd)
{
	struct sockaddr_in sin = { 0 };
	socklen_t len = sizeof(sin);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	return sin;
}

/* Without a trace in the kernel: its port is free at once. */
static void hang_up(int fd)
{
	struct linger linger = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

static int dialled(struct server *s, bool bytes, const struct dial_packets *packets)
{
	int fd = -1;

	held_back = false;
	assert_int_equal(server_dial(s, &there, &client, NULL, bytes, packets, &fd), DIAL_STARTED);
	assert_true(fd >= 0);
	return fd;
}

/* ---- options ----------------------------------------------------------------------------- */

static void what_holds_for_each(void **state)
{
	int fd = dialled(server("", ""), true, NULL);

	(void)state;
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT), 0);
	assert_int_equal(option(fd, IPPROTO_IP, IP_TOS), 0);
	assert_int_equal(own(fd).sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	hang_up(fd);
}

static void keep_alive(void **state)
{
	int fd = dialled(server("option srvtcpka\n srvtcpka-cnt 4\n srvtcpka-idle 50s\n"
				" srvtcpka-intvl 6s", ""), true, NULL);

	(void)state;
	assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPCNT), 4);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 50);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 6);
	hang_up(fd);
}

static void user_timeout(void **state)
{
	int fd = dialled(server("", "tcp-ut 1234ms"), true, NULL);

	(void)state;
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 1234);
	hang_up(fd);
}

/* Only with bytes at hand, else the kernel would wait for them. */
static void fast_open(void **state)
{
	int fd = dialled(server("", "tfo"), true, NULL);

	(void)state;
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT), 1);
	hang_up(fd);
	fd = dialled(server("", "tfo"), false, NULL);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT), 0);
	hang_up(fd);
}

/* The kernel doubles what it is asked for. */
static void buffers(void **state)
{
	struct server *s = server("", "");
	int fd;

	(void)state;
	sock_tune = (struct sock_tune){ .rcvbuf_server = 30000, .sndbuf_server = 20000,
					.rcvbuf_client = 5000, .sndbuf_client = 6000 };
	fd = dialled(s, true, NULL);
	assert_int_equal(option(fd, SOL_SOCKET, SO_RCVBUF), 60000);
	assert_int_equal(option(fd, SOL_SOCKET, SO_SNDBUF), 40000);
	hang_up(fd);
	assert_int_equal(server_dial_datagrams(s, &there, &client, &fd), DIAL_STARTED);
	assert_int_equal(option(fd, SOL_SOCKET, SO_RCVBUF), 60000);
	assert_int_equal(option(fd, SOL_SOCKET, SO_SNDBUF), 40000);
	close(fd);
}

static void what_packets_are_given(void **state)
{
	struct dial_packets packets = { .has_tos = true, .tos = 0x28 };
	int fd = dialled(server("", ""), true, &packets);

	(void)state;
	assert_int_equal(option(fd, IPPROTO_IP, IP_TOS), 0x28);
	hang_up(fd);
	packets.has_tos = false;
	fd = dialled(server("", ""), true, &packets);
	assert_int_equal(option(fd, IPPROTO_IP, IP_TOS), 0);
	hang_up(fd);
}

/* For checks, and where the backend says so. */
static void the_first_acknowledgement(void **state)
{
	static const struct {
		const char *line;
		bool held_back;
	} cases[] = {
		{ "", false },	       { "option tcp-smart-connect", true },
		{ "mode http", true }, { "mode http\n no option tcp-smart-connect", false },
	};
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hang_up(dialled(server(cases[i].line, ""), true, NULL));
		assert_int_equal(held_back, cases[i].held_back);
	}
	held_back = false;
	assert_int_equal(server_dial_check(server("", ""), &there, &fd), DIAL_STARTED);
	assert_true(held_back);
	hang_up(fd);
}

/* ---- source ------------------------------------------------------------------------------ */

static void source_addresses(void **state)
{
	int fd = dialled(server("source 127.0.0.7", ""), true, NULL);

	(void)state;
	assert_int_equal(own(fd).sin_addr.s_addr, htonl(0x7f000007));
	assert_int_equal(option(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT), 1);
	hang_up(fd);
	/* The server's own goes before. */
	fd = dialled(server("source 127.0.0.7", "source 127.0.0.8"), true, NULL);
	assert_int_equal(own(fd).sin_addr.s_addr, htonl(0x7f000008));
	hang_up(fd);
	fd = dialled(server("source 127.0.0.7", "source *"), true, NULL);
	assert_int_equal(own(fd).sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	hang_up(fd);
	fd = dialled(server("", "source 127.0.0.7:38123"), true, NULL);
	assert_int_equal(ntohs(own(fd).sin_port), 38123);
	assert_int_equal(option(fd, SOL_SOCKET, SO_REUSEADDR), 1);
	hang_up(fd);
}

/* One after the other, from behind the last one; none of them is free: that is told. */
static void ports_of_a_range(void **state)
{
	struct server *s = server("", "source 127.0.0.7:38131-38133");
	int fds[3], fd, i;

	(void)state;
	for (i = 0; i < 3; i++) {
		fds[i] = dialled(s, true, NULL);
		assert_int_equal(ntohs(own(fds[i]).sin_port), 38131 + i);
		assert_int_equal(own(fds[i]).sin_addr.s_addr, htonl(0x7f000007));
	}
	assert_int_equal(server_dial(s, &there, &client, NULL, true, NULL, &fd), DIAL_SOURCE);
	assert_int_equal(fd, -1);
	hang_up(fds[1]);
	fds[1] = dialled(s, true, NULL);
	assert_int_equal(ntohs(own(fds[1]).sin_port), 38132);
	for (i = 0; i < 3; i++)
		hang_up(fds[i]);
}

/* Sessions of datagrams need ports of their own, checks take any. */
static void ports_of_datagrams(void **state)
{
	struct server *s = server("", "source 127.0.0.7:38141-38142");
	int fds[2], fd, i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(server_dial_datagrams(s, &there, &client, &fds[i]), DIAL_STARTED);
		assert_int_equal(ntohs(own(fds[i]).sin_port), 38141 + i);
		assert_int_equal(option(fds[i], SOL_SOCKET, SO_REUSEADDR), 0);
		assert_int_equal(option(fds[i], SOL_SOCKET, SO_TYPE), SOCK_DGRAM);
	}
	assert_int_equal(server_dial_datagrams(s, &there, &client, &fd), DIAL_SOURCE);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(server_dial_datagrams(s, &there, NULL, &fd), DIAL_STARTED);
	assert_int_equal(own(fd).sin_addr.s_addr, htonl(0x7f000007));
	assert_int_not_equal(ntohs(own(fd).sin_port), 38141);
	assert_int_not_equal(ntohs(own(fd).sin_port), 38142);
	close(fd);
	close(fds[0]);
	close(fds[1]);
}

static void sources_that_cannot_be_used(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(server_dial(server("source 192.0.2.1", ""), &there, &client, NULL, true, NULL,
				     &fd), DIAL_SOURCE);
	assert_int_equal(errno, EADDRNOTAVAIL);
	assert_int_equal(fd, -1);
	assert_int_equal(server_dial(server("source * interface nosuch0", ""), &there, &client, NULL,
				     true, NULL, &fd), DIAL_SOURCE);
	assert_int_equal(fd, -1);
	assert_int_equal(server_dial_datagrams(server("source 192.0.2.1", ""), &there, &client, &fd),
			 DIAL_SOURCE);
	assert_int_equal(errno, EADDRNOTAVAIL);
}

/* ---- nobody is there --------------------------------------------------------------------- */

static void nobody_is_there(void **state)
{
	struct addr nowhere = { .family = AF_UNSPEC };
	struct addr path = { .family = AF_UNIX, .path = "/nonexistent/socket" };
	struct server *s = server("", "");
	int fd = 5;

	(void)state;
	assert_int_equal(server_dial(s, &nowhere, &client, NULL, true, NULL, &fd), DIAL_REFUSED);
	assert_int_equal(errno, EDESTADDRREQ);
	assert_int_equal(fd, -1);
	fd = 5;
	assert_int_equal(server_dial_datagrams(s, &nowhere, &client, &fd), DIAL_REFUSED);
	assert_int_equal(errno, EDESTADDRREQ);
	assert_int_equal(fd, -1);
	assert_int_equal(server_dial(s, &path, &client, NULL, true, NULL, &fd), DIAL_REFUSED);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(fd, -1);
}

#define TEST(f) cmocka_unit_test_teardown(f, cleanup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_holds_for_each), TEST(keep_alive), TEST(user_timeout), TEST(fast_open),
		TEST(buffers), TEST(what_packets_are_given), TEST(the_first_acknowledgement),
		TEST(source_addresses), TEST(ports_of_a_range), TEST(ports_of_datagrams),
		TEST(sources_that_cannot_be_used), TEST(nobody_is_there),
	};

	return cmocka_run_group_tests(tests, listen_somewhere, close_it);
}
