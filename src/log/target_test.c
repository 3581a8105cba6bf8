/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets on real sockets, pipes and files: a line arrives whole, and when it cannot go at
 * once it is dropped and counted without waiting, whatever is at the other end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "log/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[] = "/tmp/target_test.XXXXXX";
static char path[sizeof(((struct sockaddr_un *)0)->sun_path)];

static bool put(struct log_target *t, const char *head, const char *text)
{
	struct iovec iov[3] = { { (void *)head, strlen(head) },
				{ (void *)text, strlen(text) },
				{ (char[]){ '\n' }, 1 } };
	uint64_t start = clock_read_us();
	bool sent = log_target_write(t, iov, 3);

	assert_true(clock_read_us() - start < 10000000); /* nobody comes that it could wait for */
	return sent;
}

static struct log_target target_of_fd(int fd)
{
	return (struct log_target){ .kind = LOG_TO_FD, .name = "fd@N", .fd = -1,
				    .addr = { .family = AF_FD, .fd = fd } };
}

static void open_ok(struct log_target *t)
{
	struct err err = { "" };

	if (log_target_open(t, &err))
		fail_msg("%s", err.text);
}

static struct log_target unix_target(void)
{
	return (struct log_target){ .kind = LOG_TO_DATAGRAM, .name = path, .fd = -1,
				    .addr = { .family = AF_UNIX, .path = path } };
}

static int unix_receiver(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	unlink(path);
	strcpy(sun.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	return fd;
}

static void expect_datagram(int fd, const char *text)
{
	char buf[200];
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, 0);

	assert_true(n >= 0);
	buf[n] = 0;
	assert_string_equal(buf, text);
}

/* The collector is not there, comes, goes and comes back as another socket. */
static void unix_collector_comes_and_goes(void **state)
{
	struct log_target t = unix_target();
	int fd;

	(void)state;
	unlink(path);
	open_ok(&t);
	assert_false(put(&t, "<6>", "nobody"));
	assert_int_equal(t.error, ENOENT);
	fd = unix_receiver();
	assert_true(put(&t, "<6>", "first"));
	expect_datagram(fd, "<6>first\n");
	close(fd);
	assert_false(put(&t, "<6>", "dead"));
	assert_int_equal(t.error, ECONNREFUSED);
	fd = unix_receiver();
	assert_true(put(&t, "<6>", "second"));
	expect_datagram(fd, "<6>second\n");
	assert_int_equal(t.sent, 2);
	assert_int_equal(t.dropped, 2);
	close(fd);
	log_target_close(&t);
}

static void full_unix_collector_does_not_block(void **state)
{
	struct log_target t = unix_target();
	int fd = unix_receiver(), i, n = 0;

	(void)state;
	open_ok(&t);
	for (i = 0; i < 5000; i++)
		n += put(&t, "<6>", "x");
	assert_in_range(n, 1, 4999);
	assert_int_equal(t.error, EAGAIN);
	assert_int_equal(t.sent, n);
	assert_int_equal(t.sent + t.dropped, 5000);
	expect_datagram(fd, "<6>x\n");
	assert_true(put(&t, "<6>", "room again"));
	close(fd);
	log_target_close(&t);
}

static void udp_arrives_and_nobody_is_no_error(int family)
{
	struct sockaddr_storage ss = { .ss_family = (sa_family_t)family };
	struct log_target t = { .kind = LOG_TO_DATAGRAM, .name = "udp", .fd = -1 };
	int fd = socket(family, SOCK_DGRAM, 0);
	socklen_t len = sizeof(ss);
	struct addr any = { .family = (uint16_t)family };

	if (family == AF_INET)
		any.v4.s_addr = htonl(INADDR_LOOPBACK);
	else
		any.v6 = in6addr_loopback;
	len = addr_to_sockaddr(&any, &ss);
	assert_int_equal(bind(fd, (struct sockaddr *)&ss, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&ss, &len), 0);
	addr_from_sockaddr(&t.addr, &ss, len);
	open_ok(&t);
	assert_true(put(&t, "<134>", "line"));
	expect_datagram(fd, "<134>line\n");
	close(fd);
	put(&t, "<134>", "into the void");
	put(&t, "<134>", "twice");
	log_target_close(&t);
}

static void udp(void **state)
{
	(void)state;
	udp_arrives_and_nobody_is_no_error(AF_INET);
	udp_arrives_and_nobody_is_no_error(AF_INET6);
}

static void two_targets_share_a_socket(void **state)
{
	struct log_target a = unix_target(), b = unix_target();

	(void)state;
	open_ok(&a);
	open_ok(&b);
	assert_int_equal(a.fd, b.fd);
	log_target_close(&a);
	assert_int_equal(a.fd, -1);
	assert_true(fcntl(b.fd, F_GETFD) >= 0);
	log_target_close(&b);
}

