/* SPDX-License-Identifier: BSD-2-Clause */
/* Listeners on real sockets in a real loop: what is inherited by connections, batches, limits,
 * running out of descriptors, pausing, Unix sockets, sockets of the parent, and what is said
 * when an address cannot be had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "net/listen_socket.h"
#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST = 64 };

static struct bind_conf bind_line;
static struct listener l;
static struct listen_options opt;
static int taken[MOST], taken_count;
static unsigned room, room_wait, room_asked, reports;
static char folder[] = "/tmp/listener_test.XXXXXX";

static void accepted(struct listener *listener, int *fd, const struct addr *from)
{
	assert_ptr_equal(listener, &l);
	assert_true(from->family == AF_INET || from->family == AF_UNIX);
	assert_true(taken_count < MOST);
	taken[taken_count++] = *fd;
	*fd = -1;
	l.current++;
}

static unsigned ask_room(struct listener *listener, unsigned *wait_ms)
{
	assert_ptr_equal(listener, &l);
	room_asked++;
	*wait_ms = room_wait;
	return room;
}

static void out_of_resources(struct listener *listener, int error)
{
	assert_ptr_equal(listener, &l);
	assert_int_equal(error, EMFILE);
	reports++;
}

static int setup(void **state)
{
	(void)state;
	memset(&bind_line, 0, sizeof(bind_line));
	memset(&l, 0, sizeof(l));
	memset(&opt, 0, sizeof(opt));
	list_init(&bind_line.listeners);
	bind_line.mode = bind_line.uid = bind_line.gid = -1;
	opt.default_backlog = 128;
	opt.tcp_nodelay = true;
	l.addr = (struct addr){ .family = AF_INET, .v4.s_addr = htonl(INADDR_LOOPBACK) };
	listener_init(&l, &bind_line);
	l.accepted = accepted;
	taken_count = 0;
	room_asked = room_wait = reports = 0;
	listener_max_accept = 4;
	listener_hooks.out_of_resources = out_of_resources;
	clock_update();
	return loop_init(20);
}

static int teardown(void **state)
{
	(void)state;
	listener_close(&l);
	while (taken_count)
		close(taken[--taken_count]);
	loop_free();
	return 0;
}

static void open_and_start(void)
{
	struct err err = { "" };

	if (listener_open(&l, &opt, &err))
		fail_msg("%s", err.text);
	assert_int_equal(listener_start(&l), 0);
}

static int connect_to(void)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int fd = socket(l.addr.family, SOCK_STREAM | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(getsockname(l.src.fd, (struct sockaddr *)&ss, &len), 0);
	if (l.addr.family == AF_UNIX)
		len = addr_to_sockaddr(&l.addr, &ss); /* not the name that it was bound under */
	if (connect(fd, (struct sockaddr *)&ss, len))
		assert_int_equal(errno, EINPROGRESS);
	return fd;
}

static int option_of(int fd, int level, int option)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, level, option, &value, &len), 0);
	return value;
}

