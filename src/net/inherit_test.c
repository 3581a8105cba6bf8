/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening sockets through inherit_send and inherit_fetch, and answers that are not what they
 * should be: nothing is kept of those, and no descriptor stays open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "net/addr.h"
#include "net/inherit.h"
#include "net/listener.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/inherit_test.XXXXXX";
static char path[64];
static int old_socket = -1;
static struct bind_conf bind_line;
static struct listener a, b;

static int listen_on(struct addr *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(addr, &ss);

	assert_int_equal(bind(fd, (struct sockaddr *)&ss, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&ss, &len), 0);
	addr_from_sockaddr(addr, &ss, len);
	return fd;
}

static int setup(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	(void)state;
	unlink(path);
	old_socket = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(un.sun_path, path);
	a.bind = b.bind = &bind_line;
	a.addr = b.addr = (struct addr){ .family = AF_INET, .v4.s_addr = htonl(INADDR_LOOPBACK) };
	a.src.fd = listen_on(&a.addr);
	b.src.fd = listen_on(&b.addr);
	return bind(old_socket, (struct sockaddr *)&un, sizeof(un)) || listen(old_socket, 5);
}

static int teardown(void **state)
{
	(void)state;
	close(a.src.fd);
	close(b.src.fd);
	close(old_socket);
	return unlink(path);
}

/* The old process answers one connection: text (then listener a, if passed), or as it should. */
static pid_t old_process(const char *text)
{
	struct listener *list[] = { &a, &b };
	char command[64];
	pid_t pid = fork();
	int fd;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	fd = accept(old_socket, NULL, NULL);
	if (read(fd, command, sizeof(command)) <= 0)
		_exit(1);
	if (!text)
		_exit(inherit_send(fd, list, 2, 0, 2) ? 1 : 0);
	_exit(write(fd, text, strlen(text)) != (ssize_t)strlen(text));
}

static void finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int take(const struct addr *addr, const char *interface, const char *namespace, bool dgram)
{
	struct bind_conf bind = { .interface = interface, .namespace = namespace, .dgram = dgram };
	const struct listener l = { .bind = &bind, .addr = *addr };

	return inherit_take(&l);
}

static void sockets_are_found_by_address(void **state)
{
	pid_t pid = old_process(NULL);
	struct addr other = a.addr;
	struct err err;
	int fd, value = 0;
	socklen_t len = sizeof(value);

	(void)state;
	if (inherit_fetch(path, &err))
		fail_msg("%s", err.text);
	finish(pid);
	other.port = 1;
	assert_int_equal(take(&other, NULL, NULL, false), -1);
	assert_int_equal(take(&a.addr, "eth0", NULL, false), -1);
	assert_int_equal(take(&a.addr, NULL, "ns", false), -1);
	assert_int_equal(take(&a.addr, NULL, NULL, true), -1);
	fd = take(&a.addr, NULL, NULL, false);
	assert_true(fd >= 0);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len), 0);
	assert_int_equal(value, 1);
	close(fd);
	assert_int_equal(take(&a.addr, NULL, NULL, false), -1); /* once */
	assert_int_equal(inherit_close(), 1);
	assert_int_equal(take(&b.addr, NULL, NULL, false), -1);
}

static void odd_answers(void **state)
{
	static const struct {
		const char *text, *about;
	} cases[] = {
		{ "", "it says: " },
		{ "Unknown command.\n", "it says: Unknown command." },
		{ "\nno such thing\n", "it says: " },
		{ "1 0 1\n127.0.0.1:1 - -\n", "cannot be understood" }, /* no descriptor came */
		{ "5 0 0\n", "cannot be understood" },                  /* would never end */
		{ "5 3 0\n", "cannot be understood" },
		{ "99999999999999999999 0 0\n", "cannot" },
		{ "-1 0 0\n", "cannot" },
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		pid_t pid = old_process(cases[i].text);

		assert_int_equal(inherit_fetch(path, &err), -1);
		finish(pid);
		if (!strstr(err.text, cases[i].about))
			fail_msg("'%s' gave '%s'", cases[i].text, err.text);
		assert_int_equal(inherit_close(), 0);
	}
}

static void nobody_there(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(inherit_fetch("/nonexistent/socket", &err), -1);
	assert_non_null(strstr(err.text, "cannot connect"));
}

static int group_setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/sock", folder);
	return 0;
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
		TEST(sockets_are_found_by_address), TEST(odd_answers), TEST(nobody_there),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