/* The socket that targets share goes with the last of them. Nothing is ever read from it, and no
 * program that is started has it. */
static void the_last_target_closes_the_socket(void **state)
{
	struct log_target a = unix_target(), b = unix_target(), c;
	int fd, room = 0;
	socklen_t len = sizeof(room);

	(void)state;
	open_ok(&a);
	open_ok(&b);
	fd = a.fd;
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, &len), 0);
	assert_in_range(room, 1, 8192);
	log_target_close(&a);
	log_target_close(&a); /* once more is nothing */
	assert_true(fcntl(fd, F_GETFD) >= 0);
	log_target_close(&b);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	c = unix_target();
	open_ok(&c);
	assert_true(c.fd >= 0);
	log_target_close(&c);
}

static void families_have_a_socket_each(void **state)
{
	struct log_target a = unix_target();
	struct log_target b = { .kind = LOG_TO_DATAGRAM, .name = "udp", .fd = -1,
				.addr = { .family = AF_INET, .port = 514 } };
	struct log_target c = { .kind = LOG_TO_DATAGRAM, .name = "other", .fd = -1,
				.addr = { .family = AF_FD } };
	struct err err = { "" };

	(void)state;
	open_ok(&a);
	open_ok(&b);
	assert_int_not_equal(a.fd, b.fd);
	log_target_close(&a);
	assert_true(fcntl(b.fd, F_GETFD) >= 0);
	log_target_close(&b);
	assert_int_equal(log_target_open(&c, &err), -1);
	assert_string_equal(err.text, "log other: no log can be sent to this kind of address");
}

/* -- before the root directory changes ------------------------------------------------------ */

/* The path may be out of sight: what was connected before still reaches its collector. When that has
 * gone, the path counts again. */