static void connections_inherit_options(void **state)
{
	int fd;

	(void)state;
	opt.keepalive = true;
	opt.keepalive_idle_s = 11;
	opt.keepalive_intvl_s = 12;
	opt.keepalive_cnt = 13;
	opt.nolinger = true;
	opt.rcvbuf = 20000;
	bind_line.tcp_ut = 5000;
	open_and_start();
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	assert_int_equal(option_of(taken[0], SOL_TCP, TCP_NODELAY), 1);
	assert_int_equal(option_of(taken[0], SOL_SOCKET, SO_KEEPALIVE), 1);
	assert_int_equal(option_of(taken[0], SOL_TCP, TCP_KEEPIDLE), 11);
	assert_int_equal(option_of(taken[0], SOL_TCP, TCP_KEEPINTVL), 12);
	assert_int_equal(option_of(taken[0], SOL_TCP, TCP_KEEPCNT), 13);
	assert_int_equal(option_of(taken[0], SOL_TCP, TCP_USER_TIMEOUT), 5000);
	assert_int_equal(option_of(taken[0], SOL_SOCKET, SO_RCVBUF), 40000);
	assert_int_equal(option_of(taken[0], SOL_SOCKET, SO_LINGER), 1);
	assert_true(fcntl(taken[0], F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(taken[0], F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void accepts_in_batches(void **state)
{
	int fds[10], i;

	(void)state;
	open_and_start();
	for (i = 0; i < 10; i++)
		fds[i] = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 4);
	loop_turn(1000);
	assert_int_equal(taken_count, 8);
	loop_turn(1000);
	assert_int_equal(taken_count, 10);
	for (i = 0; i < 10; i++)
		close(fds[i]);
}

static void maxconn_holds(void **state)
{
	int fds[5], i;

	(void)state;
	bind_line.maxconn = l.maxconn = 3;
	open_and_start();
	for (i = 0; i < 5; i++)
		fds[i] = connect_to();
	loop_turn(1000);
	loop_turn(0);
	assert_int_equal(taken_count, 3);
	assert_int_equal(l.state, LISTENER_FULL);
	listeners_wake();
	assert_int_equal(l.state, LISTENER_FULL); /* nothing was freed */
	l.current = 2;
	listeners_wake();
	assert_int_equal(l.state, LISTENER_READY);
	loop_turn(1000);
	assert_int_equal(taken_count, 4);
	for (i = 0; i < 5; i++)
		close(fds[i]);
}

/* Where one connection comes at a time a batch does not look for a second: the poller would
 * tell. */
static void learns_what_to_expect(void **state)
{
	unsigned most = 0;
	int fds[12], n = 0;

	(void)state;
	open_and_start();
	while (n < 2) {
		fds[n++] = connect_to();
		loop_turn(1000);
		assert_int_equal(taken_count, n);
	}
	assert_int_equal(l.expected, 1);
	fds[n++] = connect_to();
	fds[n++] = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 3);
	loop_turn(1000);
	assert_int_equal(taken_count, 4);
	while (n < 12) /* those who are many are taken in larger batches before long */
		fds[n++] = connect_to();
	while (taken_count < 12) {
		loop_turn(1000);
		most = l.expected > most ? l.expected : most;
	}
	assert_true(most > 1);
	while (n)
		close(fds[--n]);
}

static void asks_for_room(void **state)
{
	int fds[3], i;

	(void)state;
	l.room = ask_room;
	room = 2;
	open_and_start();
	for (i = 0; i < 3; i++)
		fds[i] = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 2);
	assert_int_equal(room_asked, 1);
	room = 0;
	loop_turn(1000);
	assert_int_equal(l.state, LISTENER_FULL);
	room = 1;
	listeners_wake();
	loop_turn(1000);
	assert_int_equal(taken_count, 3);
	for (i = 0; i < 3; i++)
		close(fds[i]);
}

/* Those who are connected already are served before the address is given up. */
static void finishes_what_waits(void **state)
{
	int fds[10], i;

	(void)state;
	open_and_start();
	for (i = 0; i < 10; i++)
		fds[i] = connect_to();
	listener_finish(&l);
	assert_int_equal(taken_count, 10);
	assert_int_equal(l.state, LISTENER_CLOSED);
	for (i = 0; i < 10; i++)
		close(fds[i]);
}

/* A rate limit says how long to wait: the timer brings the listener back by itself. */
static void waits_for_a_rate(void **state)
{
	int fd;

	(void)state;
	l.room = ask_room;
	room = 0;
	room_wait = 30;
	open_and_start();
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(l.state, LISTENER_LIMITED);
	assert_int_equal(taken_count, 0);
	room = 5;
	room_wait = 0;
	while (!taken_count)
		loop_turn(1000);
	assert_int_equal(l.state, LISTENER_READY);
	close(fd);
}

/* Without descriptors it leaves the loop, says so once, and comes back by a timer. */
static void out_of_descriptors(void **state)
{
	struct rlimit before, none;
	uint64_t failed = listener_stats.failed;
	uint64_t turns;
	int fd;

	(void)state;
	open_and_start();
	fd = connect_to();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	loop_turn(1000);
	assert_int_equal(l.state, LISTENER_LIMITED);
	assert_int_equal(reports, 1);
	assert_int_equal(listener_stats.failed, failed + 1);
	turns = loop_stats.turns;
	loop_turn(1000); /* until the timer; it fails again, and says nothing */
	loop_turn(1000);
	assert_true(loop_stats.turns - turns <= 2);
	assert_int_equal(reports, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	while (!taken_count)
		loop_turn(1000);
	assert_int_equal(l.state, LISTENER_READY);
	close(fd);
}

static bool refused_now(int fd)
{
	socklen_t len = sizeof(int);
	int error = 0;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error == ECONNREFUSED;
}

static void pauses_and_resumes(void **state)
{
	int fd;

	(void)state;
	open_and_start();
	listener_pause(&l);
	assert_int_equal(l.state, LISTENER_PAUSED);
	fd = connect_to();
	assert_true(refused_now(fd));
	close(fd);
	assert_int_equal(listener_resume(&l), 0);
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	close(fd);
}

static void unix_socket(void **state)
{
	char path[64], temporary[64];
	struct stat st;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/sock", folder);
	snprintf(temporary, sizeof(temporary), "%s/sock.%d.tmp", folder, (int)getpid());
	l.addr = (struct addr){ .family = AF_UNIX, .path = path };
	bind_line.mode = 0640;
	assert_int_equal(close(creat(path, 0600)), 0); /* is replaced */
	open_and_start();
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(stat(temporary, &st), -1);
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	close(fd);
	listener_close(&l);
	assert_int_equal(stat(path, &st), 0); /* the next process has it already */
	unlink(path);
}

static void abstract_socket(void **state)
{
	int fd;

	(void)state;
	l.addr = (struct addr){ .family = AF_UNIX, .path = "@listener_test" };
	open_and_start();
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	close(fd);
}

static void a_paused_abstract_socket_is_free(void **state)
{
	int fd;

	(void)state;
	l.addr = (struct addr){ .family = AF_UNIX, .path = "@listener_test" };
	open_and_start();
	listener_pause(&l);
	assert_int_equal(l.src.fd, -1);
	assert_int_equal(listener_resume(&l), 0);
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	close(fd);
}

static void socket_of_the_parent(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int parent = socket(AF_INET, SOCK_STREAM, 0), fd;

	(void)state;
	assert_int_equal(bind(parent, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(parent, 10), 0);
	l.addr = (struct addr){ .family = AF_FD, .fd = parent };
	open_and_start();
	assert_int_equal(l.src.fd, parent);
	assert_int_equal(l.addr.family, AF_INET);
	assert_true(l.addr.port != 0);
	fd = connect_to();
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	/* The parent's others go on: the socket keeps listening. */
	listener_pause(&l);
	close(fd);
	fd = connect_to();
	assert_false(refused_now(fd));
	close(fd);
}

static void pass_descriptor(int to, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { (char[]){ "x" }, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	assert_int_equal(sendmsg(to, &msg, 0), 1);
}

static void connections_through_a_pair(void **state)
{
	int pair[2], conn[2];
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, conn), 0);
	l.addr = (struct addr){ .family = AF_SOCKPAIR, .fd = pair[0] };
	open_and_start();
	pass_descriptor(pair[1], conn[1]);
	close(conn[1]);
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	assert_true(fcntl(taken[0], F_GETFL) & O_NONBLOCK);
	assert_int_equal(write(conn[0], "y", 1), 1);
	assert_int_equal(read(taken[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	/* Rubbish without a descriptor is passed over. */
	assert_int_equal(write(pair[1], "z", 1), 1);
	loop_turn(1000);
	assert_int_equal(taken_count, 1);
	assert_int_equal(l.state, LISTENER_READY);
	/* Nobody can send any more: it does not spin. */
	close(pair[1]);
	loop_turn(1000);
	assert_int_equal(l.state, LISTENER_PAUSED);
	close(conn[0]);
}

static void assert_refused(const char *about)
{
	struct err err = { "" };

	assert_int_equal(listener_open(&l, &opt, &err), -1);
	if (!strstr(err.text, about))
		fail_msg("'%s' does not speak of '%s'", err.text, about);
	assert_int_equal(l.src.fd, -1);
}

static void address_in_use(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(in);
	int other = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(bind(other, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(other, 1), 0);
	assert_int_equal(getsockname(other, (struct sockaddr *)&in, &len), 0);
	l.addr.port = ntohs(in.sin_port);
	assert_refused("Another process uses this address");
	close(other);
}

static void problems_are_said(void **state)
{
	(void)state;
	l.addr.v4.s_addr = htonl(0xc0000201); /* 192.0.2.1 */
	assert_refused("No interface of this machine has this address");
	l.addr.v4.s_addr = htonl(INADDR_LOOPBACK);
	bind_line.namespace = "no-such-namespace";
	assert_refused("No such file");
	bind_line.namespace = NULL;
	l.addr = (struct addr){ .family = AF_UNIX, .path = "/nonexistent/x" };
	assert_refused("folder of the socket does not exist");
	l.addr = (struct addr){ .family = AF_FD, .fd = 987 };
	assert_refused("The parent did not pass it on");
	l.addr = (struct addr){ .family = AF_UNIX, .path = folder };
	assert_refused("rename");
}

static void the_wrong_interface(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	bind_line.interface = "nosuchif0";
	assert_refused("There is no such interface");
}

static int group_setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(connections_inherit_options), TEST(accepts_in_batches), TEST(maxconn_holds),
		TEST(learns_what_to_expect),
		TEST(asks_for_room), TEST(finishes_what_waits), TEST(waits_for_a_rate), TEST(out_of_descriptors),
		TEST(pauses_and_resumes), TEST(unix_socket), TEST(abstract_socket),
		TEST(a_paused_abstract_socket_is_free),
		TEST(socket_of_the_parent), TEST(connections_through_a_pair),
		TEST(address_in_use), TEST(problems_are_said), TEST(the_wrong_interface),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
