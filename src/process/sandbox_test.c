/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter of system calls in children: what serving needs goes on, a call that it does not
 * allow ends the process by SIGSYS and is named. */
#include "process/sandbox.h"

#include "base/err.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static char said[1024]; /* by the last child, on stderr */

/* Runs fn behind the filter in a child; its status as of waitpid. */
static int behind(bool namespaces, int (*fn)(void))
{
	const struct sandbox_wants wants = { .namespaces = namespaces };
	struct err err;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		static const struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		dup2(fds[1], STDERR_FILENO);
		if (sandbox_enter(&wants, &err) < 0)
			_exit(99);
		_exit(fn());
	}
	close(fds[1]);
	n = read(fds[0], said, sizeof(said) - 1);
	said[n > 0 ? n : 0] = 0;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void goes_on(int (*fn)(void))
{
	int status = behind(false, fn);

	if (status)
		print_error("said: %s\n", said);
	assert_int_equal(status, 0);
}

static void refused(int (*fn)(void), const char *name)
{
	int status = behind(false, fn);
	char sentence[128];

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
	snprintf(sentence, sizeof(sentence), "refused system call %s\n", name);
	if (!strstr(said, sentence))
		print_error("said: %s\n", said);
	assert_non_null(strstr(said, sentence));
}

/* ---- what goes on ------------------------------------------------------------------------ */

static int use_sockets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct epoll_event ev = { .events = EPOLLIN };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), loop = epoll_create1(0), fds[2];

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || loop < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)) || listen(fd, 1) ||
	    epoll_ctl(loop, EPOLL_CTL_ADD, fd, &ev) || epoll_wait(loop, &ev, 1, 0))
		return 1;
	if (accept4(fd, NULL, NULL, SOCK_NONBLOCK) >= 0 || errno != EAGAIN)
		return 2;
	if (pipe2(fds, O_NONBLOCK) || fcntl(fds[0], F_SETPIPE_SZ, 65536) < 0 || close(fds[0]))
		return 3;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 4;
	return !if_nametoindex("lo"); /* of an address such as "fe80::1%lo" */
}

static int use_memory(void)
{
	char *p = malloc(1 << 24), *q;
	int i;

	if (!p)
		return 1;
	memset(p, 1, 1 << 24);
	q = realloc(p, 1 << 25);
	free(q ? q : p);
	for (i = 0; i < 1000; i++)
		free(malloc((size_t)i * 1000));
	return 0;
}

static int use_resolver(void)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	int rc = getaddrinfo("localhost", "80", &hints, &list);

	if (rc == 0)
		freeaddrinfo(list);
	return rc == 0 || rc == EAI_AGAIN || rc == EAI_NONAME ? 0 : 1;
}

static int use_time(void)
{
	time_t now = time(NULL);
	struct tm tm;

	tzset();
	return !localtime_r(&now, &tm);
}

/* Compiled at run time: without code of its own, and it matches all the same. */
static int use_regex(void)
{
	int error;
	size_t at;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR) "a+b", PCRE2_ZERO_TERMINATED, 0, &error, &at,
					 NULL);
	pcre2_match_data *data;

	if (!code)
		return 1;
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	data = pcre2_match_data_create_from_pattern(code, NULL);
	return pcre2_match(code, (PCRE2_SPTR) "xaab", 4, 0, 0, data, NULL) != 1;
}

static int use_abort(void)
{
	abort();
}

static void test_goes_on(void **state)
{
	int status;

	(void)state;
	goes_on(use_sockets);
	goes_on(use_memory);
	goes_on(use_resolver);
	goes_on(use_time);
	goes_on(use_regex);
	status = behind(false, use_abort);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* ---- what is refused --------------------------------------------------------------------- */

static int try_execute(void)
{
	execl("/bin/true", "true", NULL);
	return 0;
}

static int try_write_file(void)
{
	return open("/dev/null", O_WRONLY) < 0;
}

static int try_packets(void)
{
	return socket(AF_PACKET, SOCK_RAW, 0) < 0;
}

static int try_trace(void)
{
	return (int)syscall(SYS_ptrace, 0, 0, 0, 0);
}

static int try_kill(void)
{
	return kill(getppid(), 0);
}

static int try_limit(void)
{
	static const struct rlimit limit = { 10, 10 };

	return setrlimit(RLIMIT_NOFILE, &limit);
}

static int try_namespace(void)
{
	return (int)syscall(SYS_setns, -1, 0x40000000 /* CLONE_NEWNET */) == 0;
}

static int try_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0 || errno != EACCES)
		return 1;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED;
}

static void test_refused(void **state)
{
	(void)state;
	refused(try_execute, "execve");
	refused(try_write_file, "openat");
	refused(try_packets, "socket");
	refused(try_trace, "ptrace");
	refused(try_kill, "kill");
	refused(try_limit, "prlimit64");
	refused(try_namespace, "setns");
	goes_on(try_code); /* it gets an error instead */
	assert_int_equal(behind(true, try_namespace), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