static void a_kept_socket_reaches_its_collector(void **state)
{
	struct log_target t = unix_target();
	int first = unix_receiver(), second, kept;

	(void)state;
	open_ok(&t);
	log_target_keep(&t);
	kept = t.kept;
	assert_true(kept > 0);
	assert_true(fcntl(kept, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(kept, F_GETFL) & O_NONBLOCK);
	log_target_keep(&t);
	assert_int_equal(t.kept, kept); /* once */
	second = unix_receiver();
	assert_true(put(&t, "<6>", "kept"));
	expect_datagram(first, "<6>kept\n");
	close(first);
	assert_true(put(&t, "<6>", "by path"));
	expect_datagram(second, "<6>by path\n");
	close(second);
	log_target_close(&t);
	assert_int_equal(t.kept, 0);
	assert_int_equal(fcntl(kept, F_GETFD), -1);
}

/* A collector that is there, but takes no more, is not replaced by another. */
static void a_kept_socket_that_is_full(void **state)
{
	struct log_target t = unix_target();
	int first = unix_receiver(), second, n = 0;

	(void)state;
	open_ok(&t);
	log_target_keep(&t);
	second = unix_receiver();
	while (n < 5000 && put(&t, "<6>", "x"))
		n++;
	assert_in_range(n, 1, 4999);
	assert_int_equal(t.error, EAGAIN);
	assert_int_equal(recv(second, &(char){ 0 }, 1, 0), -1);
	close(first);
	close(second);
	log_target_close(&t);
}

static void what_is_not_kept(void **state)
{
	struct log_target t = unix_target(), fd = target_of_fd(STDERR_FILENO);
	struct log_target udp = { .kind = LOG_TO_DATAGRAM, .name = "udp", .fd = -1,
				  .addr = { .family = AF_INET, .port = 514,
					    .v4.s_addr = htonl(INADDR_LOOPBACK) } };

	(void)state;
	unlink(path);
	open_ok(&t);
	log_target_keep(&t); /* nobody is there */
	assert_int_equal(t.kept, 0);
	log_target_close(&t);
	open_ok(&udp);
	log_target_keep(&udp);
	assert_int_equal(udp.kept, 0);
	log_target_close(&udp);
	log_target_keep(&fd);
	assert_int_equal(fd.kept, 0);
}

/* -- descriptors ----------------------------------------------------------------------------- */

static void a_pipe_is_opened_once_more(void **state)
{
	struct log_target t;
	int fds[2], own;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	t = target_of_fd(fds[1]);
	open_ok(&t);
	assert_true(t.own_fd);
	assert_false(t.is_socket);
	own = t.fd;
	assert_int_not_equal(own, fds[1]);
	assert_true(fcntl(own, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(own, F_GETFL) & O_NONBLOCK);
	log_target_plain(&t);
	assert_int_equal(fcntl(own, F_GETFD), -1);
	assert_int_equal(t.fd, fds[1]);
	assert_false(t.own_fd);
	log_target_close(&t);
	assert_int_equal(t.fd, -1);
	assert_true(fcntl(fds[1], F_GETFD) >= 0);
	close(fds[0]);
	close(fds[1]);
}

/* A receiver that has gone is an error, and no signal. */
static void no_signal_comes_of_sockets(void **state)
{
	struct log_target t;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	close(fds[0]);
	t = target_of_fd(fds[1]);
	open_ok(&t);
	assert_true(t.is_socket);
	assert_false(put(&t, "<6>", "x"));
	assert_int_equal(t.error, EPIPE);
	signal(SIGPIPE, SIG_IGN);
	close(fds[1]);
	log_target_close(&t);
}

/* A line without its end alone is whole: what comes next ends it. */
static void only_the_end_is_missing(void **state)
{
	static char fill[70000], buf[70000];
	struct log_target t;
	int fds[2], size;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	size = fcntl(fds[1], F_GETPIPE_SZ);
	assert_in_range(size, 4096, sizeof(fill) - 1);
	memset(fill, 'f', sizeof(fill));
	t = target_of_fd(fds[1]);
	open_ok(&t);
	fill[size] = 0;
	assert_true(put(&t, "", fill));
	assert_true(t.torn);
	assert_int_equal(t.sent, 1);
	assert_int_equal(t.dropped, 0);
	assert_int_equal(read(fds[0], buf, sizeof(buf)), size);
	assert_true(put(&t, "<6>", "next"));
	assert_int_equal(read(fds[0], buf, sizeof(buf)), 9);
	assert_memory_equal(buf, "\n<6>next\n", 9);
	fill[size] = 'f';
	fill[size + 1] = 0;
	assert_false(put(&t, "", fill)); /* a byte more is missing */
	assert_int_equal(t.dropped, 1);
	assert_int_equal(t.error, EAGAIN);
	close(fds[0]);
	close(fds[1]);
	log_target_close(&t);
}

static void a_ring_that_is_missing(void **state)
{
	struct log_target t = { .kind = LOG_TO_RING, .name = "ring@r", .fd = -1 };

	(void)state;
	open_ok(&t);
	assert_false(put(&t, "<6>", "x"));
	assert_int_equal(t.error, ENOBUFS);
	assert_int_equal(t.dropped, 1);
}

/* The pipe of a shell that reads nothing: lines fit until it is full, and the shell's own end
 * keeps blocking as before. */
static void full_pipe_drops_and_stays_ours(void **state)
{
	char buf[65536], *at, *end;
	struct log_target t;
	int fds[2], n = 0;
	ssize_t len;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	t = target_of_fd(fds[1]);
	open_ok(&t);
	while (n < 100000 && put(&t, "<6>", "a line of some length, to fill the pipe sooner"))
		n++;
	assert_in_range(n, 100, 10000);
	assert_int_equal(t.error, EAGAIN);
	assert_false(fcntl(fds[1], F_GETFL) & O_NONBLOCK);
	len = read(fds[0], buf, sizeof(buf));
	for (at = buf, end = buf + len; at < end;) {
		char *lf = memchr(at, '\n', (size_t)(end - at));

		assert_non_null(lf);
		assert_int_equal(lf - at, strlen("<6>a line of some length, to fill the pipe sooner"));
		at = lf + 1;
	}
	assert_true(put(&t, "<6>", "again"));
	close(fds[0]);
	assert_false(put(&t, "<6>", "no reader")); /* SIGPIPE is ignored by the process */
	assert_int_equal(t.error, EPIPE);
	log_target_close(&t);
	close(fds[1]);
}

/* Longer than PIPE_BUF: a part may fit. The next line then starts on a line of its own. */
static void torn_line_is_ended(void **state)
{
	static char big[20000], buf[70000];
	struct log_target t;
	ssize_t len;
	int fds[2];

	(void)state;
	memset(big, 'b', sizeof(big) - 1);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETPIPE_SZ, 65536), 65536);
	t = target_of_fd(fds[1]);
	open_ok(&t);
	while (put(&t, "", big))
		;
	assert_true(t.torn);
	assert_int_equal(t.dropped, 1);
	while ((len = read(fds[0], buf, sizeof(buf))) == (ssize_t)sizeof(buf))
		;
	assert_true(put(&t, "<6>", "next"));
	assert_false(t.torn);
	len = read(fds[0], buf, sizeof(buf));
	assert_int_equal(len, strlen("\n<6>next\n"));
	assert_memory_equal(buf, "\n<6>next\n", (size_t)len);
	close(fds[0]);
	close(fds[1]);
	log_target_close(&t);
}

/* The most pieces that a line may have, behind one that was torn. */
static void a_line_of_many_pieces(void **state)
{
	struct iovec iov[8];
	struct log_target t;
	char buf[64] = "";
	int fds[2];

	(void)state;
	for (int i = 0; i < 8; i++)
		iov[i] = (struct iovec){ (void *)&"abcdefg\n"[i], 1 };
	assert_int_equal(pipe(fds), 0);
	t = target_of_fd(fds[1]);
	open_ok(&t);
	t.torn = true;
	assert_true(log_target_write(&t, iov, 8));
	assert_int_equal(read(fds[0], buf, sizeof(buf) - 1), 9);
	assert_string_equal(buf, "\nabcdefg\n");
	close(fds[0]);
	close(fds[1]);
	log_target_close(&t);
}

static void stream_socket_does_not_block(void **state)
{
	struct log_target t;
	int fds[2], n = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	t = target_of_fd(fds[1]);
	open_ok(&t);
	while (n < 1000000 && put(&t, "<6>", "to a socket that is not read"))
		n++;
	assert_in_range(n, 10, 100000);
	assert_false(fcntl(fds[1], F_GETFL) & O_NONBLOCK);
	close(fds[0]);
	assert_false(put(&t, "<6>", "closed"));
	close(fds[1]);
	log_target_close(&t);
}

static void full_disk_is_counted(void **state)
{
	struct log_target t;
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_true(fd >= 0);
	t = target_of_fd(fd);
	open_ok(&t);
	assert_false(put(&t, "<6>", "x"));
	assert_int_equal(t.error, ENOSPC);
	log_target_close(&t);
	close(fd);
}

/* A file is continued where the shell stands in it, not begun again. */
static void file_is_continued(void **state)
{
	char buf[64] = "";
	struct log_target t;
	int fd;

	(void)state;
	strcpy(path, folder);
	strcat(path, "/file");
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, "before\n", 7), 7);
	t = target_of_fd(fd);
	open_ok(&t);
	assert_true(put(&t, "<6>", "line"));
	assert_int_equal(pread(fd, buf, sizeof(buf) - 1, 0), 15);
	assert_string_equal(buf, "before\n<6>line\n");
	log_target_close(&t);
	assert_true(fcntl(fd, F_GETFD) >= 0); /* it was not ours to close */
	close(fd);
	unlink(path);
	strcpy(path, folder);
	strcat(path, "/log");
}

static void closed_descriptor_is_refused(void **state)
{
	struct err err = { "" };
	struct log_target t = target_of_fd(999);

	(void)state;
	assert_int_equal(log_target_open(&t, &err), -1);
	assert_non_null(strstr(err.text, "999 is not open"));
	assert_false(put(&t, "<6>", "x"));
	assert_int_equal(t.error, EBADF);
}

static void samples(void **state)
{
	struct log_sample s = { .period = 4, .count = 2, .range = { { 1, 1 }, { 3, 4 } } };
	struct log_sample all = { .period = 0 };
	char seen[13] = "";
	int i;

	(void)state;
	for (i = 0; i < 12; i++)
		seen[i] = log_sample_take(&s) ? 'y' : 'n';
	assert_string_equal(seen, "ynyyynyyynyy");
	assert_true(log_sample_take(&all));
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static int make_folder(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/log", folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unix_collector_comes_and_goes),
		cmocka_unit_test(full_unix_collector_does_not_block),
		cmocka_unit_test(udp),
		cmocka_unit_test(two_targets_share_a_socket),
		cmocka_unit_test(the_last_target_closes_the_socket),
		cmocka_unit_test(families_have_a_socket_each),
		cmocka_unit_test(a_kept_socket_reaches_its_collector),
		cmocka_unit_test(a_kept_socket_that_is_full),
		cmocka_unit_test(what_is_not_kept),
		cmocka_unit_test(a_pipe_is_opened_once_more),
		cmocka_unit_test(no_signal_comes_of_sockets),
		cmocka_unit_test(only_the_end_is_missing),
		cmocka_unit_test(a_ring_that_is_missing),
		cmocka_unit_test(full_pipe_drops_and_stays_ours),
		cmocka_unit_test(torn_line_is_ended),
		cmocka_unit_test(a_line_of_many_pieces),
		cmocka_unit_test(stream_socket_does_not_block),
		cmocka_unit_test(full_disk_is_counted),
		cmocka_unit_test(file_is_continued),
		cmocka_unit_test(closed_descriptor_is_refused),
		cmocka_unit_test(samples),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
